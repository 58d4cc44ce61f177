import type mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { connect as connectMysql } from "../../../src/engine/mysql/driver/session.ts";
import { connect as connectPostgres } from "../../../src/engine/postgres/driver/connection.ts";
import { compareTables, type SideSessions, type TablePair } from "../../../src/engine/verify/checksum/index.ts";
import { chosenSeed } from "../../seed.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";

/**
 * The same 10,000 rows in each server, made by its own SQL; then one bit is another in one of them. `npm run chaos` does it with
 * 10,000,000.
 */

const rows = 10_000;
const columns = ["id", "name", "amount", "made", "bytes", "ratio", "single", "doc", "flag"];
const kinds = ["mysql", "mariadb", "postgres", "postgres-old"] as const;
type Kind = (typeof kinds)[number];

const seed = chosenSeed();
let state = seed;
const random = (below: number) => {
  state = (Math.imul(state, 1103515245) + 12345) >>> 0;
  return Math.floor((state / 2 ** 32) * below);
};

const servers = new Map<Kind, Database>();
const sides = new Map<Kind, SideSessions>();
const ends: (() => Promise<unknown>)[] = [];
const run = new Map<Kind, (sql: string) => Promise<unknown>>();

const mysqlTable = `CREATE TABLE t (id INT PRIMARY KEY, name VARCHAR(80) NOT NULL, amount DECIMAL(12,3) NOT NULL, made DATETIME(3) NOT NULL,
  bytes VARBINARY(32) NOT NULL, ratio DOUBLE NOT NULL, single FLOAT NOT NULL, doc JSON NOT NULL, flag TINYINT(1) NOT NULL) CHARACTER SET utf8mb4;
INSERT INTO t SELECT n, CONCAT('röw ', n), n * 1.25, TIMESTAMPADD(MICROSECOND, n * 61001000, '2001-02-03 04:05:06'), UNHEX(SHA2(n, 256)), n / 7e0, n / 8e0,
  CONCAT('{"a": [true, null, "x', n, '"], "b": ', n, '}'), n % 2
FROM (SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 1 AS n FROM digit a, digit b, digit c, digit d) numbers;
ANALYZE TABLE t`;
const postgresTable = `CREATE TABLE t (id integer PRIMARY KEY, name varchar(80) NOT NULL, amount numeric(12,3) NOT NULL, made timestamp(3) NOT NULL,
  bytes bytea NOT NULL, ratio double precision NOT NULL, single real NOT NULL, doc jsonb NOT NULL, flag boolean NOT NULL);
INSERT INTO t SELECT n, 'röw ' || n, n * 1.25, timestamp '2001-02-03 04:05:06' + n * interval '61001 ms', sha256(n::text::bytea), n / 7e0::float8, n / 8e0::float8,
  ('{"a": [true, null, "x' || n || '"], "b": ' || n || '}')::jsonb, n % 2 = 1 FROM generate_series(1, ${rows}) n; ANALYZE t`;

