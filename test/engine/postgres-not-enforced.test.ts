import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Flavour } from "./mysql-support.ts";
import { pair, rows, type Servers, startServers } from "./postgres-mysql-support.ts";
import { run } from "./run.ts";

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
        note: "not carried over: it is not enforced in the source, and MariaDB has no such checks",
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
});
