import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyReport } from "../../../src/engine/contract/index.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Column type in the source, values in SQL, type in the target, the target's own text of the values. */
type Case = [name: string, type: string, values: string[], target: string, expected: (string | null)[]];

const cases: Case[] = [
  ["small", "smallint", ["-32768", "32767"], "smallint", ["-32768", "32767"]],
  ["big", "bigint", ["-9223372036854775808", "NULL"], "bigint", ["-9223372036854775808", null]],
  ["dec", "numeric(20,5)", ["-12345.67891", "'NaN'"], "decimal(20,5)", ["-12345.67891", null]],
  ["dec_below", "numeric(3,5)", ["0.00999"], "decimal(5,5)", ["0.00999"]],
  ["dec_any", "numeric", ["1.5"], "decimal(65,30)", ["1.500000000000000000000000000000"]],
  ["dec_deep", "numeric", ["1e-40"], "longtext", ["0.0000000000000000000000000000000000000001"]],
  ["dec_wide", "numeric", [`${"9".repeat(60)}.5`], "decimal(65,1)", [`${"9".repeat(60)}.5`]],
  ["real", "real", ["3.4028235e38", "'Infinity'"], "double", ["3.4028235e38", null]],
  ["dbl", "double precision", ["1.7976931348623157e308", "'NaN'"], "double", ["1.7976931348623157e308", null]],
  ["flag", "boolean", ["true", "false", "NULL"], "tinyint(1)", ["1", "0", null]],
  ["cash", "money", ["'-12.34'"], "decimal(19,2)", ["-12.34"]],
  ["vc", "varchar(10)", ["'é漢😀'", "'trail '"], "varchar(10)", ["é漢😀", "trail "]],
  [
    "txt",
    "text",
    ["E'tab\\tnl\\nback\\\\slash\\x0b\\f\\r\\b\\\\.'", "'\\N'", "''", "'NULL'", "'trail '", "NULL"],
    "longtext",
    ["tab\tnl\nback\\slash\v\f\r\b\\.", "\\N", "", "NULL", "trail ", null],
  ],
  ["bits", "bit(10)", ["B'1000000001'", "B'0000001010'"], "bit(10)", ["513", "10"]],
  ["bits_64", "bit(64)", [`B'${"1".repeat(64)}'`], "bit(64)", ["18446744073709551615"]],
  ["bits_65", "bit(65)", [`B'${"1".repeat(65)}'`], "varchar(65)", ["1".repeat(65)]],
  [
    "day",
    "date",
    ["'0001-01-01'", "'9999-12-31'", "'infinity'", "'0044-03-15 BC'", "'10000-01-01'"],
    "date",
    ["0001-01-01", "9999-12-31", null, null, null],
  ],
  ["day_nn", "date NOT NULL", ["'infinity'"], "date", [null]],
  ["stamp", "timestamp", ["'2024-03-31 02:30:00.123456'"], "datetime(6)", ["2024-03-31 02:30:00.123456"]],
  ["stamptz", "timestamptz(3)", ["'2024-03-31 02:30:00.123+05:30'"], "datetime(3)", ["2024-03-30 21:00:00.123"]],
  ["clock", "time", ["'24:00:00'", "'23:59:59.999999'"], "time(6)", ["24:00:00.000000", "23:59:59.999999"]],
  ["clocktz", "timetz", ["'23:59:59+15:59'"], "varchar(32)", ["23:59:59+15:59"]],
  ["span", "interval", ["'1 mon -1 day'"], "varchar(96)", ["1 mon -1 days"]],
  ["ident", "uuid", ["'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'"], "char(36)", ["a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11"]],
  ["ips", "inet", ["'::1/64'"], "varchar(49)", ["::1/64"]],
  ["ran", "int4range", ["'[1,10)'", "'empty'"], "varchar(32)", ["[1,10)", "empty"]],
  ["moods", "mood", ["'it''s \"ok\"'", "''"], "enum('sad','it''s \"ok\"','')", ['it\'s "ok"', ""]],
  ["mood_odd", "odd", ["'a '", "'a'"], "varchar(2)", ["a ", "a"]],
  ["pos", "positive", ["7"], "int", ["7"]],
  ["dec_above", "numeric(5,-2)", ["9999949", "'NaN'"], "decimal(7,0)", ["9999900", null]],
  [
    "dec_nn",
    "numeric NOT NULL",
    ["'Infinity'", "'-Infinity'", "1"],
    "decimal(65,30)",
    [null, null, `1.${"0".repeat(30)}`],
  ],
  ["dec_66", "numeric(66,0)", ["'9'", `'${"9".repeat(66)}'`], "longtext", ["9", "9".repeat(66)]],
  ["dbl_nn", "double precision NOT NULL", ["'-Infinity'", "5e-324"], "double", [null, "5e-324"]],
  ["cash_least", "money", ["'-92233720368547758.08'"], "decimal(19,2)", ["-92233720368547758.08"]],
  [
    "stamp_far",
    "timestamp(0)",
    ["'294276-12-31 23:59:59'", "'0001-01-01 BC'", "'9999-12-31 23:59:59.4'"],
    "datetime",
    [null, null, "9999-12-31 23:59:59"],
  ],
  [
    "stamptz_nn",
    "timestamptz NOT NULL",
    ["'-infinity'", "'9999-12-31 23:59:59.999999+00'", "'10000-01-01 00:00+00'"],
    "datetime(6)",
    [null, "9999-12-31 23:59:59.999999", null],
  ],
  ["clock_0", "time(0)", ["'24:00:00'", "'00:00'"], "time", ["24:00:00", "00:00:00"]],
  ["padded", "char(5)", ["'ab'", "''", "'a b'"], "char(5)", ["ab", "", "a b"]],
  ["padded_long", "char(300)", ["'ab'", "''"], "varchar(300)", ["ab", ""]],
  ["padded_any", "bpchar", ["'ab  '"], "longtext", ["ab"]],
  ["one", '"char"', ["'x'", "''"], "varchar(4)", ["x", ""]],
  ["varbits", "varbit(80)", ["B'101'", "B''"], "varchar(80)", ["101", ""]],
  ["net", "cidr", ["'10/8'", "'::/0'"], "varchar(49)", ["10.0.0.0/8", "::/0"]],
  ["mac", "macaddr", ["'08002b010203'"], "varchar(17)", ["08:00:2b:01:02:03"]],
  ["mac_8", "macaddr8", ["'08:00:2b:01:02:03'"], "varchar(23)", ["08:00:2b:ff:fe:01:02:03"]],
  ["num_ran", "numrange", ["'[1.50,)'", "'empty'"], "longtext", ["[1.50,)", "empty"]],
  [
    "time_ran",
    "tstzrange",
    ["'[2020-01-01 02:00+02,infinity)'"],
    "varchar(96)",
    ['["2020-01-01 00:00:00+00",infinity)'],
  ],
  ["multi", "int8multirange", ["'{[1,3),[5,9)}'", "'{}'"], "longtext", ["{[1,3),[5,9)}", "{}"]],
  ["markup", "xml", ["'<a b=\"1\">x&amp;</a>'", "''"], "longtext", ['<a b="1">x&amp;</a>', ""]],
  ["words", "tsvector", ["'a:1A b'", "''"], "longtext", ["'a':1A 'b'", ""]],
  ["round", "circle", ["'<(1e300,-0),1>'"], "longtext", ["<(1e+300,-0),1>"]],
  ["page", "pg_lsn", ["'16/B374D848'"], "varchar(17)", ["16/B374D848"]],
  ["number", "oid", ["4294967295"], "int unsigned", ["4294967295"]],
  ["any_case", "citext", ["'MiXed'"], "longtext", ["MiXed"]],
  ["many_bits", "bit(64)", ["B'0' || repeat('1', 63)::bit(63)"], "bit(64)", ["9223372036854775807"]],
  ["mood_far", "far", ["'😁'", "'x'"], "varchar(1)", ["😁", "x"]],
];