/** Keys that are no integers, and none; a value for each number up to 2,000. */
const keyed: Record<string, { mysql: string; postgres: string }> = {
  by_uuid: {
    mysql:
      "k CHAR(36) CHARACTER SET ascii PRIMARY KEY, v INT) AS SELECT INSERT(INSERT(INSERT(INSERT(MD5_(n), 9, 0, '-'), 14, 0, '-'), 19, 0, '-'), 24, 0, '-') k, n v",
    postgres:
      "k uuid PRIMARY KEY, v int); INSERT INTO by_uuid SELECT left(encode(sha256(n::text::bytea), 'hex'), 32)::uuid, n",
  },
  by_bytes: {
    mysql: "k VARBINARY(32) PRIMARY KEY, v INT) AS SELECT UNHEX(SHA2(n, 256)) k, n v",
    postgres: "k bytea PRIMARY KEY, v int); INSERT INTO by_bytes SELECT sha256(n::text::bytea), n",
  },
  by_text: {
    mysql:
      "k VARCHAR(40) PRIMARY KEY, v INT) CHARACTER SET utf8mb4 AS SELECT CONCAT(IF(n % 2, 'É', 'a'), n, '\"''\\\\') k, n v",
    postgres: `k varchar(40) PRIMARY KEY, v int); INSERT INTO by_text SELECT CASE n % 2 WHEN 1 THEN 'É' ELSE 'a' END || n || '"''\\', n`,
  },
  by_two: {
    mysql:
      "k VARCHAR(40) CHARACTER SET latin1, m INT, v INT, PRIMARY KEY (k, m)) AS SELECT CONCAT('ä', n % 7) k, n m, n v",
    postgres: "k varchar(40), m int, v int, PRIMARY KEY (k, m)); INSERT INTO by_two SELECT 'ä' || n % 7, n, n",
  },
  by_day: {
    mysql: "k DATE PRIMARY KEY, v INT) AS SELECT DATE_ADD('2000-01-01', INTERVAL n DAY) k, n v",
    postgres: "k date PRIMARY KEY, v int); INSERT INTO by_day SELECT date '2000-01-01' + n, n",
  },
  by_none: {
    mysql: "k INT, v INT) AS SELECT n % 5 k, n v",
    postgres: "k int, v int); INSERT INTO by_none SELECT n % 5, n",
  },
};
const keyedRows = 2000;
const makeKeyed = (engine: "mysql" | "postgres") =>
  Object.entries(keyed).flatMap(([table, sql]) =>
    engine === "mysql"
      ? [
          `CREATE TABLE ${table} (${sql.mysql.replace("MD5_(n)", "LEFT(SHA2(n, 256), 32)")} FROM (SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 1 AS n FROM digit a, digit b, digit c, digit d WHERE d.n < 2) numbers`,
          `ANALYZE TABLE ${table}`,
        ]
      : [`CREATE TABLE ${table} (${sql.postgres} FROM generate_series(1, ${keyedRows}) n`, `ANALYZE ${table}`],
  );

beforeAll(async () => {
  const signal = new AbortController().signal;
  await Promise.all(
    kinds.map(async (kind) => {
      const server = await borrowDatabase(kind);
      servers.set(kind, server);
      ends.push(() => server.stop());
      if (kind === "mysql" || kind === "mariadb") {
        const admin: mysql.Connection = await mysqlAs(server.urlOf("app", "admin"));
        ends.unshift(() => admin.end());
        run.set(kind, (sql) => admin.query(sql));
        await admin.query(
          "CREATE TABLE digit (n INT PRIMARY KEY); INSERT INTO digit VALUES (0),(1),(2),(3),(4),(5),(6),(7),(8),(9)",
        );
        await admin.query(mysqlTable);
        for (const sql of makeKeyed("mysql")) await admin.query(sql);
        const at = endpoint(server.urlOf("app", "admin"), "mysql");
        const sessions = await Promise.all(
          [0, 1].map(() => connectMysql(at, { role: "source", program: "test", signal })),
        );
        ends.unshift(...sessions.map((session) => () => session.end()));
        sides.set(kind, { engine: "mysql", sessions });
      } else {
        const admin = new pg.Client({ connectionString: server.urlOf("app", "admin") });
        await admin.connect();
        ends.unshift(() => admin.end());
        run.set(kind, (sql) => admin.query(sql));
        await admin.query(postgresTable);
        for (const sql of makeKeyed("postgres")) await admin.query(sql);
        const at = endpoint(server.urlOf("app", "admin"), "postgres");
        const sessions = await Promise.all(
          [0, 1].map(() => connectPostgres(at, { role: "target", applicationName: "test", signal })),
        );
        ends.unshift(...sessions.map((session) => () => session.end()));
        sides.set(kind, { engine: "postgres", sessions });
      }
    }),
  );
});

afterAll(async () => {
  for (const end of ends) await end();
});

const isMysql = (kind: Kind) => kind === "mysql" || kind === "mariadb";
const side = (kind: Kind) => sides.get(kind) as SideSessions;
const execute = (kind: Kind, sql: string) => (run.get(kind) as (sql: string) => Promise<unknown>)(sql);

const compare = (from: Kind, to: Kind) => {
  const name = (kind: Kind) => [isMysql(kind) ? "app" : "public", "t"] as const;
  const pair: TablePair = {
    source: name(from),
    target: name(to),
    columns: columns.map((column) => ({ source: column, target: column })),
  };
  return compareTables(side(from), side(to), [pair], { jobs: 2, signal: new AbortController().signal });
};

