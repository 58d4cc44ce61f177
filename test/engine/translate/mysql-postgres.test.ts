import mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { type ColumnMeaning, translateExpression } from "../../../src/engine/plan/translate/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { hostileRows } from "./support.ts";

/** Generated columns of MySQL and MariaDB, made in PostgreSQL by their translation, hold the same for hostile values. */

const collation = { mysql: "utf8mb4_0900_bin", mariadb: "utf8mb4_nopad_bin" };
const source = (engine: "mysql" | "mariadb"): [name: string, ddl: string, target: string][] => [
  ["i", "int", "integer"],
  ["j", "int NOT NULL", "integer"],
  ["b", "bigint", "bigint"],
  ["u", "int unsigned", "bigint"],
  ["t", "tinyint(1)", "boolean"],
  ["n", "decimal(10,2)", "numeric(10,2)"],
  ["m", "decimal(20,6)", "numeric(20,6)"],
  ["x", "double", "double precision"],
  ["s", `varchar(60) COLLATE ${collation[engine]}`, "varchar(60)"],
  ["p", "varchar(60) COLLATE utf8mb4_bin", "varchar(60)"],
  ["g", "varchar(60) COLLATE utf8mb4_general_ci", "varchar(60)"],
  ["a", "varchar(60) CHARACTER SET ascii COLLATE ascii_bin", "varchar(60)"],
  ["e", "enum('G','PG','pg-13') COLLATE utf8mb4_general_ci", "text"],
  ["d", "date", "date"],
  ["h", "datetime", "timestamp(0)"],
  ["k", "datetime(6)", "timestamp(6)"],
];

