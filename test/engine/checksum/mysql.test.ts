import type mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { verify } from "../../../src/engine/verify/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";

/** Every type of MySQL and MariaDB on the servers that a copy may bring it to: equal there, and one change in each is found. */

type Engine = "mysql" | "mariadb" | "postgres";
/** Type; a value; the least that the copy can change by, in MySQL's SQL for `v`, and in PostgreSQL's. */
type Case = [name: string, type: string, value: string, mysql: string, postgres: string];

const cases: Case[] = [
  ["tiny", "TINYINT", "-128", "v + 1", "v + 1"],
  ["flag", "TINYINT(1)", "1", "0", "NOT v"],
  ["flag_two", "TINYINT(1)", "2", "1", "1"],
  ["small", "SMALLINT UNSIGNED", "65535", "v - 1", "v - 1"],
  ["medium", "MEDIUMINT", "-8388608", "v + 1", "v + 1"],
  ["filled", "INT(8) UNSIGNED ZEROFILL", "42", "43", "43"],
  ["big", "BIGINT", "-9223372036854775808", "v + 1", "v + 1"],
  ["big_u", "BIGINT UNSIGNED", "18446744073709551615", "v - 1", "v - 1"],
  ["deci", "DECIMAL(20,6)", "-1.500000", "v + 0.000001", "v + 0.000001"],
  ["deci_filled", "DECIMAL(10,2) UNSIGNED ZEROFILL", "7.1", "7.11", "7.11"],
  ["flo", "FLOAT", "0.1", "0.10000001", "v + 7e-9::float8"],
  ["flo_big", "FLOAT", "16777216", "16777214", "16777214"],
  ["dou", "DOUBLE", "0.1", "v * (1 + 4e-16)", "v * (1 + 4e-16::float8)"],
  ["dou_exp", "DOUBLE", "1e300", "v * (1 + 4e-16)", "v * (1 + 4e-16::float8)"],
  ["dou_scale", "DOUBLE(10,2)", "1.25", "1.26", "1.26"],
  ["dou_zero", "DOUBLE", "-0e0", "5e-324", "5e-324"],
  ["b1", "BIT(1)", "b'1'", "b'0'", "NOT v"],
  ["b9", "BIT(9)", "b'101010101'", "v ^ 1", "v # B'000000001'"],
  ["b64", "BIT(64)", "b'1111111111111111111111111111111111111111111111111111111111111111'", "v ^ 1", "~v"],
  ["cha", "CHAR(10)", "'pad  '", "'paD'", "'paD'"],
  ["vc", "VARCHAR(200)", "'naïve 😀 ''q\"\\\\'", "CONCAT(v, ' ')", "v || ' '"],
  ["vc_latin1", "VARCHAR(50) CHARACTER SET latin1", "'café €'", "'cafe €'", "'cafe €'"],
  ["vc_ucs2", "VARCHAR(50) CHARACTER SET ucs2", "'é漢'", "'é漣'", "'é漣'"],
  ["vc_utf16", "VARCHAR(50) CHARACTER SET utf16", "'😀'", "'😁'", "'😁'"],
  ["vc_sjis", "VARCHAR(50) CHARACTER SET sjis", "'ソ能'", "'ソ'", "'ソ'"],
  ["vc_gbk", "TEXT CHARACTER SET gbk", "'漢字'", "'漢'", "'漢'"],
  ["vc_ci", "VARCHAR(50) COLLATE utf8mb4_unicode_ci", "'Straße'", "'Strasse'", "'Strasse'"],
  ["txt", "LONGTEXT", "REPEAT('long ', 10000)", "INSERT(v, 40001, 1, 'x')", "overlay(v placing 'x' from 40001 for 1)"],
  ["nul", "TEXT", "CONCAT('nul', CHAR(0 USING utf8mb4), 'byte')", "'nul'", "'nul byte'"],
  ["bin", "BINARY(4)", "'ab'", "'ac'", "'\\x61620001'"],
  ["vbin", "VARBINARY(10)", "x'00ff'", "x'00ff00'", "'\\x00ff00'"],
  ["blo", "BLOB", "x''", "x'00'", "'\\x00'"],
  ["blo_long", "LONGBLOB", "REPEAT(x'00ff', 50000)", "INSERT(v, 501, 1, 'x')", "set_byte(v, 500, 1)"],
  ["day", "DATE", "'2020-02-29'", "'2020-02-28'", "'2020-02-28'"],
  ["day_zero", "DATE", "'0000-00-00'", "'0001-01-01'", "'0001-01-01'"],
  ["day_part", "DATE", "'2020-02-00'", "'2020-02-01'", "'2020-02-01'"],
  ["dt", "DATETIME(6)", "'1999-12-31 23:59:59.999990'", "v + INTERVAL 1 MICROSECOND", "v + interval '1 us'"],
  ["dt_zero", "DATETIME", "'2000-00-10 01:02:03'", "'2000-01-10 01:02:03'", "'2000-01-10 01:02:03'"],
  ["ts", "TIMESTAMP(3) NULL", "'2001-01-01 00:00:00.5'", "v + INTERVAL 1 HOUR", "v + interval '1 hour'"],
  ["ts_zero", "TIMESTAMP NULL", "'0000-00-00 00:00:00'", "'1970-01-02 00:00:00'", "'1970-01-02 00:00:00'"],
  ["ti", "TIME(3)", "'12:34:56.78'", "'12:34:56.781'", "'12:34:56.781'"],
  ["ti_long", "TIME", "'838:59:59'", "'838:59:58'", "'838:59:58'"],
  ["ti_minus", "TIME(2)", "'-00:00:01.5'", "'00:00:01.5'", "'00:00:01.5'"],
  ["yea", "YEAR", "1901", "1902", "1902"],
  ["yea_zero", "YEAR", "0", "1901", "1901"],
  [
    "js",
    "JSON",
    `'{"b": [1, 2.50, -0.1, 1e30], "a": {"z": null, "y": "\\\\u00e9\\\\n"}}'`,
    "JSON_SET(v, '$.b[0]', 2)",
    `'{"b": 1}'`,
  ],
  ["js_text", "JSON", `'"s"'`, `'"S"'`, `'"S"'`],
  ["js_nul", "JSON", `'"a\\\\u0000b"'`, `'"ab"'`, `'"ab"'`],
  ["enu", "ENUM('a','ü','c,d')", "'ü'", "'c,d'", "'c,d'"],
  ["enu_none", "ENUM('a','b')", "0", "'a'", "'a'"],
  ["se", "SET('x','y z','w')", "'x,w'", "'x'", "'{x}'"],
  ["se_none", "SET('x','y')", "''", "'x'", "'{x}'"],
  ["pt", "POINT", "POINT(1.5, -2)", "POINT(1.5, -3)", "set_byte(v, 20, 1)"],
  [
    "geo",
    "GEOMETRY",
    "ST_GeomFromText('LINESTRING(0 0, 1 1)')",
    "ST_GeomFromText('LINESTRING(0 0, 1 2)')",
    "set_byte(v, 40, 1)",
  ],
];
const ofMaria: Case[] = [
  [
    "uid",
    "UUID",
    "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'",
    "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'",
    "'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a12'",
  ],
  ["ip4", "INET4", "'10.0.0.1'", "'10.0.0.2'", "'10.0.0.2'"],
  ["ip6", "INET6", "'2001:db8::1'", "'2001:db8::2'", "'2001:db8::2'"],
  ["js_odd", "JSON", `'{"a":1,  "a":2}'`, `'{"a":3}'`, `'{"a":3}'`],
];

