import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyOptions } from "../../../src/engine/contract/index.ts";
import { chosenSeed } from "../../seed.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { sql } from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";
import { seeded } from "../translate/support.ts";

/** PostgreSQL → MySQL, JSON and arrays with numbers that MySQL's JSON does not keep: counted by their column, or kept as text. */

const documents = `CREATE TYPE amount AS (n numeric);
  CREATE TABLE t (id int PRIMARY KEY, b jsonb, j json, n numeric[], f float8[], c amount, long jsonb, fine jsonb);
  INSERT INTO t VALUES
    (1, '1.00000000000000000001', '{"a": 12345678901234567890123}', '{1.10,2.00000000000000000003}', '{0.1,1e300}', ROW(0.12345678901234567890), jsonb_build_array(repeat('x"1.00000000000000000001', 200000), 1.00000000000000000001), '18446744073709551615'),
    (2, '12345678901234567890123', '[0.1]', '{1,NULL}', '{0.3}', ROW(1.5), jsonb_build_array(repeat('x', 2000000), 1.5), '"1.00000000000000000001"'),
    (3, '{"x": [1, 2.5, 1.00000000000000000001]}', NULL, NULL, NULL, NULL, NULL, '[-9223372036854775808, 0.1, 1e20]'),
    (4, NULL, '{"x": [-0]}', NULL, '{-0,1}', NULL, NULL, '[-0.0]')`;

describe.each<Flavour>(["mysql", "mariadb"])("into %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  const columns = ["b", "j", "n", "f", "c", "long"];
  const found: Record<string, number> = { b: 3, j: 2, n: 1, f: 1, c: 1, long: 1 };
  const counted = (column: string) =>
    `column public.t.${column}: ${found[column] === 1 ? "1 value has" : `${found[column]} values have`} numbers that MySQL's JSON does not keep (more digits than a double has, or -0); LONGTEXT in options.types keeps them as text`;
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

  // The text of the two with e-26 is a double that rounds to another real.
  const reals = "0.1 -0.3 16777216 16777217 3.4028235e38 -1.1754944e-38 1e-45 7.038531e-26 -7.038531e-26 7.0385313e-26";
  test("a real has its shortest text as a DOUBLE, and is the same number when that is read as a real again", async () => {
    const random = seeded(chosenSeed());
    const bits = Array.from({ length: 3_000 }, () => Math.floor(random() * 2 ** 32)).filter(
      (value) => (value & 0x7f800000) !== 0x7f800000 && (value & 0x7fffffff) !== 0,
    );
    const exact = bits.map((value) => new Float32Array(new Uint32Array([value]).buffer)[0]);
    const values = [...reals.split(" "), ...exact.map(String)].map(
      (value, id) => `(${id}, '${value}'::float8::float4)`,
    );
    const both = await pair(
      servers,
      `CREATE TABLE r (id int PRIMARY KEY, v real); INSERT INTO r VALUES ${values.join(", ")}`,
    );
    const { report, copied } = await run(both, { options: checked });
    await copied.finish();
    expect(report.verification).toMatchObject({ differences: [], uncompared: [] });
    const source = await sql<{ exact: string }>(
      { server: servers.source, database: both.name },
      "SELECT v::float8::text AS exact FROM r ORDER BY id",
    );
    const target = await rows(servers.admin, `SELECT v FROM ${both.name}.r ORDER BY id`);
    expect(target.slice(0, 3)).toEqual([["0.1"], ["-0.3"], ["16777216"]]);
    const again = target.map(([text]) => Math.fround(Number(text)));
    expect(again).toEqual(source.map(({ exact: text }) => Number(text)));
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
      [null, '{"x": [-0]}', null, null],
    ]);
  });
});
