import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** PostgreSQL 18's constraints that are NOT ENFORCED: the target must not refuse what the source takes. */
describe.each<Flavour>(["mysql", "mariadb"])("constraints of PostgreSQL that are not enforced, in %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("are made NOT ENFORCED where the target has such, or are reported", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE p (id int PRIMARY KEY); INSERT INTO p VALUES (1);
       CREATE TABLE t (id int PRIMARY KEY, v int CONSTRAINT loose CHECK (v > 0) NOT ENFORCED, w int CONSTRAINT firm CHECK (w > 0),
         up int CONSTRAINT aside REFERENCES p NOT ENFORCED);
       INSERT INTO t VALUES (1, -1, 1, 1), (2, 2, 2, 7)`,
    );
    const { report, copied } = await run(both);
    await copied.finish();
    await rows(servers.admin, `INSERT INTO ${both.name}.t VALUES (3, -3, 3, 8)`);
    await expect(rows(servers.admin, `INSERT INTO ${both.name}.t VALUES (4, 4, -4, 1)`)).rejects.toThrow(/firm/);
    const entry = (name: string) =>
      report.inventory.find((one) => one.kind === "constraint" && one.name === `public.t ${name}`);
    expect(entry("aside")).toMatchObject({
      outcome: "reported",
      note: "it is not enforced in the source, and MySQL has no such foreign keys",
      definition: expect.stringContaining("NOT ENFORCED"),
    });
    if (flavour === "mariadb") {
      expect(entry("loose")).toMatchObject({
        outcome: "reported",
        note: "not copied: it is not enforced in the source, and MariaDB has no such checks",
        definition: expect.stringContaining("NOT ENFORCED"),
      });
      return;
    }
    expect(entry("loose")).toMatchObject({ outcome: "converted" });
    expect(
      await rows(
        servers.admin,
        `SELECT CONSTRAINT_NAME, ENFORCED FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA = '${both.name}' AND CONSTRAINT_TYPE = 'CHECK' ORDER BY 1`,
      ),
    ).toEqual([
      ["firm", "YES"],
      ["loose", "NO"],
    ]);
    expect(report.inventory.filter(({ note }) => /target did not|target made/.test(note ?? ""))).toEqual([]);
  });

  test("a check that is not valid and that rows break is reported, whatever it is called, and the others are made", async () => {
    const names = ["plain", "dot.", "a.b", "it's", "tick`s", "line\nbreak", "return\r{}`", "back\\slash", "dot"];
    const quoted = (name: string) => `"${name}"`;
    const both = await pair(
      servers,
      `CREATE TABLE t (id int PRIMARY KEY, ${names.map((_, at) => `c${at} int CONSTRAINT kept_${at} CHECK (c${at} < 100)`).join(", ")});
       INSERT INTO t VALUES (1, ${names.map(() => -1).join(", ")}); ALTER TABLE t ${names
         .map((name, at) => `ADD CONSTRAINT ${quoted(name)} CHECK (c${at} > 0) NOT VALID`)
         .join(", ")}`,
    );
    const { report, copied } = await run(both);
    await copied.finish();
    const reported = report.inventory.filter(({ outcome }) => outcome === "reported");
    expect(reported.map(({ note }) => note)).toEqual(names.map(() => "not copied: rows of the source break it"));
    expect(await rows(servers.admin, `SELECT id, c0 FROM ${both.name}.t`)).toEqual([["1", "-1"]]);
    for (const at of names.keys())
      await expect(
        rows(servers.admin, `UPDATE ${both.name}.t SET c${at} = 100`),
        `the check of c${at}`,
      ).rejects.toThrow(new RegExp(`kept_${at}`));
  });
});