/** Expressions and the type of the column that takes them. */
const corpus: [expression: string, type: string, target: string][] = [
  ["i + j", "bigint", "bigint"],
  ["i - 7", "bigint", "bigint"],
  ["-i", "bigint", "bigint"],
  ["i * 3", "bigint", "bigint"],
  ["i div 3", "bigint", "bigint"],
  ["i div nullif(j, 0)", "bigint", "bigint"],
  ["i % 7", "bigint", "bigint"],
  ["i mod j", "bigint", "bigint"],
  ["i / 3", "decimal(30,4)", "numeric(30,4)"],
  ["i / j", "decimal(30,4)", "numeric(30,4)"],
  ["n / i", "decimal(30,6)", "numeric(30,6)"],
  ["n / m", "decimal(40,4)", "numeric(40,4)"],
  ["round(i / 7, 2)", "decimal(30,2)", "numeric(30,2)"],
  ["n + m", "decimal(30,6)", "numeric(30,6)"],
  ["n * m", "decimal(40,8)", "numeric(40,8)"],
  ["n * i", "decimal(30,2)", "numeric(30,2)"],
  ["n % m", "decimal(30,6)", "numeric(30,6)"],
  ["n", "bigint", "bigint"],
  ["m", "decimal(18,1)", "numeric(18,1)"],
  ["round(m, 1)", "decimal(30,1)", "numeric(30,1)"],
  ["round(m)", "decimal(30,0)", "numeric(30,0)"],
  ["truncate(m, 2)", "decimal(30,2)", "numeric(30,2)"],
  ["floor(n)", "bigint", "bigint"],
  ["ceiling(n)", "bigint", "bigint"],
  ["abs(i)", "bigint", "bigint"],
  ["sign(n)", "int", "integer"],
  ["i & 12", "bigint", "bigint"],
  ["u | 5", "bigint", "bigint"],
  ["u ^ 5", "bigint", "bigint"],
  ["u >> 2", "bigint", "bigint"],
  ["x + 1", "double", "double precision"],
  ["i < j", "tinyint(1)", "boolean"],
  ["i <=> j", "tinyint(1)", "boolean"],
  ["i = n", "tinyint(1)", "boolean"],
  ["n > x", "tinyint(1)", "boolean"],
  ["i between -5 and 5", "tinyint(1)", "boolean"],
  ["i not between 1 and 5", "tinyint(1)", "boolean"],
  ["i in (1, 2, null)", "tinyint(1)", "boolean"],
  ["i not in (1, 2)", "tinyint(1)", "boolean"],
  ["i and t", "tinyint(1)", "boolean"],
  ["i or t", "tinyint(1)", "boolean"],
  ["i xor t", "tinyint(1)", "boolean"],
  ["not i", "tinyint(1)", "boolean"],
  ["i is true", "tinyint(1)", "boolean"],
  ["t is not false", "tinyint(1)", "boolean"],
  ["n is null", "tinyint(1)", "boolean"],
  ["t + 1", "int", "integer"],
  ["if(t, i, j)", "int", "integer"],
  ["if(i, n, 1)", "decimal(12,2)", "numeric(12,2)"],
  ["case i when 1 then 'one' when 2 then s else '' end", "varchar(60)", "varchar(60)"],
  ["case when s = 'a' then 1 when n > 0 then 2 end", "int", "integer"],
  ["coalesce(i, b, 0)", "bigint", "bigint"],
  ["ifnull(s, 'none')", "varchar(60)", "varchar(60)"],
  ["nullif(s, 'a')", "varchar(60)", "varchar(60)"],
  ["greatest(i, j)", "int", "integer"],
  ["least(n, m)", "decimal(30,6)", "numeric(30,6)"],
  ["s = 'a'", "tinyint(1)", "boolean"],
  ["s <> 'A '", "tinyint(1)", "boolean"],
  ["s < 'b'", "tinyint(1)", "boolean"],
  ["s like 'a%'", "tinyint(1)", "boolean"],
  ["s not like '%\\_%'", "tinyint(1)", "boolean"],
  ["s like '%|%%' escape '|'", "tinyint(1)", "boolean"],
  ["s in ('a', 'B', '')", "tinyint(1)", "boolean"],
  ["p = 'a'", "tinyint(1)", "boolean"],
  ["p = ''", "tinyint(1)", "boolean"],
  ["p like 'a%'", "tinyint(1)", "boolean"],
  ["s", "char(60)", "varchar(60)"],
  ["concat(s, i, ' ')", "char(60)", "varchar(60)"],
  ["concat(a, '\t  ')", "char(60)", "varchar(60)"],
  ["g = ''", "tinyint(1)", "boolean"],
  ["g <> '12-34'", "tinyint(1)", "boolean"],
  ["g like '%@%.%'", "tinyint(1)", "boolean"],
  ["e = 'pg'", "tinyint(1)", "boolean"],
  ["e <> 'G'", "tinyint(1)", "boolean"],
  ["e in ('G', 'nothing')", "tinyint(1)", "boolean"],
  ["concat(s, '-', i)", "varchar(200)", "varchar(200)"],
  ["concat(p, n)", "varchar(200)", "varchar(200)"],
  ["concat(s, n * i)", "varchar(200)", "varchar(200)"],
  ["concat(s, t)", "varchar(200)", "varchar(200)"],
  ["char_length(s)", "int", "integer"],
  ["length(s)", "int", "integer"],
  ["upper(a)", "varchar(60)", "varchar(60)"],
  ["lower(a)", "varchar(60)", "varchar(60)"],
  ["left(s, 2)", "varchar(60)", "varchar(60)"],
  ["right(s, 2)", "varchar(60)", "varchar(60)"],
  ["substr(s, 2)", "varchar(60)", "varchar(60)"],
  ["substring(s, 2, 3)", "varchar(60)", "varchar(60)"],
  ["substr(s, 1, length(s))", "varchar(60)", "varchar(60)"],
  ["trim(s)", "varchar(60)", "varchar(60)"],
  ["ltrim(s)", "varchar(60)", "varchar(60)"],
  ["trim(leading 'a' from s)", "varchar(60)", "varchar(60)"],
  ["trim(both 'a' from s)", "varchar(60)", "varchar(60)"],
  ["replace(s, 'a', 'bb')", "varchar(200)", "varchar(200)"],
  ["replace(s, '', 'bb')", "varchar(200)", "varchar(200)"],
  ["reverse(s)", "varchar(60)", "varchar(60)"],
  ["repeat(s, 2)", "varchar(200)", "varchar(200)"],
  ["lpad(i, 5, '0')", "varchar(60)", "varchar(60)"],
  ["rpad(s, 4, 'xy')", "varchar(60)", "varchar(60)"],
  ["locate('a', s)", "int", "integer"],
  ["instr(s, 'B')", "int", "integer"],
  ["cast(i as char)", "varchar(60)", "varchar(60)"],
  ["cast(s as char(2))", "varchar(60)", "varchar(60)"],
  ["cast(n as signed)", "bigint", "bigint"],
  ["cast(i as decimal(14,2))", "decimal(14,2)", "numeric(14,2)"],
  ["year(d)", "int", "integer"],
  ["month(h)", "int", "integer"],
  ["quarter(d)", "int", "integer"],
  ["dayofweek(d)", "int", "integer"],
  ["weekday(h)", "int", "integer"],
  ["dayofyear(d)", "int", "integer"],
  ["hour(h)", "int", "integer"],
  ["second(k)", "int", "integer"],
  ["extract(year from k)", "int", "integer"],
  ["date(h)", "date", "date"],
  ["last_day(d)", "date", "date"],
  ["to_days(d)", "int", "integer"],
  ["datediff(h, d)", "int", "integer"],
  ["d + interval 1 month", "date", "date"],
  ["DATE'2020-03-01' - interval 3 day", "date", "date"],
  ["h + interval 90 minute", "datetime", "timestamp(0)"],
  ["k + interval 1 year", "datetime(6)", "timestamp(6)"],
  ["d > '2020-02-29'", "tinyint(1)", "boolean"],
  ["h >= '1999-12-31 23:59:59'", "tinyint(1)", "boolean"],
  ["d = h", "tinyint(1)", "boolean"],
];

const kinds = ["mysql", "mariadb"] as const;
let servers: Record<(typeof kinds)[number] | "postgres", Database>;

