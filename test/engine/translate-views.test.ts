import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InventoryEntry } from "../../src/engine/contract.ts";
import { reset } from "../../src/engine/reset.ts";
import { endpoint, type Flavour, pair, reader, type Servers, sourceRows, startServers } from "./mysql-support.ts";
import { run } from "./run.ts";

/** Views of MySQL and MariaDB in PostgreSQL: what is made shows the same rows, and the rest is reported with its reason. */

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

const views = (inventory: readonly InventoryEntry[]) => inventory.filter(({ kind }) => kind === "view");

describe.each(["mysql", "mariadb"] as Flavour[])("views of %s", (engine) => {
  beforeAll(async () => {
    servers = await startServers(engine);
  });
  afterAll(async () => servers?.close());

  test("of Sakila show the same rows in PostgreSQL, or are reported with a reason, and go with a reset", async () => {
    const { source, target, admin } = servers as Servers;
    for (const script of ["schema", "data"])
      for (const sql of statements(file(`sakila-mysql-${script}.sql`))) if (sql.trim() !== "") await admin.query(sql);
    await admin.query("USE sakila");
    for (const [name, sql] of Object.entries(own)) await admin.query(`CREATE VIEW ${name} AS ${sql}`);
    const pgClient = await reader(target.adminUrl);
    servers?.readers.push(pgClient);
    await pgClient.query("CREATE DATABASE sakila");
    const to = target.urlOf("sakila", "admin");
    const { report, copied } = await run({
      source: endpoint(source.urlOf("sakila", "admin"), "mysql"),
      target: endpoint(to, "postgres"),
    });
    expect(report.tables.length).toBe(16);
    const pg = await reader(to);
    servers?.readers.push(pg);

    const entries = views(report.inventory);
    expect(entries.length).toBe(7 + Object.keys(own).length);
    const made = entries.filter(({ outcome }) => outcome === "converted");
    expect(made.map(({ name }) => name).sort(), JSON.stringify(entries, null, 1)).toEqual(
      ["customer_list", "sales_by_store", "staff_list", ...Object.keys(own)].sort(),
    );
    for (const { name, note } of made) {
      const expected = await sourceRows(admin, `SELECT * FROM \`${name}\``);
      const { rows } = await pg.query<(string | null)[]>({ text: `SELECT * FROM "${name}"`, rowMode: "array" });
      expect(sorted(rows), name).toEqual(sorted(expected));
      expect(rows.length, name).toBeGreaterThan(0);
      expect(note).toMatch(new RegExp(`^translated; ${rows.length} rows in source and target`));
    }
    for (const { name, note, definition } of entries.filter(({ outcome }) => outcome === "reported")) {
      expect(note, name).toMatch(/collation|ASCII|GROUP_CONCAT/);
      expect(definition, name).toMatch(/^CREATE .*VIEW/);
    }
    await pg.query("CREATE VIEW others AS SELECT 1 AS one");
    await copied.finish();
    const { left } = await reset(
      {
        owner: "owner-1",
        ownerName: "the test",
        target: endpoint(to, "postgres"),
        made: report.made,
        madeIn: report.target,
      },
      { signal: new AbortController().signal, log: () => undefined },
    );
    expect(left).toEqual([]);
    const { rows: still } = await pg.query("SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace");
    expect(still).toEqual([{ relname: "others" }]);
  });

  test("that PostgreSQL cannot have are reported, and never fail the run", async () => {
    const many = Array.from({ length: 1700 }, (_, at) => `i AS c${at}`).join(", ");
    const { source, target, pg } = await pair(
      servers as Servers,
      `CREATE TABLE t (i int PRIMARY KEY, j int, d date, s varchar(9) COLLATE utf8mb4_bin); CREATE TABLE gone (i int PRIMARY KEY);
       INSERT INTO t VALUES (1, 2, '2020-02-29', 'a'), (2, NULL, NULL, 'A'); INSERT INTO gone VALUES (1);
       CREATE VIEW wide AS SELECT ${many} FROM t;
       CREATE VIEW on_wide AS SELECT c1 FROM wide;
       CREATE VIEW z_first AS SELECT i, j FROM t;
       CREATE VIEW a_second AS SELECT z.i, z.j + 1 AS more FROM z_first z JOIN t ON t.i = z.i;
       CREATE VIEW on_gone AS SELECT gone.i FROM gone JOIN t ON t.i = gone.i;
       CREATE SQL SECURITY INVOKER VIEW \`we"ird näme\` AS SELECT i AS \`a\`\`b"c\`, d FROM t WHERE j IS NULL;
       CREATE VIEW checked AS SELECT i, j FROM t WHERE j > 1 WITH CASCADED CHECK OPTION;
       CREATE VIEW \`${"long".repeat(16)}\` AS SELECT i FROM t`,
    );
    const { report } = await run({ source, target }, { options: { jobs: 2, exclude: ["gone"] } });
    const of = new Map(views(report.inventory).map((entry) => [entry.name, entry]));
    expect(of.get("wide")).toMatchObject({
      outcome: "reported",
      note: expect.stringMatching(/PostgreSQL refuses its translation/),
      definition: expect.stringMatching(/VIEW/),
    });
    expect(of.get("on_wide")).toMatchObject({
      outcome: "reported",
      note: expect.stringMatching(/wide is not carried/),
    });
    expect(of.get("on_gone")).toMatchObject({
      outcome: "reported",
      note: expect.stringMatching(/gone is not carried/),
    });
    for (const name of ["z_first", "a_second", 'we"ird näme', "checked", "long".repeat(16)])
      expect(of.get(name), name).toMatchObject({ outcome: "converted" });
    expect((await pg.query("SELECT * FROM a_second ORDER BY i")).rows).toEqual([
      { i: "1", more: "3" },
      { i: "2", more: null },
    ]);
    const { rows } = await pg.query('SELECT * FROM "we""ird näme"');
    expect(rows.map((row) => row['a`b"c'])).toEqual(["2"]);
    const invoker = await pg.query("SELECT reloptions FROM pg_class WHERE relname = 'we\"ird näme'");
    expect(invoker.rows).toEqual([{ reloptions: "{security_invoker=true}" }]);
    await expect(pg.query("INSERT INTO checked VALUES (9, 0)")).rejects.toThrow(/check option/);
    expect((await pg.query("SELECT FROM pg_class WHERE relkind = 'v' AND relname LIKE 'long%'")).rowCount).toBe(1);
  });
});

const sorted = (rows: (string | null)[][]): string[] => rows.map((row) => JSON.stringify(row)).sort();
