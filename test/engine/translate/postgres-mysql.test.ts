import mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { type ColumnMeaning, translateExpression } from "../../../src/engine/plan/translate/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { hostileRows } from "./support.ts";

/** Generated columns of PostgreSQL, made in MySQL and MariaDB by their translation, hold the same for hostile values. */

/** Name, PostgreSQL's type, MySQL's, and the place of its values in the rows. */
const columns: [name: string, type: string, target: string, at: number][] = [
  ["i", "integer", "int", 0],
  ["j", "integer", "int", 1],
  ["b", "bigint", "bigint", 2],
  ["t", "boolean", "tinyint(1)", 4],
  ["n", "numeric(10,2)", "decimal(10,2)", 5],
  ["m", "numeric(20,6)", "decimal(20,6)", 6],
  ["s", "text", "longtext", 8],
  ["v", "character varying(60)", "varchar(60)", 9],
  ["c", 'text COLLATE "C"', "longtext", 10],
  ["d", "date", "date", 13],
  ["h", "timestamp(0) without time zone", "datetime(6)", 14],
  ["k", "timestamp without time zone", "datetime(6)", 15],
];

const corpus: [expression: string, type: string, target: string][] = [
  ["i = j", "boolean", "tinyint(1)"],
  ["i > 5 OR j < 0", "boolean", "tinyint(1)"],
  ["i IS NOT DISTINCT FROM j", "boolean", "tinyint(1)"],
  ["i IS DISTINCT FROM 1", "boolean", "tinyint(1)"],
  ["i = n", "boolean", "tinyint(1)"],
  ["i IN (1, 2, 3)", "boolean", "tinyint(1)"],
  ["i NOT IN (1, 2)", "boolean", "tinyint(1)"],
  ["n BETWEEN -1 AND 10.5", "boolean", "tinyint(1)"],
  ["NOT t", "boolean", "tinyint(1)"],
  ["t AND i > 0", "boolean", "tinyint(1)"],
  ["t IS TRUE", "boolean", "tinyint(1)"],
  ["t IS NOT FALSE", "boolean", "tinyint(1)"],
  ["n IS NULL", "boolean", "tinyint(1)"],
  ["b / 7", "bigint", "bigint"],
  ["b % 7", "bigint", "bigint"],
  ["i::bigint + 1", "bigint", "bigint"],
  ["n + m", "numeric(30,6)", "decimal(30,6)"],
  ["n * m", "numeric(40,8)", "decimal(40,8)"],
  ["n * i", "numeric(30,2)", "decimal(30,2)"],
  ["i::numeric * n", "numeric(30,1)", "decimal(30,1)"],
  ["abs(m)", "numeric(20,6)", "decimal(20,6)"],
  ["s = 'a'", "boolean", "tinyint(1)"],
  ["s <> 'A '", "boolean", "tinyint(1)"],
  ["v = s", "boolean", "tinyint(1)"],
  ["v = 'a'", "boolean", "tinyint(1)"],
  ["v IN ('a', 'B', '')", "boolean", "tinyint(1)"],
  ["c < 'b'", "boolean", "tinyint(1)"],
  ["c >= 'A'", "boolean", "tinyint(1)"],
  ["s LIKE 'a%'", "boolean", "tinyint(1)"],
  ["s NOT LIKE '%\\_%'", "boolean", "tinyint(1)"],
  ["v || '-' || s", "text", "longtext"],
  ["length(s)", "integer", "int"],
  ["octet_length(v)", "integer", "int"],
  ["btrim(s)", "text", "longtext"],
  ["rtrim(v)", "text", "longtext"],
  ["COALESCE(v, 'none')", "text", "longtext"],
  ["NULLIF(s, 'a')", "text", "longtext"],
  ["CASE WHEN t THEN 'active' ELSE '' END", "text", "longtext"],
  ["CASE i WHEN 1 THEN 'one' WHEN 2 THEN s END", "text", "longtext"],
  ["EXTRACT(year FROM d) > 2000", "boolean", "tinyint(1)"],
  ["d > '2020-02-28'", "boolean", "tinyint(1)"],
  ["k >= '1999-12-31 23:59:59.5'", "boolean", "tinyint(1)"],
  ["h::date", "date", "date"],
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

describe.each(kinds)("PostgreSQL's generated columns in %s", (engine) => {
  test("hold the same for hostile values", async () => {
    const client = await mysql.createConnection({
      uri: servers[engine].adminUrl,
      multipleStatements: true,
      charset: "utf8mb4",
    });
    const source = new pg.Client(servers.postgres.adminUrl);
    await source.connect();
    try {
      await source.query("DROP TABLE IF EXISTS s");
      const made = corpus.map(([expression, type], at) => `r${at} ${type} GENERATED ALWAYS AS (${expression}) STORED`);
      await source.query(
        `CREATE TABLE s (id int PRIMARY KEY, ${[...columns.map(([name, type]) => `${name} ${type}`), ...made].join(", ")})`,
      );
      const names = columns.map(([name]) => name).join(", ");
      for (const [id, row] of hostileRows(120, 11).entries()) {
        const values = [id, ...columns.map(([, , , at]) => row[at])];
        await source.query(
          `INSERT INTO s (id, ${names}) VALUES (${values.map((_, at) => `$${at + 1}`).join(", ")})`,
          values,
        );
      }
      const { rows: shown } = await source.query<{ name: string; text: string }>(
        "SELECT a.attname AS name, pg_get_expr(d.adbin, d.adrelid) AS text FROM pg_attribute a JOIN pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum WHERE a.attrelid = 's'::regclass AND a.attgenerated = 's'",
      );
      const meaning = (name: string, type: string, targetType: string): ColumnMeaning => ({
        name,
        sourceType: type.replace(/ COLLATE.*/, "").replace(/^bigint$|^integer$/, "$&"),
        targetType,
        nullable: true,
        collation: type.includes('"C"') ? "C" : "default",
      });
      const known = new Map(columns.map(([name, type, target]) => [name, meaning(name, type, target)]));
      const refused: string[] = [];
      const generated: { at: number; sql: string }[] = [];
      corpus.forEach(([expression, type, target], at) => {
        const outcome = translateExpression(shown.find(({ name }) => name === `r${at}`)?.text ?? "", {
          from: { engine: "postgres", version: 180000 },
          to: { engine, version: 0 },
          columns: known,
          use: "generated",
          result: meaning(`r${at}`, type, target),
        });
        if ("reason" in outcome) refused.push(`${expression}: ${outcome.reason}`);
        else generated.push({ at, sql: `r${at} ${target} GENERATED ALWAYS AS (${outcome.sql}) STORED` });
      });
      expect(refused).toEqual([]);
      // The session's own settings must not count: the worst collation, and no mode.
      await client.query(
        "DROP DATABASE IF EXISTS tr; CREATE DATABASE tr CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci; USE tr",
      );
      await client.query(
        `CREATE TABLE s (id int PRIMARY KEY, ${[...columns.map(([name, , target]) => `${name} ${target}`), ...generated.map(({ sql }) => sql)].join(", ")})`,
      );
      const text = columns
        .map(([name, type]) => (type === "boolean" ? `${name}::int::text` : `${name}::text`))
        .join(", ");
      const stored = await source.query<(string | null)[]>({
        text: `SELECT id, ${text} FROM s ORDER BY id`,
        rowMode: "array",
      });
      await client.query(`INSERT INTO s (id, ${names}) VALUES ?`, [stored.rows]);
      const differing: string[] = [];
      let compared = 0;
      for (const { at, sql } of generated) {
        const cast = corpus[at]?.[1] === "boolean" ? "::int" : "";
        const expected = await source.query<(string | null)[]>({
          text: `SELECT r${at}${cast}::text FROM s ORDER BY id`,
          rowMode: "array",
        });
        const [found] = (await client.query({
          sql: `SELECT r${at} FROM s ORDER BY id`,
          rowsAsArray: true,
          typeCast: (field) => field.string(),
        })) as unknown as [(string | null)[][]];
        expected.rows.forEach(([value = null], row) => {
          if (value !== null) compared++;
          const other = found[row]?.[0] ?? null;
          if (value !== other)
            differing.push(
              `${corpus[at]?.[0]} of ${JSON.stringify(stored.rows[row])}: ${value} became ${other} by ${sql}`,
            );
        });
      }
      expect(differing.slice(0, 10)).toEqual([]);
      expect(compared).toBeGreaterThan(corpus.length * 60);
    } finally {
      await source.end();
      await client.end();
    }
  });
});
