import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type AnyFlavour, pair, rows, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Each case: MySQL's type, values as its SQL literals, the target's type and the target's own text of the values. */
type Case = [name: string, type: string, values: string[], target: string, expected: (string | null)[]];

const allBytes = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0")).join("");

const cases: Case[] = [
  ["flag", "tinyint(1)", ["0", "1", "NULL"], "boolean", ["false", "true", null]],
  ["flag_two", "tinyint(1)", ["0", "2", "-1"], "smallint", ["0", "2", "-1"]],
  ["tiny", "tinyint", ["-128", "127"], "smallint", ["-128", "127"]],
  ["tiny_u", "tinyint unsigned", ["0", "255"], "smallint", ["0", "255"]],
  ["small_u", "smallint unsigned", ["0", "65535"], "integer", ["0", "65535"]],
  ["medium_u", "mediumint unsigned", ["0", "16777215"], "integer", ["0", "16777215"]],
  ["medium", "mediumint", ["-8388608", "8388607"], "integer", ["-8388608", "8388607"]],
  ["int_s", "int", ["-2147483648", "2147483647"], "integer", ["-2147483648", "2147483647"]],
  ["int_u", "int unsigned", ["4294967295"], "bigint", ["4294967295"]],
  ["int_z", "int(8) zerofill", ["42"], "bigint", ["42"]],
  [
    "big",
    "bigint",
    ["-9223372036854775808", "9223372036854775807"],
    "bigint",
    ["-9223372036854775808", "9223372036854775807"],
  ],
  ["big_u_fits", "bigint unsigned", ["9223372036854775807", "0"], "bigint", ["9223372036854775807", "0"]],
  ["big_u", "bigint unsigned", ["18446744073709551615", "0"], "numeric(20,0)", ["18446744073709551615", "0"]],
  ["big_u_one", "bigint unsigned zerofill", ["9223372036854775808"], "numeric(20,0)", ["9223372036854775808"]],
  [
    "dec_s",
    "decimal(65,30)",
    ["-12345678901234567890123456789012345.123456789012345678901234567891", "0"],
    "numeric(65,30)",
    ["-12345678901234567890123456789012345.123456789012345678901234567891", "0.000000000000000000000000000000"],
  ],
  ["dec_0", "decimal(10)", ["1234567890"], "numeric(10,0)", ["1234567890"]],
  [
    "float_s",
    "float",
    ["16777216", "3.4028234e38", "-1.17549435e-38", "0.1"],
    "real",
    ["1.6777216e+07", "3.4028235e+38", "-1.1754944e-38", "0.1"],
  ],
  [
    "double_s",
    "double",
    ["1.7976931348623157e308", "2.2250738585072014e-308", "0.1", "123456789.12345679"],
    "double precision",
    ["1.7976931348623157e+308", "2.2250738585072014e-308", "0.1", "123456789.12345679"],
  ],
  ["bit_one", "bit(1)", ["b'0'", "b'1'", "NULL"], "boolean", ["false", "true", null]],
  ["bit_ten", "bit(10)", ["b'1000000001'", "b'0'"], "bit(10)", ["1000000001", "0000000000"]],
  ["bit_64", "bit(64)", ["18446744073709551615", "b'1'"], "bit(64)", ["1".repeat(64), `${"0".repeat(63)}1`]],
  ["char_s", "char(10)", ["'a'", "''", "' b'", "'\\\\N'"], "character varying(10)", ["a", "", " b", "\\N"]],
  [
    "varchar_s",
    "varchar(50)",
    [
      "'tab\\there'",
      "'line\\nend\\r'",
      "'back\\\\slash'",
      "'\\\\N'",
      "'\\\\.'",
      "''",
      "NULL",
      "'NULL'",
      "'é漢😀𝒳'",
      "'\\b\\v\\f'",
      "'trail '",
    ],
    "character varying(50)",
    ["tab\there", "line\nend\r", "back\\slash", "\\N", "\\.", "", null, "NULL", "é漢😀𝒳", "\bvf", "trail "],
  ],
  ["latin", "varchar(20) character set latin1", ["'äöü€ÿ'", "_latin1 x'80'"], "character varying(20)", ["äöü€ÿ", "€"]],
  // latin1 is cp1252; bytes that it leaves out are control characters, and UTF-8 under its label is what it reads as.
  [
    "latin_odd",
    "varchar(20) character set latin1",
    ["_latin1 x'818d8f909d'", "_latin1 x'c3a9'"],
    "character varying(20)",
    ["\u0081\u008d\u008f\u0090\u009d", "Ã©"],
  ],
  ["utf16", "varchar(20) character set utf16", ["'é😀'"], "character varying(20)", ["é😀"]],
  ["text_s", "longtext", ["'x'", "''"], "text", ["x", ""]],
  ["nul", "text", ["'a\\0b'"], "text", ["ab"]],
  ["bin", "binary(4)", ["x'00ff'", "'\\\\N'"], "bytea", ["\\x00ff0000", "\\x5c4e0000"]],
  ["varbin", "varbinary(300)", [`x'${allBytes}'`, "x''", "NULL"], "bytea", [`\\x${allBytes}`, "\\x", null]],
  ["blob_s", "longblob", [`x'${allBytes}'`], "bytea", [`\\x${allBytes}`]],
  [
    "date_s",
    "date",
    ["'0001-01-01'", "'9999-12-31'", "'2000-02-29'", "'0000-00-00'", "'2004-00-12'", "'0000-01-01'", "NULL"],
    "date",
    ["0001-01-01", "9999-12-31", "2000-02-29", null, null, null, null],
  ],
  ["date_nn", "date not null", ["'0000-00-00'", "'1999-12-31'"], "date", [null, "1999-12-31"]],
  [
    "datetime_s",
    "datetime",
    ["'1000-01-01 00:00:00'", "'9999-12-31 23:59:59'", "'0000-00-00 00:00:00'"],
    "timestamp(0) without time zone",
    ["1000-01-01 00:00:00", "9999-12-31 23:59:59", null],
  ],
  [
    "datetime_f",
    "datetime(6)",
    ["'2024-03-31 02:30:00.123456'"],
    "timestamp(6) without time zone",
    ["2024-03-31 02:30:00.123456"],
  ],
  [
    "ts",
    "timestamp(3) null",
    ["'1970-01-01 00:00:01.5'", "'2038-01-19 03:14:07.999'", "0"],
    "timestamp(3) with time zone",
    ["1970-01-01 00:00:01.5+00", "2038-01-19 03:14:07.999+00", null],
  ],
  ["time_s", "time(2)", ["'00:00:00'", "'23:59:59.99'"], "time(2) without time zone", ["00:00:00", "23:59:59.99"]],
  [
    "time_w",
    "time",
    ["'838:59:59'", "'-838:59:59'", "'12:00:00'"],
    "interval(0)",
    ["838:59:59", "-838:59:59", "12:00:00"],
  ],
  ["time_24", "time", ["'24:00:00'"], "interval(0)", ["24:00:00"]],
  ["year_s", "year", ["1901", "2155", "0"], "smallint", ["1901", "2155", "0"]],
  [
    "json_s",
    "json",
    [`'{"a": [1, 2.5, null, "é"], "b": {"c": true}}'`, "NULL", "'\"x\\\\n\"'"],
    "jsonb",
    ['{"a": [1, 2.5, null, "é"], "b": {"c": true}}', null, '"x\\n"'],
  ],
  [
    "enum_s",
    "enum('a','it''s','é \\\\ x','')",
    ["'it''s'", "'é \\\\ x'", "''", "NULL"],
    "enum",
    ["it's", "é \\ x", "", null],
  ],
  ["enum_0", "enum('a','b')", ["'b'", "'nope'"], "enum", ["b", ""]],
  ["enum_long", `enum('${"l".repeat(64)}','k')`, ["'k'"], "text", ["k"]],
  [
    "set_s",
    "set('a','b\"q','c\\\\d','e f')",
    ["'a,b\"q,c\\\\d,e f'", "''", "NULL"],
    "text[]",
    ['{a,"b\\"q","c\\\\d","e f"}', "{}", null],
  ],
  [
    "point_srid",
    "point",
    ["ST_GeomFromText('POINT(1 2)', 3857)", "ST_GeomFromText('POINT(1 2)', 0)", "NULL"],
    "bytea",
    ["\\x0101000000000000000000f03f0000000000000040", "\\x0101000000000000000000f03f0000000000000040", null],
  ],
  ["point_s", "point", ["ST_GeomFromText('POINT(1 2)')"], "bytea", ["\\x0101000000000000000000f03f0000000000000040"]],
];

