import { readFileSync } from "node:fs";
import type mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type ColumnMeaning, type Relation, translateView } from "../../src/engine/translate/index.ts";
import { endpoint, type Flavour, reader, run, type Servers, sourceRows, startServers } from "./mysql-support.ts";

/** Sakila's views, after a copy of Sakila: what is translated shows the same rows, and the rest says why not. */

const file = (name: string): string => readFileSync(new URL(`../../../shared/data/${name}`, import.meta.url), "utf8");

/** The script's statements; DELIMITER is the client's own word. */
function statements(script: string): string[] {
  const found: string[] = [];
  let delimiter = ";";
  let text = "";
  for (const line of script.split("\n")) {
    const changed = /^DELIMITER (\S+)/.exec(line);
    if (changed !== null) {
      delimiter = changed[1] as string;
      continue;
    }
    text += `${line}\n`;
    if (!line.trimEnd().endsWith(delimiter)) continue;
    found.push(text.trimEnd().slice(0, -delimiter.length));
    text = "";
  }
  return found;
}

/** Views of our own, with what Sakila's do not have. */
const own: Record<string, string> = {
  v_join:
    "SELECT f.film_id, f.title, l.name AS language, f.rental_rate * 2 AS twice, f.length / 60 AS hours, f.rating = 'PG' AS is_pg FROM film f JOIN language l ON l.language_id = f.language_id",
  v_left:
    "SELECT c.customer_id, COUNT(r.rental_id) AS rentals, MAX(r.rental_date) AS latest, SUM(p.amount) AS paid, AVG(p.amount) AS mean FROM customer c LEFT JOIN rental r ON r.customer_id = c.customer_id LEFT JOIN payment p ON p.rental_id = r.rental_id GROUP BY c.customer_id",
  v_having:
    "SELECT store_id, COUNT(*) AS many, COUNT(DISTINCT address_id) AS addresses FROM customer GROUP BY store_id HAVING many > 10 ORDER BY many DESC",
  v_exists:
    "SELECT film_id, length FROM film WHERE EXISTS (SELECT 1 FROM inventory i WHERE i.film_id = film.film_id) AND film_id NOT IN (SELECT film_id FROM film_actor WHERE actor_id < 10)",
  v_union:
    "SELECT film_id AS id, length FROM film WHERE length > 100 UNION ALL SELECT film_id, length FROM film WHERE length < 60",
  v_derived:
    "SELECT d.actor_id, d.films FROM (SELECT actor_id, COUNT(*) AS films FROM film_actor GROUP BY actor_id) d WHERE d.films BETWEEN 20 AND 30",
  v_limit: "SELECT film_id, COALESCE(length, 0) AS minutes FROM film ORDER BY length DESC, film_id LIMIT 10",
  v_nested: "SELECT x.id, CASE WHEN x.length > 150 THEN 'long' ELSE 'short' END AS what FROM v_union x",
  v_scalar:
    "SELECT a.actor_id, (SELECT MAX(fa.film_id) FROM film_actor fa WHERE fa.actor_id = a.actor_id) AS last_film FROM actor a",
};

let servers: Servers | undefined;

