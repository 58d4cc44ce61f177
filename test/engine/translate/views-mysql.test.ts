import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { postgresScript } from "../../samples/index.ts";
import type { Flavour } from "../../support/engine/mysql-support.ts";
import { pair, rows, type Servers, startServers } from "../../support/engine/postgres-mysql-support.ts";
import { run } from "../../support/engine/run.ts";
import { expectGoneByReset, expectViews, views } from "../../support/engine/views-of-postgres.ts";

/** Views of PostgreSQL in MySQL and MariaDB: what is made shows the same rows, and the rest is reported with its reason. */

/** Of test/samples/rental/postgres/5-views.sql. */
const made = [
  "archive.notices",
  "public.best_of_age",
  "public.branch_income",
  "public.busy_branches",
  "public.cheap_films",
  "public.crew_list",
  "public.distinct_names",
  "public.family_films",
  "public.film_numbers",
  "public.film_ranks",
  "public.last_film_of_person",
  "public.lendable_films",
  "public.lent_and_liked",
  "public.loan_days",
  "public.longest_films",
  "public.longest_of_age",
  "public.member_list",
  "public.member_totals",
  "public.never_on_tape",
  "public.odd_texts",
  "public.seasoned_people",
  "public.short_or_long",
  "public.short_or_long_kind",
  "public.unborn_first",
  "public.whole_films",
];

/** Of test/samples/rental/postgres/6-more-views.sql. */
const reported = {
  "archive.all_notices": /archive\.notice shows the rows of tables that inherit from it/,
  "public.after_m": /text is ordered by PostgreSQL's collation.*draft: SELECT/,
  "public.chain_of_bosses": /recursive queries/,
  "public.debts": /the function public\.debt_of is the source's own/,
  "public.depths": /public\.chain_of_bosses is not copied/,
  "public.film_list": /the function public\.joined is the source's own/,
  "public.found_films": /the function to_tsquery\(\)/,
  "public.lately": /the function now\(\)/,
  "public.matched": /FULL JOIN/,
  "public.mean_price": /avg\(\), whose quotient has other digits/,
  "public.numbered_titles": /the operator ~/,
  "public.one_of_each": /DISTINCT ON/,
  "public.people_in_line": /GROUP_CONCAT, which is cut at group_concat_max_len; draft: SELECT/,
  "public.shouted_titles": /upper\(\), of which the engines know different letters/,
  "public.skilled": /array is not translated/,
  "public.two_latest": /LATERAL/,
  "public.wished_genres": /the operator ->>/,
};

let servers: Servers;

describe.each<Flavour>(["mysql", "mariadb"])("views of PostgreSQL in %s", (flavour) => {
  beforeAll(async () => {
    servers = await startServers(flavour);
  });
  afterAll(() => servers?.close());

  test("of the film rental show the same rows, or are reported with a reason, and go with a reset", async () => {
    const both = await pair(servers, postgresScript("rental"));
    const ran = await run(both);
    // MariaDB mixes several windows up.
    const several = "public.several_ranks";
    await expectViews(ran, both, servers.admin, {
      made: flavour === "mysql" ? [...made, several] : made,
      reported: flavour === "mysql" ? reported : { ...reported, [several]: /several windows in one query/ },
      // Arrays and full-text documents are another text in MySQL.
      columns: {
        "public.whole_films": "film_no, title, plot, made, language, minutes, day_price, days, price, from_age",
      },
    });
    await expectGoneByReset(ran, both, servers.admin);
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
       CREATE VIEW far_name AS SELECT i AS "far 😀" FROM alone;
       CREATE VIEW fixed_rows AS SELECT i FROM alone WHERE i IN (SELECT i FROM alone) WITH CHECK OPTION;
       CREATE VIEW on_fixed_rows AS SELECT i FROM fixed_rows;
       CREATE TABLE "far 😀" (i int PRIMARY KEY, j int, "far 😁" int); INSERT INTO "far 😀" VALUES (1, 5, 7), (2, 1, 1);
       CREATE VIEW of_far AS WITH "w 😀 " AS (SELECT i FROM "far 😀") SELECT "far 😀".i, "far 😁 "."j😀" AS j FROM "far 😀" JOIN "w 😀 " USING (i)
         JOIN (SELECT i, "far 😁" AS "j😀" FROM "far 😀") "far 😁 " ON "far 😁 ".i = "far 😀".i WHERE "far 😀".j > 1;
       CREATE VIEW by_words AS WITH "two words" AS (SELECT i FROM alone), "select" AS (SELECT i FROM "two words") SELECT i FROM "select";
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
      ["on_gone", /gone is not copied/],
      ["bad_name", /MySQL cannot keep the column's name ends with a space /],
      ["far_name", /MySQL cannot keep the column's name far 😀/],
      ["fixed_rows", /target refuses its translation/],
      ["on_fixed_rows", /fixed_rows is not copied/],
      ["on_bad_name", /bad_name is not copied/],
      ["cased", /without case/],
      ["counting", /VALUES/],
    ] as const)
      expect(of.get(`public.${name}`), name).toMatchObject({
        outcome: "reported",
        note: expect.stringMatching(note),
        definition: expect.stringMatching(/SELECT/),
      });
    for (const name of [
      "public.of_far",
      "public.by_words",
      "public.z_first",
      "public.a_second",
      "public.smallest",
      "public.checked",
      'app."we""ird näme"',
    ])
      expect(of.get(name), `${name}: ${of.get(name)?.note}`).toMatchObject({ outcome: "converted" });
    const all = (view: string) => rows(servers.admin, `SELECT * FROM ${both.name}.\`${view}\` ORDER BY 1`);
    expect((await all("a_second")).sort()).toEqual([
      ["A", "1"],
      ["a ", "1"],
      ["a", "1"],
    ]);
    expect(await all("of_far")).toEqual([["1", "7"]]);
    expect(await all("by_words")).toEqual([["1"], ["2"], ["3"]]);
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
