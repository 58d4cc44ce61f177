import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { verify } from "../../../src/engine/verify/index.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { type Pair, pair, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Every type of PostgreSQL in MySQL, as a copy by the engine made it: compared by values, and one change in each is found. */

/** MariaDB has no −0.0: there the zeros are the same. */
const otherZero = "IF(VERSION() LIKE '%Maria%', 5e-324, 0)";

/** Type in PostgreSQL; a value; the least that the copy can change by, in MySQL's SQL for the column `v`. */
const cases: [name: string, type: string, value: string, changed: string][] = [
  ["bool", "boolean", "true", "0"],
  ["int2", "smallint", "-32768", "v + 1"],
  ["int4", "integer", "2147483647", "v - 1"],
  ["int8", "bigint", "9223372036854775807", "v - 1"],
  ["oid", "oid", "4294967295", "v - 1"],
  ["xid", "xid", "'4294967295'", "v - 1"],
  ["cid", "cid", "'7'", "v - 1"],
  ["xid8", "xid8", "'18446744073709551615'", "v - 1"],
  ["dec", "numeric(20,5)", "-12345.67890", "v + 0.00001"],
  ["dec_nan", "numeric(20,5)", "'NaN'", "0"],
  ["dec_below", "numeric(3,5)", "0.00999", "v + 0.00001"],
  ["dec_round", "numeric(5,-2)", "12300", "v + 1"],
  ["dec_any", "numeric", "1.50", "v + 0.000000000000000000000000000001"],
  ["dec_deep", "numeric", "1e-40", "CONCAT(v, '1')"],
  ["real", "real", "0.1", "v * (1 + 4e-16)"],
  ["real_inf", "real", "'Infinity'", "3.4028235e38"],
  ["real_zero", "real", "'-0'", otherZero],
  ["dbl", "double precision", "0.1", "v * (1 + 4e-16)"],
  ["dbl_big", "double precision", "1.7976931348623157e308", "v * (1 - 4e-16)"],
  ["dbl_tiny", "double precision", "5e-324", "1e-323"],
  ["dbl_zero", "double precision", "'-0'", otherZero],
  ["dbl_nan", "double precision", "'NaN'", "0"],
  ["dbl_exp", "double precision", "1e-7", "v * (1 + 4e-16)"],
  ["cash", "money", "'-12.34'", "v + 0.01"],
  ["vc", "varchar(10)", "'é漢😀'", "CONCAT(v, ' ')"],
  ["vc_case", "varchar(10)", "'abc'", "'aBc'"],
  ["vc_empty", "varchar(10)", "''", "NULL"],
  ["vc_null", "varchar(10)", "NULL", "''"],
  ["vc_long", "varchar(5000)", "repeat('é', 5000)", "CONCAT(LEFT(v, 4999), 'e')"],
  ["ch", "char(5)", "'ab'", "'aB'"],
  ["ch_long", "char(300)", "'ab'", "'a b'"],
  ["txt", "text", "E'a\\tb\\\\N\\r\\n'", "CONCAT(v, ' ')"],
  ["txt_long", "text", "repeat('0123456789', 20000)", "INSERT(v, 150000, 1, 'x')"],
  ["name", "name", "'me'", "'me '"],
  ["ch1", '"char"', "'x'", "'X'"],
  ["bin", "bytea", "'\\x00ff5c'", "x'00ff5d'"],
  ["bin_empty", "bytea", "''", "x'00'"],
  ["bin_long", "bytea", "decode(repeat('00ff', 50000), 'hex')", "INSERT(v, 5000, 1, 'x')"],
  ["day", "date", "'2024-02-29'", "v + INTERVAL 1 DAY"],
  ["day_inf", "date", "'infinity'", "'9999-12-31'"],
  ["day_bc", "date", "'0044-03-15 BC'", "'0044-03-15'"],
  ["stamp", "timestamp", "'2024-03-31 02:30:00.123456'", "v + INTERVAL 1 MICROSECOND"],
  ["stamp_inf", "timestamp", "'-infinity'", "'0001-01-01'"],
  ["stamp_3", "timestamp(3)", "'2024-03-31 02:30:00.100'", "v + INTERVAL 1000 MICROSECOND"],
  ["stamptz", "timestamptz", "'2024-03-31 02:30:00.123+05:30'", "v + INTERVAL 1 HOUR"],
  ["clock", "time", "'24:00:00'", "'00:00:00'"],
  ["clock_us", "time", "'01:02:03.000004'", "'01:02:03.000005'"],
  ["clocktz", "timetz", "'23:59:59+15:59'", "'23:59:59+15:58'"],
  ["span", "interval", "'1 mon -1 day 00:00:00.5'", "'1 mon -1 days +00:00:00.6'"],
  ["uid", "uuid", "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'", "REPLACE(v, '11', '12')"],
  ["js", "json", `'{"b":  1.5, "a": [1, "é\\"", null]}'`, "JSON_SET(v, '$.b', 1.6)"],
  ["jb", "jsonb", `'{"z": true, "aa": 12345678901234567, "d": {}}'`, "JSON_SET(v, '$.aa', 12345678901234568)"],
  ["jb_text", "jsonb", `'{"z": "1"}'`, "JSON_SET(v, '$.z', 1)"],
  ["jb_exp", "jsonb", `'[1e-7, 1.50, 100000000000000000000]'`, "JSON_SET(v, '$[0]', 2e-7)"],
  ["jb_null", "jsonb", "'null'", "NULL"],
  ["ints", "integer[]", "'{1,NULL,3}'", "JSON_SET(v, '$[1]', 0)"],
  ["texts", "text[]", `ARRAY['a"b', NULL, '', 'NULL', E'x\\\\y,{}']`, "JSON_SET(v, '$[2]', ' ')"],
  ["deep", "integer[][]", "'{{1,2},{3,4}}'", "JSON_SET(v, '$[1][1]', 5)"],
  ["bools", "boolean[]", "'{t,f}'", "JSON_SET(v, '$[1]', true)"],
  ["decs", "numeric[]", "'{1.10,2}'", "JSON_SET(v, '$[0]', 1.2)"],
  ["days", "date[]", "'{2024-02-29,infinity}'", "JSON_SET(v, '$[0]', '2024-02-28')"],
  ["bins", "bytea[]", "ARRAY['\\x00ff'::bytea]", "JSON_SET(v, '$[0]', '\\\\\\\\x00fe')"],
  ["docs", "jsonb[]", `ARRAY['{"a": 1}'::jsonb]`, "JSON_SET(v, '$[0].a', 2)"],
  ["no_ints", "integer[]", "'{}'", "'[null]'"],
  ["comp", "duo", "ROW(1, 'sad')", "JSON_SET(v, '$.a', 2)"],
  ["store", "hstore", "'a=>1, b=>NULL'", "JSON_SET(v, '$.a', '2')"],
  ["cit", "citext", "'Case'", "'case'"],
  ["moods", "mood", `'it''s "ok"'`, "'sad'"],
  ["odds", "odd", "'a '", "'a'"],
  ["pos", "positive", "7", "8"],
  ["chars", "tag", "'ab'", "'ab '"],
  ["r4", "int4range", "'[1,10)'", "'[1,11)'"],
  ["r8", "int8range", "'empty'", "'[1,2)'"],
  ["rn", "numrange", "'(1.50,)'", "'(1.5,)'"],
  ["rd", "daterange", "'[2024-01-01,infinity]'", "'[2024-01-02,infinity]'"],
  ["rt", "tstzrange", "'[2024-01-01 00:00:00+02,)'", `'["2024-01-01 00:00:00+00",)'`],
  ["mr", "int4multirange", "'{[1,2),[5,6)}'", "'{[1,2),[5,7)}'"],
  ["ip", "inet", "'10.0.0.1'", "'10.0.0.2'"],
  ["ips", "inet", "'::1/64'", "'::1'"],
  ["net", "cidr", "'10.0.0.0/8'", "'10.0.0.0/9'"],
  ["mac", "macaddr", "'08:00:2b:01:02:03'", "'08:00:2b:01:02:04'"],
  ["mac8", "macaddr8", "'08:00:2b:01:02:03:04:05'", "'08:00:2b:01:02:03:04:06'"],
  ["lsn", "pg_lsn", "'16/B374D848'", "'16/B374D849'"],
  ["tid", "tid", "'(1,2)'", "'(1,3)'"],
  ["pt", "point", "'(1,2.5)'", "POINT(1, 2.6)"],
  ["ln", "line", "'{1,2,3}'", "'{1,2,4}'"],
  ["seg", "lseg", "'[(0,0),(1,1)]'", "'[(0,0),(1,2)]'"],
  ["bx", "box", "'(1,1),(0,0)'", "'(1,1),(0,-0)'"],
  ["pth", "path", "'((0,0),(1,1))'", "'[(0,0),(1,1)]'"],
  ["poly", "polygon", "'((0,0),(1,1),(1,0))'", "ST_GeomFromText('POLYGON((0 0,1 1,1 2,0 0))')"],
  ["circ", "circle", "'<(0,0),1>'", "'<(0,0),2>'"],
  ["x", "xml", "'<a>b</a>'", "'<a>b </a>'"],
  ["tsv", "tsvector", "'fat cats'", "'fat cat'"],
  ["tsq", "tsquery", "'fat & cat'", "'fat | cat'"],
  ["jp", "jsonpath", "'$.a[*]'", "'$.b[*]'"],
  ["b10", "bit(10)", "B'1000000001'", "v ^ 1"],
  ["b64", "bit(64)", `B'${"1".repeat(64)}'`, "v ^ 1"],
  ["b65", "bit(65)", `B'${"1".repeat(65)}'`, "INSERT(v, 65, 1, '0')"],
  ["bv", "bit varying", "B'0101'", "'101'"],
  ["snap", "pg_snapshot", "'10:20:10,14'", "'10:20:10,15'"],
  ["iv", "int2vector", "'1 2'", "JSON_SET(v, '$[1]', 3)"],
  ["ov", "oidvector", "'1 2'", "JSON_SET(v, '$[1]', 3)"],
];

