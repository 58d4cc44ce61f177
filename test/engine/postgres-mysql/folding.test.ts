import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { assessed, run } from "../../support/engine/run.ts";

/** Unique keys by collations that take for equal what has other bytes. */

const schema = `
  CREATE COLLATION ci (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false);
  CREATE TABLE t (id int PRIMARY KEY, plain varchar(20), folded varchar(20) COLLATE ci UNIQUE);
  CREATE UNIQUE INDEX t_plain ON t (plain, id);
  CREATE UNIQUE INDEX t_folded ON t (plain COLLATE ci, id);
  CREATE UNIQUE INDEX t_expression ON t (lower(plain) COLLATE ci);
  CREATE UNIQUE INDEX t_c ON t (plain COLLATE "C");
  CREATE INDEX t_search ON t (plain COLLATE ci);
  INSERT INTO t VALUES (1, 'a', 'b')`;

describe.each(["mysql", "mariadb"] as const)("unique keys of PostgreSQL in %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("what a collation took for equal is named, with the text of the index", async () => {
    const both = await pair(servers, schema);
    const { report } = await run(both);
    const entry = (name: string) => report.inventory.find((one) => one.kind === "index" && one.name === name);
    const lost = (what: string) =>
      `collation ci of ${what} is lost: the target takes for equal only what has the same bytes`;
    const found = await rows(servers.admin, `SHOW INDEX FROM ${both.name}.t`);
    expect([...new Set(found.map(([, , name]) => name))].sort()).toEqual(
      expect.arrayContaining(["PRIMARY", "t_c", "t_folded", "t_folded_key", "t_plain", "t_search"]),
    );
    for (const [name, what] of [
      ["t_folded", "plain"],
      ["t_folded_key", "folded"],
    ] as const)
      expect(entry(`public.${name}`)).toMatchObject({
        outcome: "converted",
        note: lost(what),
        definition: expect.stringContaining(`CREATE UNIQUE INDEX "${name}" `),
      });
    for (const name of ["t_plain", "t_c", "t_search"])
      expect(entry(`public.${name}`)).toEqual({ kind: "index", name: `public.${name}`, outcome: "converted" });
    const expression = entry("public.t_expression");
    if (expression?.outcome === "converted") expect(expression.note).toContain(lost("its expression"));
    else expect(expression).toMatchObject({ outcome: "reported", definition: expect.stringContaining("lower") });
  });

  test("partitions by a collation that takes for equal what has other bytes become a plain table, named", async () => {
    const parts = (table: string, ...bounds: string[]) =>
      bounds.map((bound, at) => `CREATE TABLE ${table}_${at} PARTITION OF ${table} FOR VALUES ${bound};`).join(" ");
    const both = await pair(
      servers,
      `CREATE COLLATION ci (PROVIDER = icu, LOCALE = 'und-u-ks-level2', DETERMINISTIC = false);
       CREATE TABLE listed (v varchar(9) COLLATE ci, n int) PARTITION BY LIST (v); ${parts("listed", "IN ('a')", "IN ('b')")}
       CREATE TABLE keyed (v varchar(9), n int) PARTITION BY LIST (v COLLATE ci); ${parts("keyed", "IN ('a')", "IN ('b')")}
       CREATE TABLE hashed (v varchar(9) COLLATE ci, n int) PARTITION BY HASH (v); ${parts("hashed", "WITH (MODULUS 2, REMAINDER 0)", "WITH (MODULUS 2, REMAINDER 1)")}
       CREATE TABLE ranged (v varchar(9) COLLATE ci, n int) PARTITION BY RANGE (v); ${parts("ranged", "FROM ('a') TO ('c')")}
       CREATE TABLE plain (v varchar(9), n int) PARTITION BY LIST (v); ${parts("plain", "IN ('a')", "IN ('b')")}
       CREATE TABLE rest (v varchar(9) COLLATE ci, n int) PARTITION BY LIST (v); ${parts("rest", "IN ('a')")} CREATE TABLE rest_d PARTITION OF rest DEFAULT;
       INSERT INTO plain VALUES ('a', 1), ('b', 2);
       ${["listed", "keyed", "hashed", "ranged", "rest"].map((table) => `INSERT INTO ${table} VALUES ('A', 1), ('a', 2), ('B', 3);`).join(" ")}`,
    );
    const planned = (await assessed(both)).objects;
    const { report, copied } = await run(both);
    await copied.finish();
    const entries = report.inventory.filter(({ kind }) => kind === "partitions");
    const note =
      "a plain table with all rows: MySQL has no partitions by collation ci, which takes for equal what has other bytes";
    for (const name of ["listed", "keyed", "hashed", "ranged", "rest"]) {
      expect(entries.find((one) => one.name === `public.${name}`)).toMatchObject({ outcome: "reported", note });
      expect(planned).toContainEqual(expect.objectContaining({ kind: "partitions", name: `public.${name}`, note }));
      expect(await rows(servers.admin, `SELECT v, n FROM ${both.name}.${name} ORDER BY n`)).toEqual([
        ["A", "1"],
        ["a", "2"],
        ["B", "3"],
      ]);
    }
    expect(entries.find(({ name }) => name === "public.plain")).toMatchObject({ outcome: "converted" });
  });
});
