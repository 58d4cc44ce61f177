import { readFileSync } from "node:fs";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { InventoryEntry } from "../../src/engine/contract.ts";
import { reset } from "../../src/engine/reset.ts";
import type { Flavour } from "./mysql-support.ts";
import { type Pair, pair, rows, type Servers, startServers } from "./postgres-mysql-support.ts";
import { run } from "./run.ts";

/** Views of PostgreSQL in MySQL and MariaDB: what is made shows the same rows, and the rest is reported with its reason. */

const file = (name: string): string => readFileSync(new URL(`../../../shared/data/${name}`, import.meta.url), "utf8");

/** Views of our own, with what Pagila's do not have. */
const own: Record<string, string> = {
  v_left:
    "SELECT c.customer_id, count(r.rental_id) AS rentals, max(r.rental_date) AS latest, sum(p.amount) AS paid FROM customer c LEFT JOIN rents r USING (customer_id) LEFT JOIN payment p ON p.rental_id = r.rental_id GROUP BY c.customer_id",
  v_having:
    "SELECT store_id, count(*) AS many, count(DISTINCT address_id) AS addresses, count(*) FILTER (WHERE active = 1) AS active, bool_or(activebool) AS any_active FROM customer GROUP BY store_id HAVING count(*) > 10 ORDER BY count(*) DESC",
  v_exists:
    "SELECT film_id, length FROM film WHERE EXISTS (SELECT 1 FROM inventory i WHERE i.film_id = film.film_id) AND film_id NOT IN (SELECT film_id FROM film_actor WHERE actor_id < 10)",
  v_union:
    "SELECT film_id AS id, length FROM film WHERE length > 100 UNION SELECT film_id, length FROM film WHERE length < 60",
  v_derived:
    "SELECT d.actor_id, d.films FROM (SELECT actor_id, count(*) AS films FROM film_actor GROUP BY actor_id) d WHERE d.films BETWEEN 20 AND 30",
  v_limit: "SELECT film_id, coalesce(length, 0) AS minutes FROM film ORDER BY length DESC, film_id LIMIT 10 OFFSET 3",
  v_nulls: "SELECT address_id FROM address ORDER BY original, address_id LIMIT 200",
  v_nested:
    "SELECT x.id, CASE WHEN x.length > 150 THEN 'long' ELSE 'short' END AS what, x.length::int * x.length AS square FROM v_union x",
  v_scalar:
    "SELECT a.actor_id, (SELECT max(fa.film_id) FROM film_actor fa WHERE fa.actor_id = a.actor_id) AS last_film FROM actor a",
  v_with:
    "WITH longest AS (SELECT rating, max(length) AS length FROM film GROUP BY rating) SELECT f.film_id, f.rating FROM film f JOIN longest l ON l.length = f.length WHERE f.rating <> 'NC-17'",
  v_ranks:
    "SELECT film_id, rank() OVER (PARTITION BY rating ORDER BY length DESC) AS place, dense_rank() OVER (ORDER BY rental_rate NULLS FIRST) AS dense, sum(length) OVER (PARTITION BY rating ORDER BY film_id) AS so_far FROM film",
  v_rank: "SELECT film_id, rank() OVER (PARTITION BY rating ORDER BY length DESC) AS place FROM film",
  v_text:
    "SELECT actor_id, concat(first_name, ' ', NULL, last_name) AS whole, \"left\"(last_name, 2) || substring(first_name, 2) AS odd, actor_id::text || '#' AS id, replace(first_name, 'A', 'a') AS replaced, strpos(last_name, 'A') AS place FROM actor WHERE last_name LIKE '%A%' AND last_name <> 'Akroyd'",
  v_distinct: "SELECT DISTINCT last_name FROM actor",
  v_whole: "SELECT * FROM film",
};

let servers: Servers;

const views = (inventory: readonly InventoryEntry[]) =>
  new Map(inventory.filter(({ kind }) => kind === "view").map((entry) => [entry.name, entry]));

