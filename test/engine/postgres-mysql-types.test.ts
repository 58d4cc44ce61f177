import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { CopyReport } from "../../src/engine/contract.ts";
import type { Flavour } from "./mysql-support.ts";
import { pair, rows, run, type Servers, startServers } from "./postgres-mysql-support.ts";

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
];

const prepare = `CREATE TYPE mood AS ENUM ('sad', 'it''s "ok"', ''); CREATE TYPE odd AS ENUM ('a', 'a ');
  CREATE DOMAIN positive AS integer CHECK (VALUE > 0); CREATE TYPE duo AS (a integer, b mood);`;

describe.each<[Flavour, "postgres" | "postgres-old"]>([
  ["mysql", "postgres"],
  ["mariadb", "postgres-old"],
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
    expect(type?.replace(/^(smallint|int|bigint)\(\d+\)$/, "$1")).toBe(target);
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
    expect(report.warnings).toContain(
      "column public.day.v: 3 values that MySQL does not know (as infinity) became NULL",
    );
    expect(report.warnings).toContain("column public.dec.v: 1 values that MySQL does not know (as NaN) became NULL");
    expect(report.warnings).toContain(
      "column public.day_nn.v: 1 values that MySQL does not know (as infinity) became NULL",
    );
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
