import { afterAll, beforeAll, describe, test } from "vitest";
import type { Flavour } from "../support/engine/mysql-support.ts";
import { inSource, pair, type Servers, startServers } from "../support/engine/postgres-mysql-support.ts";
import { run } from "../support/engine/run.ts";
import { expectGoneByReset, expectViews, sourceUrl } from "../support/engine/views-of-postgres.ts";
import { pagila } from "./scripts.ts";

/** Views over Pagila's tables, in MySQL and MariaDB. */

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

const reason = /group_concat|source's own|not translated|not copied/;

describe.each<Flavour>(["mysql", "mariadb"])("views of PostgreSQL in %s", (flavour) => {
  let servers: Servers;
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("of Pagila show the same rows, or are reported with a reason, and go with a reset", async () => {
    const both = await pair(servers, pagila());
    await inSource(
      sourceUrl(both),
      `CREATE TABLE rents AS SELECT rental_id, customer_id, lower(rental_period)::timestamp AS rental_date FROM rental; CREATE INDEX ON rents (customer_id); CREATE INDEX ON payment (rental_id);
       ALTER TABLE address ADD original int; UPDATE address SET original = address_id % 7 WHERE address_id % 3 = 0;
       ${Object.entries(own)
         .map(([name, sql]) => `CREATE VIEW ${name} AS ${sql};`)
         .join("\n")}`,
    );
    const ran = await run(both);
    // MariaDB mixes several windows up.
    const mixedUp = flavour === "mysql" ? {} : { "public.v_ranks": /several windows/ };
    await expectViews(ran, both, servers.admin, {
      made: [
        ...["customer_list", "family_films", "sales_by_film_category", "sales_by_store", "sales_top5_by_film_category"],
        ...["staff_list", ...Object.keys(own)],
      ]
        .map((name) => `public.${name}`)
        .filter((name) => !(name in mixedUp)),
      reported: {
        ...mixedUp,
        "legacy.rental": reason,
        "public.actor_info": reason,
        "public.film_list": reason,
        "public.films_per_customer_rental": reason,
        "public.rental_report": reason,
      },
      // Arrays and full-text documents are another text in MySQL.
      columns: { "public.v_whole": "film_id, title, rating, length" },
    });
    await expectGoneByReset(ran, both, servers.admin);
  });
});