/** The least that a value of the column can change by. */
const flips: Record<string, { mysql: string; postgres: string }> = {
  name: { mysql: "name = INSERT(name, 1, 1, 's')", postgres: "name = overlay(name placing 's' from 1 for 1)" },
  amount: { mysql: "amount = amount + 0.001", postgres: "amount = amount + 0.001" },
  made: { mysql: "made = made + INTERVAL 1000 MICROSECOND", postgres: "made = made + interval '1 ms'" },
  bytes: {
    mysql: "bytes = INSERT(bytes, 7, 1, UNHEX(HEX(ASCII(SUBSTR(bytes, 7, 1)) ^ 1)))",
    postgres: "bytes = set_byte(bytes, 6, get_byte(bytes, 6) # 1)",
  },
  ratio: { mysql: "ratio = ratio * (1 + 4e-16)", postgres: "ratio = ratio * (1 + 4e-16::float8)" },
  single: { mysql: "single = single + single / 8000000", postgres: "single = single + single / 8000000" },
  doc: { mysql: "doc = JSON_SET(doc, '$.a[0]', false)", postgres: "doc = jsonb_set(doc, '{a,0}', 'false')" },
  flag: { mysql: "flag = 1 - flag", postgres: "flag = NOT flag" },
};

const directions: [Kind, Kind][] = [
  ["mysql", "mariadb"],
  ["postgres-old", "postgres"],
  ["mysql", "postgres"],
  ["postgres", "mariadb"],
];

describe.each(directions)("%s → %s", (from, to) => {
  test("equal rows compare equal, and nothing is left out of the comparison", async () => {
    expect(await compare(from, to)).toEqual({ level: "checksum", rows, tables: 1, differences: [], uncompared: [] });
  });

  test("one changed bit in 10,000 rows is found, in whatever column, and the row's key is named", async () => {
    const changed = Object.entries(flips);
    const first = random(changed.length);
    const some = [0, 3, 5].map((step) => changed[(first + step) % changed.length] as (typeof changed)[number]);
    for (const [column, flip] of some) {
      const id = 1 + random(rows);
      const engine = isMysql(to) ? "mysql" : "postgres";
      await execute(to, `CREATE TABLE before_ AS SELECT * FROM t WHERE id = ${id}`);
      await execute(to, `UPDATE t SET ${flip[engine]} WHERE id = ${id}`);
      const { differences } = await compare(from, to);
      await execute(to, `DELETE FROM t WHERE id = ${id}; INSERT INTO t SELECT * FROM before_; DROP TABLE before_`);
      expect(differences, `seed ${seed}: ${column} of row ${id}`).toEqual([
        expect.objectContaining({
          rows: { source: rows, target: rows },
          keys: [{ key: `{"id":"${id}"}`, what: "different" }],
          differing: 1,
        }),
      ]);
    }
  });

  test("missing and extra rows are told apart", async () => {
    await execute(to, "UPDATE t SET id = 100001 WHERE id = 77");
    const { differences } = await compare(from, to);
    await execute(to, "UPDATE t SET id = 77 WHERE id = 100001");
    expect(differences[0]?.keys).toEqual([
      { key: '{"id":"100001"}', what: "extra" },
      { key: '{"id":"77"}', what: "missing" },
    ]);
  });

  test("tables without an integer key are shared by the streams too, and what differs is named", async () => {
    const schema = (kind: Kind) => (isMysql(kind) ? "app" : "public");
    const pairs: TablePair[] = Object.keys(keyed).map((table) => ({
      source: [schema(from), table],
      target: [schema(to), table],
      columns: ["k", ...(table === "by_two" ? ["m"] : []), "v"].map((column) => ({ source: column, target: column })),
    }));
    const all = () =>
      compareTables(side(from), side(to), pairs, { jobs: 2, partRows: 300, signal: new AbortController().signal });
    expect(await all()).toMatchObject({ rows: pairs.length * keyedRows, differences: [], uncompared: [] });
    for (const table of Object.keys(keyed)) await execute(to, `UPDATE ${table} SET v = v + 100000 WHERE v = 1234`);
    const { differences } = await all();
    for (const table of Object.keys(keyed)) await execute(to, `UPDATE ${table} SET v = v - 100000 WHERE v = 101234`);
    expect(differences.map(({ source }) => source.split(".")[1])).toEqual(Object.keys(keyed).sort());
    for (const { source, keys, differing } of differences) {
      expect([source, differing]).toEqual([source, 1]);
      expect(keys.map(({ what }) => what)).toEqual(source.endsWith("by_none") ? ["missing", "extra"] : ["different"]);
    }
  });
});
