import { afterAll, beforeAll, expect, test } from "vitest";
import { error } from "../../support/engine/mysql-support.ts";
import { run } from "../../support/engine/run.ts";
import { directions, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** The same fault ends a copy with the same code and the same form of message in each direction. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const columns = "id int, n int, s varchar(20)";
const odd = { mariadb: "REVERSE(s) <> 'dab'", postgres: "pg_catalog.reverse(s::text) <> 'dab'" };
const doubled = "(1, 1, 'a'), (2, 1, 'b')";

/** Counted before a row is written. */
const counted: [fault: string, table: string, rows: string, column: string][] = [
  ["a number out of range", columns.replace("n int", "n smallint"), "(1, 100000, 'a')", "n"],
  ["NULL", columns.replace("n int", "n int NOT NULL"), "(1, NULL, 'a')", "n"],
  ["a text that is too long", columns.replace("20", "2"), "(1, 1, 'long')", "s"],
];

/** Refused by the target's server while it loads the rows. */
const loaded = (to: keyof typeof odd): [fault: string, table: string, rows: string, named: string][] => [
  ["two rows of one unique key", `${columns}, CONSTRAINT twice UNIQUE (n)`, doubled, "twice"],
  ["two rows of one primary key", `${columns}, PRIMARY KEY (n)`, doubled, to === "postgres" ? "t_pkey" : "PRIMARY"],
  ["a check that only the server can tell", `${columns}, CONSTRAINT odd CHECK (${odd[to]})`, "(1, 1, 'bad')", "odd"],
];

async function refused(from: keyof typeof odd, to: keyof typeof odd, table: string, rows: string) {
  const made = [`CREATE TABLE t (${columns})`, `INSERT INTO t VALUES ${rows}`];
  const [source, target] = [await servers.make(from, made), await servers.make(to, [`CREATE TABLE t (${table})`])];
  const failed = await error(
    run({ source: source.endpoint, target: target.endpoint }, { options: { jobs: 2, content: "data" } }),
  );
  expect(failed).toMatchObject({ code: "data_refused", retryable: false });
  return failed.message;
}

test.each(directions)("%s to %s, rows alone: refused rows are named by the source's table", async (from, to) => {
  const name = from === "postgres" ? "public\\.t" : "t";
  for (const [fault, table, rows, column] of counted)
    expect(await refused(from, to, table, rows), fault).toMatch(
      new RegExp(`^nothing was written: table ${name}, column ${column} \\([^;]*: 1 value does not fit`),
    );
  for (const [fault, table, rows, named] of loaded(to))
    expect(await refused(from, to, table, rows), fault).toMatch(
      new RegExp(`^table ${name}: the target .*\\b${named}\\b`),
    );
});

/** MySQL has the unique index of a small table before its rows: it refuses the row. */
test.each([
  ["postgres", "duplicate_key", /^table public\.t: a unique index cannot be built: .*\btwice\b/],
  ["mariadb", "data_refused", /^table public\.t: the target took 1 of 2 rows.*\btwice\b/],
] as const)("postgres to %s: rows that are equal in a unique index end the copy with %s", async (to, code, message) => {
  const source = await servers.make("postgres", [
    "CREATE TABLE t (id int PRIMARY KEY, n int NOT NULL)",
    "INSERT INTO t VALUES (1, 7), (2, 7)",
    "CREATE INDEX twice ON t (n)",
    // As after damage to the source's index.
    "UPDATE pg_catalog.pg_index SET indisunique = true WHERE indexrelid = 'twice'::regclass",
  ]);
  const target = await servers.make(to, []);
  await expect(run({ source: source.endpoint, target: target.endpoint })).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
    retryable: false,
  });
});

test.each(directions)("%s to %s, rows alone: rows without a parent are named, or end the copy", async (from, to) => {
  const made = ["CREATE TABLE p (id int PRIMARY KEY)", "CREATE TABLE t (id int PRIMARY KEY, n int)"];
  const key = "ALTER TABLE t ADD CONSTRAINT of_p FOREIGN KEY (n) REFERENCES p (id)";
  const [source, target] = [
    await servers.make(from, [...made, "INSERT INTO t VALUES (1, 5), (2, NULL)"]),
    await servers.make(to, [...made, key]),
  ];
  const copying = run({ source: source.endpoint, target: target.endpoint }, { options: { jobs: 2, content: "data" } });
  if (to === "postgres") await expect(copying).rejects.toMatchObject({ code: "foreign_key_violated" });
  else
    expect((await copying).report.warnings).toEqual([
      "1 rows of table t have no parent in p, which its foreign key of_p asks for",
    ]);
});

test("rows alone into MySQL: a key that cannot be looked at is named, and ends no copy", async () => {
  const made = ["CREATE TABLE t (id int PRIMARY KEY, n int)"];
  const lost = [
    "SET foreign_key_checks = 0",
    "CREATE TABLE t (id int PRIMARY KEY, n int, CONSTRAINT of_gone FOREIGN KEY (n) REFERENCES gone (id))",
  ];
  for (const from of ["mariadb", "postgres"] as const) {
    const [source, target] = [
      await servers.make(from, [...made, "INSERT INTO t VALUES (1, 5)"]),
      await servers.make("mariadb", lost),
    ];
    const { report } = await run(
      { source: source.endpoint, target: target.endpoint },
      { options: { jobs: 2, content: "data" } },
    );
    expect(report.tables.map(({ rows }) => rows)).toEqual([{ source: 1, target: 1 }]);
    expect(report.warnings).toEqual([
      expect.stringMatching(/^foreign key of_gone of table t was not checked: Table '.*\.gone' doesn't exist/),
    ]);
  }
});