const hex: [string, string[], (string | null)[]][] = [
  ["bytea", ["'\\x00ff5c0a09'", "''", "NULL"], ["00FF5C0A09", "", null]],
];

/** Read as JSON, since MySQL writes documents in its own way. */
const documents: [name: string, type: string, value: string, expected: unknown][] = [
  ["j", "json", `'{"a": [1, "é\\"", null]}'`, { a: [1, 'é"', null] }],
  ["jb", "jsonb", `'{"z": true}'`, { z: true }],
  ["ints", "integer[]", "'{1,NULL,3}'", [1, null, 3]],
  ["texts", "text[]", `ARRAY['a"b', NULL, '', 'NULL', E'x\\\\y,{}']`, ['a"b', null, "", "NULL", "x\\y,{}"]],
  [
    "deep",
    "integer[][]",
    "'{{1,2},{3,4}}'",
    [
      [1, 2],
      [3, 4],
    ],
  ],
  ["comp", "duo", "ROW(1, 'sad')", { a: 1, b: "sad" }],
  ["pairs", "duo[]", "ARRAY[ROW(1, 'sad')::duo, NULL]", [{ a: 1, b: "sad" }, null]],
  ["store", "hstore", `'"a b"=>"1", b=>NULL, "q\\"x"=>"\\\\"'`, { "a b": "1", b: null, 'q"x': "\\" }],
  ["odd_floats", "float8[]", "'{NaN,Infinity,1.5}'", ["NaN", "Infinity", 1.5]],
  ["stamps", "timestamptz[]", "'{infinity,\"2024-01-01 00:00+02\"}'", ["infinity", "2023-12-31T22:00:00+00:00"]],
  ["hostile", "jsonb", `'{"a''b": "\\\\ \\" \\n \\u001f 😀", "": []}'`, { "a'b": '\\ " \n \u001f 😀', "": [] }],
  ["nul", "json", `'{"b": "\\u0000"}'`, { b: "\0" }],
];

