import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { mysqlStatements } from "../../samples/index.ts";
import { type Flavour, pair, type Servers, startServers } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";
import { expectGoneByReset, expectViews, views } from "../../support/engine/views-of-mysql.ts";

/** Views of MySQL and MariaDB in PostgreSQL: what is made shows the same rows, and the rest is reported with its reason. */

/** Of test/samples/rental/mysql/4-views.sql. */
const made = [
  "branch_income",
  "busy_branches",
  "cheap_films",
  "crew_list",
  "disc_formats",
  "film_prices",
  "genre_numbers",
  "genre_sizes",
  "last_film_of_person",
  "lendable_films",
  "loan_states",
  "loans_by_month",
  "longest_films",
  "member_list",
  "member_totals",
  'own "loans"',
  "seasoned_people",
  "short_or_long",
  "short_or_long_kind",
];

/** Of test/samples/rental/mysql/5-more-views.sql. */
const reported = {
  chain_of_bosses: /recursive queries/,
  changes_by_hour: /a timestamp's date depends on the session's time zone/,
  debts: /the function DEBT_OF\(\)/,
  film_list: /text is ordered by the collation utf8mb4_\w+_ci/,
  film_ranks: /RANK\(\)/,
  first_places: /film_ranks is not copied/,
  found_films: /MATCH … AGAINST has no equal/,
  income_by_genre: /GROUP BY of text in the collation utf8mb4_\w+_ci.*draft: SELECT/,
  income_with_totals: /WITH ROLLUP/,
  loan_hours: /the function TIMESTAMPDIFF\(\)/,
  members_named_anna: /text is compared in the collation utf8mb4_\w+_ci.*draft: SELECT/,
  wished_genres: /the function JSON_EXTRACT\(\)/,
};

/** Where the servers write the same view in other words. */
const reportedOf = {
  mysql: { numbered_titles: /the function REGEXP_LIKE\(\)/, shouted_titles: /UPPER\(\) of text/ },
  mariadb: { numbered_titles: /regular expressions, whose dialects differ/, shouted_titles: /UCASE\(\) of text/ },
};

let servers: Servers | undefined;

describe.each(["mysql", "mariadb"] as Flavour[])("views of %s", (engine) => {
  beforeAll(async () => {
    servers = await startServers(engine);
  });
  afterAll(async () => servers?.close());

  test("of the film rental show the same rows in PostgreSQL, or are reported with a reason, and go with a reset", async () => {
    const { admin } = servers as Servers;
    const both = await pair(servers as Servers, "DO 0");
    for (const statement of mysqlStatements("rental")) await admin.query(statement);
    const ran = await run(both);
    expect(ran.report.tables.length).toBe(18);
    await expectViews(ran, admin, both.pg, { made, reported: { ...reported, ...reportedOf[engine] } });
    await expectGoneByReset(ran, both.target, both.pg);
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
      note: expect.stringMatching(/wide is not copied/),
    });
    expect(of.get("on_gone")).toMatchObject({
      outcome: "reported",
      note: expect.stringMatching(/gone is not copied/),
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