async function inSource({ source }: Pair, sql: string): Promise<(string | null)[][]> {
  const client = new pg.Client({
    host: source.host,
    port: source.port,
    user: source.user,
    password: source.password,
    database: source.database,
    types: { getTypeParser: () => (text: string | Buffer) => text.toString() },
  });
  await client.connect();
  try {
    await client.query("SET timezone = 'UTC'");
    return (await client.query<(string | null)[]>({ text: sql, rowMode: "array" })).rows;
  } finally {
    await client.end();
  }
}

/** Values as both sides' clients may write them. */
const sorted = (found: (string | null)[][]): string[] =>
  found
    .map((row) =>
      JSON.stringify(
        row.map((value) => {
          if (value === "t" || value === "f") return value === "t" ? "1" : "0";
          return value === null ? null : value.replace(/(:\d\d)\.?0*$/, "$1").replace(/(\.\d*[1-9])0+$|\.0+$/, "$1");
        }),
      ),
    )
    .sort();

describe.each<Flavour>(["mysql", "mariadb"])("views of PostgreSQL in %s", (flavour) => {
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("of Pagila show the same rows, or are reported with a reason, and go with a reset", async () => {
    const both = await pair(servers, `${file("pagila-postgres-schema.sql")}\n${file("pagila-postgres-data.sql")}`);
    await inSource(
      both,
      `CREATE TABLE rents AS SELECT rental_id, customer_id, lower(rental_period)::timestamp AS rental_date FROM rental; CREATE INDEX ON rents (customer_id); CREATE INDEX ON payment (rental_id);
       ALTER TABLE address ADD original int; UPDATE address SET original = address_id % 7 WHERE address_id % 3 = 0`,
    );
    for (const [name, sql] of Object.entries(own)) await inSource(both, `CREATE VIEW ${name} AS ${sql}`);
    const { report, copied } = await run(both);
    const entries = views(report.inventory);
    const made = [...entries.values()].filter(({ outcome }) => outcome === "converted").map(({ name }) => name);
    expect(
      made.sort(),
      JSON.stringify(
        [...entries.values()].map(({ name, note }) => [name, note]),
        null,
        1,
      ),
    ).toEqual(
      [
        "customer_list",
        "family_films",
        "sales_by_film_category",
        "sales_by_store",
        "sales_top5_by_film_category",
        "staff_list",
        // MariaDB mixes several windows up.
        ...Object.keys(own).filter((name) => flavour === "mysql" || name !== "v_ranks"),
      ]
        .map((name) => `public.${name}`)
        .sort(),
    );
    for (const name of made) {
      const view = name.replace("public.", "");
      // Arrays and full-text documents are another text in MySQL.
      const columns = view === "v_whole" ? "film_id, title, rating, length" : "*";
      const expected = await inSource(both, `SELECT ${columns} FROM ${view}`);
      const found = await rows(servers.admin, `SELECT ${columns} FROM ${both.name}.${view}`);
      expect(sorted(found), view).toEqual(sorted(expected));
      expect(found.length, view).toBeGreaterThan(0);
      expect(entries.get(name)?.note).toMatch(new RegExp(`^translated; ${found.length} rows in source and target`));
      expect(entries.get(name)?.definition).toBeUndefined();
    }
    for (const { name, outcome, note, definition } of entries.values()) {
      if (outcome === "converted") continue;
      expect(note, name).toMatch(/group_concat|source's own|not translated|not carried over|several windows/);
      expect(definition, name).toMatch(/SELECT/);
    }
    await servers.admin.query(`CREATE VIEW ${both.name}.others AS SELECT 1 AS one`);
    await copied.finish();
    const { left } = await reset(
      { owner: "owner-1", ownerName: "the test", target: both.target, made: report.made, madeIn: report.target },
      { signal: new AbortController().signal, log: () => undefined },
    );
    expect(left).toEqual([]);
    const still = `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${both.name}'`;
    expect(await rows(servers.admin, still)).toEqual([["others"]]);
  });

  test("that the target cannot have are reported, and never fail the run", async () => {
    const both = await pair(
      servers,
      `CREATE TABLE t (i int PRIMARY KEY, j int, s text, x text COLLATE "C"); CREATE TABLE gone (i int PRIMARY KEY);
       INSERT INTO t VALUES (1, 2, 'a', 'b'), (2, NULL, 'A', 'B'), (3, NULL, 'a ', NULL); INSERT INTO gone VALUES (1);
       CREATE SCHEMA app; CREATE TABLE app.child () INHERITS (public.t); INSERT INTO app.child VALUES (4, 4, 'c', 'c');
       CREATE TABLE alone AS SELECT * FROM ONLY t;
       CREATE VIEW parent AS SELECT i FROM t;
       CREATE VIEW on_gone AS SELECT gone.i FROM gone JOIN alone a ON a.i = gone.i;
       CREATE VIEW bad_name AS SELECT i AS "ends with a space " FROM alone;
       CREATE VIEW on_bad_name AS SELECT "ends with a space " AS i FROM bad_name;
       CREATE VIEW z_first AS SELECT i, j, s FROM alone;
       CREATE VIEW a_second AS SELECT z.s, count(*) AS many FROM z_first z GROUP BY z.s;
       CREATE VIEW cased AS SELECT i AS "a", j AS "A" FROM alone;
       CREATE VIEW smallest AS SELECT min(x) AS x, min(i) AS i FROM alone;
       CREATE VIEW app."we""ird näme" WITH (security_invoker) AS SELECT i AS "a\`b""c", s = 'A' AS is_it FROM alone WHERE j IS NULL;
       CREATE VIEW checked AS SELECT i, j FROM alone WHERE j > 1 WITH CASCADED CHECK OPTION;
       CREATE RECURSIVE VIEW counting (n) AS VALUES (1) UNION ALL SELECT n + 1 FROM counting WHERE n < 3`,
    );
    const { report } = await run(both, { options: { jobs: 2, exclude: ["gone"] } });
    const of = views(report.inventory);
    for (const [name, note] of [
      ["parent", /inherit from it/],
      ["on_gone", /gone is not carried over/],
      ["bad_name", /target refuses its translation/],
      ["on_bad_name", /bad_name is not carried over/],
      ["cased", /without case/],
      ["counting", /VALUES/],
    ] as const)
      expect(of.get(`public.${name}`), name).toMatchObject({
        outcome: "reported",
        note: expect.stringMatching(note),
        definition: expect.stringMatching(/SELECT/),
      });
    for (const name of ["public.z_first", "public.a_second", "public.smallest", "public.checked", 'app."we""ird näme"'])
      expect(of.get(name), `${name}: ${of.get(name)?.note}`).toMatchObject({ outcome: "converted" });
    const all = (view: string) => rows(servers.admin, `SELECT * FROM ${both.name}.\`${view}\` ORDER BY 1`);
    expect((await all("a_second")).sort()).toEqual([
      ["A", "1"],
      ["a ", "1"],
      ["a", "1"],
    ]);
    expect(await all("smallest")).toEqual([["B", "1"]]);
    expect(await all('app_we"ird näme')).toEqual([
      ["2", "1"],
      ["3", "0"],
    ]);
    expect(
      await rows(
        servers.admin,
        `SELECT SECURITY_TYPE FROM information_schema.VIEWS WHERE TABLE_SCHEMA = '${both.name}' AND TABLE_NAME = 'app_we"ird näme'`,
      ),
    ).toEqual([["INVOKER"]]);
    await expect(servers.admin.query(`INSERT INTO ${both.name}.checked VALUES (9, 0)`)).rejects.toThrow(
      /CHECK OPTION/i,
    );
  });
});