const maria: Case[] = [
  ["uuid_s", "uuid", ["'123e4567-e89b-12d3-a456-426614174000'"], "uuid", ["123e4567-e89b-12d3-a456-426614174000"]],
  ["inet4_s", "inet4", ["'1.2.3.4'"], "inet", ["1.2.3.4/32"]],
  ["inet6_s", "inet6", ["'2001:db8::1'", "'::ffff:1.2.3.4'"], "inet", ["2001:db8::1/128", "::ffff:1.2.3.4/128"]],
  ["json_twice", "json", [`'{"a": 1, "a": 2}'`], "json", ['{"a": 1, "a": 2}']],
  ["json_nul", "json", [`'"\\\\u0000"'`], "json", ['"\\u0000"']],
];

const own: Case[] = [
  ["json_nul", "json", [`'"\\\\u0000"'`], "json", ['"\\u0000"']],
  ["json_zero", "json", ["cast(-0e0 as json)", "'[1]'"], "json", ["-0.0", "[1]"]],
];

describe.each<[AnyFlavour, Case[]]>([
  ["mariadb", [...cases, ...maria]],
  ["mariadb-11", [...cases, ...maria]],
  ["mysql", [...cases, ...own]],
])("types of %s", (flavour, all) => {
  let servers: Servers;
  let read: (sql: string) => Promise<(string | null)[][]>;
  let warnings: string[];

  beforeAll(async () => {
    servers = await startServers(flavour);
    await servers.admin.query("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
    const statements = all.flatMap(([name, type, values]) => [
      `CREATE TABLE \`${name}\` (id int PRIMARY KEY, v ${type})`,
      `INSERT INTO \`${name}\` VALUES ${values.map((value, index) => `(${index}, ${value})`).join(", ")}`,
    ]);
    const both = await pair(servers, statements.join("; "));
    read = (sql) => rows(both.pg, sql);
    const { report } = await run(both);
    warnings = report.warnings;
  });
  afterAll(() => servers?.close());

  test.each(all)("%s: %s keeps its values", async (name, _type, _values, target, expected) => {
    const got = await read(`SELECT v::text FROM public."${name}" ORDER BY id`);
    expect(got.map(([value]) => value)).toEqual(expected);
    const [[type, isEnum] = []] = await read(
      `SELECT format_type(atttypid, atttypmod), typtype FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
        WHERE attrelid = 'public."${name}"'::regclass AND attname = 'v'`,
    );
    expect(isEnum === "e" ? "enum" : type).toBe(target);
  });

  test("what had to be given up is said by column and number", () => {
    expect(warnings).toContain("column nul.v: 1 NUL bytes were removed, which PostgreSQL cannot store in text");
    expect(warnings).toContain(
      "column point_srid.v: 1 geometries have an SRID other than 0 (as 3857), which the well-known binary in bytea does not carry",
    );
    expect(warnings.join()).not.toContain("column point_s.v");
    expect(warnings).toContain("column date_s.v: 3 dates that do not exist (as 0000-00-00) became NULL");
    expect(warnings).toContain("column date_nn.v: 1 dates that do not exist (as 0000-00-00) became NULL");
  });
});