describe.each(["mysql", "mariadb"] as Flavour[])("Sakila's views of %s", (engine) => {
  beforeAll(async () => {
    servers = await startServers(engine);
  });
  afterAll(async () => servers?.close());

  test("show the same rows in PostgreSQL, or are refused with a reason", async () => {
    const { source, target, admin } = servers as Servers;
    for (const script of ["schema", "data"])
      for (const sql of statements(file(`sakila-mysql-${script}.sql`))) if (sql.trim() !== "") await admin.query(sql);
    await admin.query("USE sakila");
    for (const [name, sql] of Object.entries(own)) await admin.query(`CREATE VIEW ${name} AS ${sql}`);
    const pgClient = await reader(target.adminUrl);
    servers?.readers.push(pgClient);
    await pgClient.query("CREATE DATABASE sakila");
    const to = target.urlOf("sakila", "admin");
    const { report } = await run({
      source: endpoint(source.urlOf("sakila", "admin"), "mysql"),
      target: endpoint(to, "postgres"),
    });
    expect(report.tables.length).toBe(16);
    const pg = await reader(to);
    servers?.readers.push(pg);

    const relations = await relationsOf(admin, pg);
    const [views] = (await admin.query({
      sql: "SELECT TABLE_NAME, VIEW_DEFINITION FROM information_schema.VIEWS WHERE TABLE_SCHEMA = 'sakila' ORDER BY TABLE_NAME LIKE 'v\\_%', TABLE_NAME = 'v_nested', TABLE_NAME",
      rowsAsArray: true,
    })) as unknown as [string[][]];
    const translated: string[] = [];
    const reasons: Record<string, string> = {};
    await pg.query("DROP SCHEMA IF EXISTS w CASCADE; CREATE SCHEMA w");
    for (const [name, definition] of views as [string, string][]) {
      const outcome = translateView(definition, {
        from: { engine, version: 0 },
        to: { engine: "postgres", version: 180000 },
        relation: (path) => relations.get(path.at(-1) as string),
      });
      if ("reason" in outcome) {
        reasons[name] = outcome.reason;
        // A draft must at least be SQL that PostgreSQL takes.
        if (outcome.draft !== undefined) await pg.query(`CREATE VIEW w."draft of ${name}" AS ${outcome.draft}`);
        continue;
      }
      await pg.query(`CREATE VIEW w."${name}" AS ${outcome.sql}`);
      relations.set(name, { target: ["w", name], columns: outcome.columns, keys: [] });
      const expected = await sourceRows(admin, `SELECT * FROM \`${name}\``);
      const { rows } = await pg.query<(string | null)[]>({ text: `SELECT * FROM w."${name}"`, rowMode: "array" });
      expect(sorted(rows), name).toEqual(sorted(expected));
      expect(rows.length, name).toBeGreaterThan(0);
      translated.push(name);
    }
    expect([...translated, ...Object.keys(reasons)].length).toBe(7 + Object.keys(own).length);
    expect(translated.sort(), JSON.stringify(reasons, null, 1)).toEqual(
      ["customer_list", "sales_by_store", "staff_list", ...Object.keys(own)].sort(),
    );
    expect(Object.values(reasons).every((reason) => /collation|ASCII|GROUP_CONCAT|query/.test(reason))).toBe(true);
  });
});

const sorted = (rows: (string | null)[][]): string[] => rows.map((row) => JSON.stringify(row)).sort();

/** Tables as the copy made them, from both catalogues. */
async function relationsOf(
  admin: mysql.Connection,
  pg: Awaited<ReturnType<typeof reader>>,
): Promise<Map<string, Relation>> {
  const { rows } = await pg.query<{ table: string; column: string; type: string }>(
    "SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 WHERE c.relnamespace = 'public'::regnamespace AND c.relkind IN ('r', 'p')",
  );
  const types = new Map(rows.map(({ table, column, type }) => [`${table}.${column}`, type]));
  const [columns] = (await admin.query({
    sql: "SELECT TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COLLATION_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = 'sakila'",
    rowsAsArray: true,
  })) as unknown as [string[][]];
  const [keys] = (await admin.query({
    sql: "SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = 'sakila' AND INDEX_NAME = 'PRIMARY' ORDER BY SEQ_IN_INDEX",
    rowsAsArray: true,
  })) as unknown as [string[][]];
  const relations = new Map<string, Relation & { columns: Map<string, ColumnMeaning> }>();
  for (const [table, name, sourceType, nullable, collation] of columns as [
    string,
    string,
    string,
    string,
    string | null,
  ][]) {
    const targetType = types.get(`${table}.${name}`);
    if (targetType === undefined) continue;
    const relation = relations.get(table) ?? {
      target: ["public", table],
      columns: new Map<string, ColumnMeaning>(),
      keys: [keys.filter(([of]) => of === table).map(([, column]) => column as string)],
    };
    relation.columns.set(name, { name, sourceType, targetType, nullable: nullable === "YES", collation });
    relations.set(table, relation);
  }
  return new Map(relations);
}