const prepare = `CREATE EXTENSION hstore; CREATE EXTENSION citext; CREATE TYPE far AS ENUM ('😀', '😁', 'x');
  CREATE TYPE mood AS ENUM ('sad', 'it''s "ok"', ''); CREATE TYPE odd AS ENUM ('a', 'a ');
  CREATE DOMAIN positive AS integer CHECK (VALUE > 0); CREATE TYPE duo AS (a integer, b mood);`;

describe.each<[Flavour | "mariadb-11", "postgres" | "postgres-old"]>([
  ["mysql", "postgres"],
  ["mariadb", "postgres-old"],
  ["mariadb-11", "postgres"],
])("types of PostgreSQL in %s from %s", (flavour, from) => {
  let servers: Servers;
  let name: string;
  let report: CopyReport;

  beforeAll(async () => {
    servers = await startServers(flavour, from);
    const tables = [
      ...cases.map(([table, type, values]) => [table, type, values] as const),
      ...hex.map(([type, values]) => [type, type, values] as const),
      ...documents.map(([table, type, value]) => [`doc_${table}`, type, [value]] as const),
    ].map(
      ([table, type, values]) =>
        `CREATE TABLE ${table} (id int PRIMARY KEY, v ${type}); INSERT INTO ${table} VALUES ${values.map((value, at) => `(${at}, ${value})`).join(", ")};`,
    );
    const both = await pair(servers, prepare + tables.join("\n"));
    name = both.name;
    ({ report } = await run(both));
  });
  afterAll(() => servers?.close());

  test.each(cases)("%s: %s keeps its values", async (table, _type, _values, target, expected) => {
    const value = target.startsWith("bit(") ? "v + 0" : "v";
    const got = await rows(servers.admin, `SELECT CAST(${value} AS CHAR) FROM ${name}.${table} ORDER BY id`);
    const numbers = (text: string | null) => (target === "double" && text !== null ? Number(text) : text);
    expect(got.map(([text]) => numbers(text ?? null))).toEqual(expected.map(numbers));
    const [[type] = []] = await rows(
      servers.admin,
      `SELECT COLUMN_TYPE FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = '${name}' AND TABLE_NAME = '${table}' AND COLUMN_NAME = 'v'`,
    );
    expect(type?.replace(/^(smallint|int|bigint)\(\d+\)/, "$1")).toBe(target);
  });

  test("bytes come as they are", async () => {
    for (const [table, , expected] of hex) {
      const got = await rows(servers.admin, `SELECT HEX(v) FROM ${name}.${table} ORDER BY id`);
      expect(got.map(([text]) => text)).toEqual(expected);
    }
  });

  test.each(documents)("%s: %s becomes the same document", async (table, _type, _value, expected) => {
    const [[text] = []] = await rows(servers.admin, `SELECT CAST(v AS CHAR) FROM ${name}.doc_${table}`);
    expect(JSON.parse(text ?? "")).toEqual(expected);
  });

  test("what became NULL is said by column and number", () => {
    expect(report.warnings).toContain("column public.day.v: 3 values that MySQL does not know became NULL");
    expect(report.warnings).toContain("column public.dec.v: 1 values that MySQL does not know became NULL");
    expect(report.warnings).toContain("column public.day_nn.v: 1 values that MySQL does not know became NULL");
  });

  test("a zero keeps its sign, or is counted where the server knows no minus zero", async () => {
    const both = await pair(
      servers,
      "CREATE TABLE z (id int, r real, d float8 DEFAULT '-0'); INSERT INTO z VALUES (1, '-0', '-0'), (2, '0', '-0'), (3, '-0.5', '-1e-320')",
    );
    const ran = await run(both);
    const got = await rows(servers.admin, `SELECT CONCAT(r), CONCAT(d) FROM ${both.name}.z ORDER BY id`);
    // Of MariaDB, 11.8.6 knows it, 10.11 and 11.8.9 do not.
    const [[zero] = []] = await rows(servers.admin, "SELECT CONCAT('-0' * 1e0)");
    expect(flavour === "mysql" ? ["-0"] : ["0", "-0"]).toContain(zero);
    if (zero === "0") {
      expect(got.slice(0, 2)).toEqual([
        ["0", "0"],
        ["0", "0"],
      ]);
      const said = (column: string, count: number) =>
        `column public.z.${column}: ${count} values of -0 became 0, since this server knows no minus zero`;
      expect(ran.report.warnings).toEqual(expect.arrayContaining([said("r", 1), said("d", 2)]));
    } else {
      expect(got.slice(0, 2)).toEqual([
        ["-0", "-0"],
        ["0", "-0"],
      ]);
      expect(ran.report.warnings).toEqual([]);
      await servers.admin.query(`INSERT INTO ${both.name}.z (id) VALUES (4)`);
      expect(await rows(servers.admin, `SELECT CONCAT(d) FROM ${both.name}.z WHERE id = 4`)).toEqual([["-0"]]);
    }
  });

  test("decimals and great whole numbers in documents become doubles in MySQL alone, and the report says so", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE j (v jsonb);
       INSERT INTO j VALUES ('[12345678901234567890.123456789, 0.10, 12345678901234567890123, 18446744073709551615]')`,
    );
    const ran = await run(both, { options: { jobs: 1, verify: "checksum" } });
    expect(ran.report.verification?.differences).toEqual([]);
    const note = ran.report.inventory.find(({ kind }) => kind === "column")?.note;
    const [[text] = []] = await rows(servers.admin, `SELECT CAST(v AS CHAR) FROM ${both.name}.j`);
    if (flavour === "mysql") {
      expect(text).toBe("[1.2345678901234567e19, 0.1, 1.2345678901234568e22, 18446744073709551615]");
      expect(note).toMatch(
        /^"jsonb" → JSON; MySQL keeps numbers with a point, and integers beyond 64 bits, as doubles/,
      );
    } else {
      expect(text).toBe("[12345678901234567890.123456789, 0.10, 12345678901234567890123, 18446744073709551615]");
      expect(note).toBe('"jsonb" → JSON');
    }
  });

  test("citext keeps its uniqueness without regard to case, and tells accents apart", async () => {
    const both = await pair(
      servers,
      "CREATE EXTENSION citext; CREATE TABLE c (t citext UNIQUE); INSERT INTO c VALUES ('e'), ('é')",
    );
    await run(both);
    await expect(servers.admin.query(`INSERT INTO ${both.name}.c VALUES ('E')`)).rejects.toMatchObject({ errno: 1062 });
  });

  test("keys of text tell apart what PostgreSQL's do, and are hashed where a value is too long for one", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE k (t text PRIMARY KEY); INSERT INTO k VALUES ('a'), ('A'), ('a '), ('á');
       CREATE TABLE l (id int PRIMARY KEY, t text UNIQUE); INSERT INTO l VALUES (1, repeat('x', 1000)), (2, repeat('x', 1001)), (3, NULL), (4, NULL);
       CREATE TABLE never (d date PRIMARY KEY); `,
    );
    const { logs } = await run(both);
    expect(await rows(servers.admin, `SELECT COUNT(*) FROM ${both.name}.k`)).toEqual([["4"]]);
    expect(logs.join("\n")).toContain("table public.l is copied again with a longer type for column t");
    await expect(
      servers.admin.query(`INSERT INTO ${both.name}.l (id, t) VALUES (9, REPEAT('x', 1000))`),
    ).rejects.toMatchObject({ errno: 1062 });
  });

  test("a value in a key that only NULL could stand for fails the run by name", async () => {
    const both = await pair(servers, "CREATE TABLE d (d date PRIMARY KEY); INSERT INTO d VALUES ('infinity')");
    await expect(run(both)).rejects.toMatchObject({ code: "value_in_key", retryable: false });
  });
});
