import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Flavour, pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** What PostgreSQL does not take of MySQL's is in the report with its source text and its own cause. */
describe.each<Flavour>(["mysql", "mariadb"])("reported objects of %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("an index that is not made has its text", async () => {
    // MySQL has no keys on the beginning of a geometry.
    const beginning = flavour === "mysql" ? "" : ", KEY g2 (`g``1`(10))";
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, \`g\`\`1\` geometry NOT NULL, v varchar(9), SPATIAL KEY \`sp\`\`1\` (\`g\`\`1\`)${beginning}, UNIQUE KEY kept (v))`,
    );
    const { report } = await run(both);
    const entry = (name: string) => report.inventory.find((one) => one.kind === "index" && one.name === `t.${name}`);
    expect(entry("sp`1")).toEqual({
      kind: "index",
      name: "t.sp`1",
      outcome: "reported",
      note: "a spatial index is not copied, since its column is bytea",
      definition: "SPATIAL KEY `sp``1` (`g``1`)",
    });
    expect(entry("g2")?.definition).toBe(flavour === "mysql" ? undefined : "KEY `g2` (`g``1`(10))");
    expect(entry("kept")).not.toHaveProperty("definition");
  });

  test("a view with MATCH names this function as its cause", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, v varchar(20), w varchar(20), FULLTEXT KEY f (v, w), FULLTEXT KEY h (v));
       CREATE VIEW one AS SELECT id FROM t WHERE MATCH (v) AGAINST ('x');
       CREATE VIEW two AS SELECT id, MATCH (t.v, t.w) AGAINST ('x' IN BOOLEAN MODE) AS score FROM t`,
    );
    const { report } = await run(both);
    for (const name of ["one", "two"])
      expect(report.inventory.find((entry) => entry.kind === "view" && entry.name === name)).toMatchObject({
        outcome: "reported",
        note: "not translated: MATCH … AGAINST has no equal",
        definition: expect.stringMatching(/match/i),
      });
  });
});
