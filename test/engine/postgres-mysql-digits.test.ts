import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../src/engine/contract.ts";
import type { Flavour } from "./mysql-support.ts";
import { pair, rows, type Servers, startServers } from "./postgres-mysql-support.ts";
import { run } from "./run.ts";

/** PostgreSQL → MySQL, JSON and arrays with more digits than a double keeps: counted by their column, or kept as text. */

const documents = `CREATE TYPE amount AS (n numeric);
  CREATE TABLE t (id int PRIMARY KEY, b jsonb, j json, n numeric[], f float8[], c amount, long jsonb, fine jsonb);
  INSERT INTO t VALUES
    (1, '1.00000000000000000001', '{"a": 12345678901234567890123}', '{1.10,2.00000000000000000003}', '{0.1,1e300}', ROW(0.12345678901234567890), jsonb_build_array(repeat('x"1.00000000000000000001', 200000), 1.00000000000000000001), '18446744073709551615'),
    (2, '12345678901234567890123', '[0.1]', '{1,NULL}', '{0.3}', ROW(1.5), jsonb_build_array(repeat('x', 2000000), 1.5), '"1.00000000000000000001"'),
    (3, '{"x": [1, 2.5, 1.00000000000000000001]}', NULL, NULL, NULL, NULL, NULL, '[-9223372036854775808, 0.1, 1e20]')`;

describe.each<Flavour>(["mysql", "mariadb"])("into %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const columns = ["b", "j", "n", "c", "long"];
  const found: Record<string, number> = { b: 3, j: 1, n: 1, c: 1, long: 1 };
  const counted = (column: string) =>
    `column public.t.${column}: ${found[column] === 1 ? "1 value has" : `${found[column]} values have`} numbers of more digits than a double keeps, and MySQL's JSON rounds them; LONGTEXT in options.types keeps them as text`;
  const checked = { jobs: 2, verify: "checksum" as const };

  test.each<[string, Partial<CopyOptions>, string]>([
    ["that the copy makes", {}, "SELECT 1"],
    [
      "that is there",
      { content: "data" },
      "CREATE TABLE t (id int PRIMARY KEY, b json, j json, n json, f json, c json, `long` json, fine json)",
    ],
  ])("numbers that lose digits in a JSON column %s are counted by their column", async (_, options, before) => {
    const both = await pair(servers, documents);
    await servers.admin.query(`USE ${both.name}; ${before}`);
    const { report, copied } = await run(both, { options: { ...checked, ...options } });
    await copied.finish();
    expect(report.warnings).toEqual(flavour === "mariadb" ? [] : columns.map(counted));
    expect(report.verification).toMatchObject({ differences: [] });
  });

  test("as LONGTEXT by options.types they keep every digit", async () => {
    const both = await pair(servers, documents);
    const types = Object.fromEntries(columns.map((column) => [`t.${column}`, "LONGTEXT"]));
    const { report, copied } = await run(both, { options: { ...checked, types } });
    await copied.finish();
    expect(report.warnings).toEqual([]);
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
    expect(await rows(servers.admin, `SELECT b, j, n, c FROM ${both.name}.t ORDER BY id`)).toEqual([
      [
        "1.00000000000000000001",
        '{"a": 12345678901234567890123}',
        "[1.10,2.00000000000000000003]",
        '{"n":0.12345678901234567890}',
      ],
      ["12345678901234567890123", "[0.1]", "[1,null]", '{"n":1.5}'],
      ['{"x": [1, 2.5, 1.00000000000000000001]}', null, null, null],
    ]);
  });
});
