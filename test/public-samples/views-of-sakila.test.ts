import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Flavour, pair, type Servers, startServers } from "../support/engine/mysql-support.ts";
import { run } from "../support/engine/run.ts";
import { expectGoneByReset, expectViews } from "../support/engine/views-of-mysql.ts";
import { sakilaIn } from "./scripts.ts";

/** Views over Sakila's tables, in PostgreSQL. */

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

const collation = /collation|ASCII|GROUP_CONCAT/;

describe.each(["mysql", "mariadb"] as Flavour[])("views of %s", (engine) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(engine);
  });
  afterAll(() => servers?.close());

  test("of Sakila show the same rows in PostgreSQL, or are reported with a reason, and go with a reset", async () => {
    const both = await pair(servers, "DO 0");
    for (const sql of sakilaIn(both.source.database)) await servers.admin.query(sql);
    for (const [name, sql] of Object.entries(own)) await servers.admin.query(`CREATE VIEW ${name} AS ${sql}`);
    const ran = await run(both);
    expect(ran.report.tables.length).toBe(16);
    await expectViews(ran, servers.admin, both.pg, {
      made: ["customer_list", "sales_by_store", "staff_list", ...Object.keys(own)],
      reported: {
        actor_info: collation,
        film_list: collation,
        nicer_but_slower_film_list: collation,
        sales_by_film_category: collation,
      },
    });
    await expectGoneByReset(ran, both.target, both.pg);
  });
});