const servers = new Map<Engine, Database>();
const admins = new Map<Engine, mysql.Connection>();
beforeAll(async () => {
  const kinds: Engine[] = ["mysql", "mariadb", "postgres"];
  await Promise.all(
    kinds.map(async (kind) => {
      const server = await borrowDatabase(kind, kind === "postgres" ? {} : { args: ["--local-infile=1"] });
      servers.set(kind, server);
      if (kind === "postgres") return;
      const admin = await mysqlAs(server.adminUrl);
      await admin.query("SET SESSION sql_mode = '', time_zone = '+00:00'");
      admins.set(kind, admin);
    }),
  );
});
afterAll(async () => {
  await Promise.all([...admins.values()].map((admin) => admin.end()));
  await Promise.all([...servers.values()].map((server) => server.stop()));
});

const directions: ["mysql" | "mariadb", Engine][] = [
  ["mysql", "mariadb"],
  ["mariadb", "mysql"],
  ["mysql", "postgres"],
  ["mariadb", "postgres"],
];

describe.each(directions)("values of %s in %s", (from, to) => {
  const [name, other] = [`${from}_${to}`, `in_${from}_${to}`];
  const all = from === "mariadb" ? [...cases, ...ofMaria] : cases;
  const at = {
    get source() {
      return endpoint((servers.get(from) as Database).urlOf(name, "admin"), "mysql");
    },
    get target() {
      return endpoint((servers.get(to) as Database).urlOf(other, "admin"), to === "postgres" ? "postgres" : "mysql");
    },
  };
  /** Statements in the target, one after another. */
  const inTarget = async (statements: readonly string[], database = true) => {
    if (to !== "postgres") {
      for (const sql of database ? [`USE ${other}`, ...statements] : statements) await admins.get(to)?.query(sql);
      return;
    }
    const server = servers.get(to) as Database;
    const client = new pg.Client({ connectionString: database ? server.urlOf(other, "admin") : server.adminUrl });
    await client.connect();
    await client.query("SET TimeZone = 'UTC'");
    for (const sql of statements) await client.query(sql);
    await client.end();
  };

  test("the copy compares itself, equal in every type, and nothing is left out of the comparison", async () => {
    const tables = all.map(
      ([table, type, value]) =>
        `CREATE TABLE ${table} (id INT PRIMARY KEY, v ${type}) CHARACTER SET utf8mb4; INSERT INTO ${table} VALUES (1, ${value}), (2, ${value}), (3, NULL)`,
    );
    await admins.get(from)?.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4; USE ${name}; ${tables.join("; ")}`);
    await inTarget([`CREATE DATABASE ${other}`], false);
    const { report } = await run(at, { options: { jobs: 2, verify: "checksum" } });
    expect(report.verification?.uncompared).toEqual([]);
    expect(report.verification).toMatchObject({ tables: all.length, rows: 3 * all.length, differences: [] });
  });

  test("one changed value of each type is found and named by its key", async () => {
    await inTarget(
      all.map(
        ([table, , , mysql, postgres]) =>
          `UPDATE ${table} SET v = ${to === "postgres" ? postgres : mysql} WHERE id = 2`,
      ),
    );
    const { verification } = await verify(
      { ...at, options: { jobs: 2 } },
      { signal: new AbortController().signal, progress: () => undefined, log: () => undefined },
    );
    expect(verification.uncompared).toEqual([]);
    const found = new Map(verification.differences.map(({ source, keys }) => [source.split(".")[1], keys]));
    expect(all.map(([table]) => [table, found.get(table)])).toEqual(
      all.map(([table]) => [table, [{ key: '{"id":"2"}', what: "different" }]]),
    );
  });
});