beforeAll(async () => {
  const [my, maria, postgres] = await Promise.all([...kinds, "postgres" as const].map((kind) => borrowDatabase(kind)));
  servers = { mysql: my as Database, mariadb: maria as Database, postgres: postgres as Database };
});

afterAll(async () => {
  await Promise.all(Object.values(servers).map((server) => server.stop()));
});

describe.each(kinds)("generated columns of %s", (engine) => {
  test("hold the same in PostgreSQL for hostile values", async () => {
    const client = await mysql.createConnection({
      uri: servers[engine].adminUrl,
      multipleStatements: true,
      charset: "utf8mb4",
      rowsAsArray: true,
    });
    const target = new pg.Client(servers.postgres.adminUrl);
    await target.connect();
    try {
      await client.query("CREATE DATABASE tr CHARACTER SET utf8mb4; USE tr; SET sql_mode = ''");
      const columns = source(engine);
      const made = corpus.map(([expression, type], at) => `r${at} ${type} AS (${expression}) VIRTUAL`);
      const ddl = columns.map(([name, type]) => `${name} ${type}`);
      await client.query(
        `CREATE TABLE t (id int PRIMARY KEY, ${[...ddl, ...made].join(", ")}) COLLATE utf8mb4_general_ci`,
      );
      const names = columns.map(([name]) => name);
      const rows = hostileRows(120, 7);
      await client.query(`INSERT INTO t (id, ${names.join(", ")}) VALUES ?`, [rows.map((row, id) => [id, ...row])]);

      const [shown] = (await client.query(
        "SELECT COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLLATION_NAME, GENERATION_EXPRESSION FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'tr' AND TABLE_NAME = 't'",
      )) as unknown as [string[][]];
      const of = new Map(shown.map((row) => [row[0] as string, row]));
      const meaning = (name: string, targetType: string): ColumnMeaning => ({
        name,
        sourceType: of.get(name)?.[1] ?? "",
        targetType,
        nullable: of.get(name)?.[2] === "YES",
        collation: of.get(name)?.[3] ?? null,
      });
      const known = new Map(columns.map(([name, , type]) => [name, meaning(name, type)]));
      const refused: string[] = [];
      const generated: { at: number; sql: string }[] = [];
      corpus.forEach(([expression, , type], at) => {
        const outcome = translateExpression(of.get(`r${at}`)?.[4] ?? "", {
          from: { engine, version: 0 },
          to: { engine: "postgres", version: 180000 },
          columns: known,
          use: "generated",
          result: meaning(`r${at}`, type),
        });
        if ("reason" in outcome) refused.push(`${expression}: ${outcome.reason}`);
        else generated.push({ at, sql: `r${at} ${type} GENERATED ALWAYS AS (${outcome.sql}) STORED` });
      });
      expect(refused).toEqual([]);
      await target.query(`DROP TABLE IF EXISTS t`);
      await target.query(
        `CREATE TABLE t (id int PRIMARY KEY, ${[...columns.map(([name, , type]) => `${name} ${type}`), ...generated.map(({ sql }) => sql)].join(", ")})`,
      );
      const [stored] = (await client.query({
        sql: `SELECT id, ${names.join(", ")} FROM t ORDER BY id`,
        typeCast: (field) => field.string(),
      })) as unknown as [(string | null)[][]];
      for (const row of stored) {
        const list = row.map((_, index) => `$${index + 1}`).join(", ");
        await target.query(`INSERT INTO t (id, ${names.join(", ")}) VALUES (${list})`, row);
      }
      const differing: string[] = [];
      let compared = 0;
      for (const { at, sql } of generated) {
        const [expected] = (await client.query({
          sql: `SELECT r${at} FROM t ORDER BY id`,
          typeCast: (field) => field.string(),
        })) as unknown as [(string | null)[][]];
        const shown = /boolean$/.test(corpus[at]?.[2] ?? "") ? `r${at}::int` : `r${at}`;
        const found = await target.query<(string | null)[]>({
          text: `SELECT ${shown}::text FROM t ORDER BY id`,
          rowMode: "array",
        });
        expected.forEach(([answer = null], row) => {
          // The year 0, which PostgreSQL lacks, is NULL in a copy's data too.
          const value = answer?.startsWith("0000-") ? null : answer;
          if (value !== null) compared++;
          const other = found.rows[row]?.[0] ?? null;
          const same = value === other || (corpus[at]?.[1] === "double" && Number(value) === Number(other));
          const moment =
            value !== null &&
            other !== null &&
            /^timestamp/.test(corpus[at]?.[2] ?? "") &&
            value.replace(/\.?0*$/, "") === other.replace(/\.?0*$/, "");
          if (!same && !moment)
            differing.push(`${corpus[at]?.[0]} of ${JSON.stringify(stored[row])}: ${value} became ${other} by ${sql}`);
        });
      }
      expect(differing.slice(0, 10)).toEqual([]);
      // Values, not NULLs everywhere.
      expect(compared).toBeGreaterThan(corpus.length * 60);
    } finally {
      await target.end();
      await client.end();
    }
  });
});