const prepare = `CREATE EXTENSION hstore; CREATE EXTENSION citext;
  CREATE TYPE mood AS ENUM ('sad', 'it''s "ok"', ''); CREATE TYPE odd AS ENUM ('a', 'a ');
  CREATE DOMAIN positive AS integer CHECK (VALUE > 0); CREATE DOMAIN tag AS varchar(12); CREATE TYPE duo AS (a integer, b mood);`;

describe.each<[Flavour, "postgres" | "postgres-old"]>([
  ["mysql", "postgres"],
  ["mariadb", "postgres-old"],
])("values of PostgreSQL in %s from %s", (flavour, from) => {
  let servers: Servers;
  let both: Pair;

  beforeAll(async () => {
    servers = await startServers(flavour, from);
    const tables = cases.map(
      ([name, type, value]) =>
        `CREATE TABLE "${name}" (id int PRIMARY KEY, v ${type}); INSERT INTO "${name}" VALUES (1, ${value}), (2, ${value}), (3, NULL);`,
    );
    both = await pair(servers, prepare + tables.join("\n"));
  });
  afterAll(() => servers?.close());

  const compare = () =>
    verify(
      { ...both, options: { jobs: 2 } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );

  test("the copy compares itself, equal in every type, and says what it could not compare", async () => {
    const { report } = await run(both, { options: { jobs: 2, verify: "checksum" } });
    expect(report.verification).toMatchObject({ tables: cases.length, rows: 3 * cases.length, uncompared: [] });
    expect(report.verification?.differences).toEqual([]);
  });

  test("one changed value of each type is found and named by its key", async () => {
    await servers.admin.query(`SET SESSION sql_mode = ''`);
    for (const [name, , , changed] of cases)
      await servers.admin.query(`UPDATE ${both.name}.\`${name}\` SET v = ${changed} WHERE id = 2`);
    const { verification } = await compare();
    expect(verification.uncompared).toEqual([]);
    const found = new Map(verification.differences.map(({ source, keys }) => [source.split(".")[1], keys]));
    expect(cases.map(([name]) => [name, found.get(name)])).toEqual(
      cases.map(([name]) => [name, [{ key: '{"id":"2"}', what: "different" }]]),
    );
  });
});
