import { afterAll, beforeAll, expect, test } from "vitest";
import { pair, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

let servers: Servers;
beforeAll(async () => {
  servers = await startServers("mysql");
});
afterAll(() => servers?.close());

test("text of a nondeterministic collation is never compared as bytes: what would compare it so is reported", async () => {
  const views = {
    equal: "SELECT id FROM t WHERE v = 'a'",
    listed: "SELECT id FROM t WHERE v IN ('a', 'b')",
    other: "SELECT id FROM t WHERE v <> 'a'",
    told: "SELECT DISTINCT v FROM t",
    counted: "SELECT count(DISTINCT v) AS n FROM t",
    grouped: "SELECT v, count(*) AS n FROM t GROUP BY v",
    cased: "SELECT CASE v WHEN 'a' THEN 1 ELSE 2 END AS n FROM t",
    chosen: "SELECT id FROM t WHERE plain COLLATE nd = 'a'",
    within: "SELECT id FROM t WHERE v IN (SELECT w.v FROM t w)",
  };
  const both = await pair(
    servers,
    `CREATE COLLATION nd (provider = icu, locale = 'und-u-ks-level2', deterministic = false);
     CREATE TABLE t (id int PRIMARY KEY, v text COLLATE nd, plain text, CONSTRAINT no_b CHECK (v <> 'b'));
     INSERT INTO t VALUES (1, 'a', 'a'), (2, 'A', 'A');
     CREATE VIEW bytes AS SELECT id FROM t WHERE v COLLATE "C" = 'a'; CREATE VIEW plain AS SELECT id FROM t WHERE plain = 'a';
     ${Object.entries(views)
       .map(([name, query]) => `CREATE VIEW ${name} AS ${query};`)
       .join("\n")}
     CREATE VIEW above AS SELECT u.v FROM (SELECT v FROM t) u WHERE u.v = 'a'`,
  );
  const { report, copied } = await run(both);
  await copied.finish();
  const entries = report.inventory.filter(({ kind }) => kind === "view");
  const outcomes = (wanted: string) =>
    entries.flatMap(({ name, outcome }) => (outcome === wanted ? [name] : [])).sort();
  expect(outcomes("reported")).toEqual([...Object.keys(views), "above"].map((name) => `public.${name}`).sort());
  expect(outcomes("converted")).toEqual(["public.bytes", "public.plain"]);
  expect(entries.find(({ name }) => name === "public.equal")?.note).toMatch(
    /text is compared by PostgreSQL's collation nd, which takes for equal what has other bytes/,
  );
  expect(report.inventory.find(({ name }) => name === "public.t no_b")).toMatchObject({ outcome: "reported" });
});
