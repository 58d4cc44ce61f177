import { afterAll, beforeAll, expect, test } from "vitest";
import { run } from "../../support/engine/run.ts";
import { directions, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

test.each(directions)(
  "%s to %s: a column that takes no NULL takes none in the target, and others do",
  async (from, to) => {
    const schema = [
      "CREATE TABLE strict (id int PRIMARY KEY, needed varchar(20) NOT NULL, optional varchar(20))",
      "INSERT INTO strict VALUES (1, 'one', NULL)",
    ];
    const [source, target] = [await servers.make(from, schema), await servers.make(to, [])];
    const { copied } = await run({ source: source.endpoint, target: target.endpoint });
    await copied.finish();
    await servers.run(target, "INSERT INTO strict VALUES (2, 'two', NULL)");
    await expect(servers.run(target, "INSERT INTO strict VALUES (3, NULL, 'three')")).rejects.toThrow(/null/i);
  },
);

test.each(directions)(
  "%s to %s: rows alone, NULL is counted for columns that take none, and nothing is written",
  async (from, to) => {
    const clock = from === "postgres" && to === "mariadb" ? "datetime" : "timestamp";
    const rows = [
      "INSERT INTO strict VALUES (1, NULL, 'a', NULL, 5), (2, 'x', NULL, NULL, NULL), (3, 'y', 'b', '2020-01-01', 5)",
    ];
    const [source, target] = [
      await servers.make(from, [
        "CREATE TABLE strict (id int PRIMARY KEY, a varchar(9), b text, t timestamp NULL, n int)",
        ...rows,
      ]),
      await servers.make(to, [
        `CREATE TABLE strict (id int PRIMARY KEY, a varchar(9) NOT NULL, b text, t ${clock} NOT NULL DEFAULT '2000-01-01 00:00:00', n bigint NOT NULL)`,
      ]),
    ];
    const both = { source: source.endpoint, target: target.endpoint };
    const failed = await run(both, { options: { jobs: 2, content: "data" } }).then(
      () => new Error("it was copied"),
      (error: Error) => error,
    );
    expect(failed).toMatchObject({ code: "data_refused", retryable: false });
    for (const [column, count] of Object.entries({ a: "1 value does", t: "2 values do", n: "1 value does" }))
      expect(failed.message).toMatch(
        new RegExp(`strict, column ${column} \\([^;]*: ${count} not fit \\(NULL, which the column does not take\\)`),
      );
    expect(failed.message).not.toContain("column b");
    await servers.run(target, "INSERT INTO strict VALUES (1, 'a', 'b', '2020-01-01', 1)");
    await servers.run(target, "DELETE FROM strict");
    await servers.run(source, "DELETE FROM strict WHERE id < 3");
    await (await run(both, { options: { jobs: 2, content: "data" } })).copied.finish();
  },
);

test("rows alone, a value that becomes NULL is counted for a column that takes none", async () => {
  const dated = await servers.make("mariadb", [
    "SET SESSION sql_mode = ''; CREATE TABLE d (id int PRIMARY KEY, d date NOT NULL); INSERT INTO d VALUES (1, '0000-00-00'), (2, '2020-02-29'), (3, '2020-00-10')",
  ]);
  const there = await servers.make("postgres", ["CREATE TABLE d (id int PRIMARY KEY, d date NOT NULL)"]);
  const options = { jobs: 2, content: "data" as const };
  await expect(run({ source: dated.endpoint, target: there.endpoint }, { options })).rejects.toMatchObject({
    code: "data_refused",
    message: expect.stringMatching(/d, column d [^;]*: 2 values do not fit \(a date that PostgreSQL does not know/),
  });
  const numbers = await servers.make("postgres", [
    "CREATE TABLE n (id int PRIMARY KEY, f float8 NOT NULL, n numeric(9,2) NOT NULL, d date NOT NULL); INSERT INTO n VALUES (1, 'NaN', 'NaN', 'infinity'), (2, 1.5, 1.5, '0044-03-15 BC'), (3, 0, 0, '9999-12-31'), (4, 0, 0, '10000-01-01')",
  ]);
  const known = await servers.make("mariadb", [
    "CREATE TABLE n (id int PRIMARY KEY, f double NOT NULL, n decimal(9,2) NOT NULL, d date NOT NULL)",
  ]);
  const failed = await run({ source: numbers.endpoint, target: known.endpoint }, { options }).then(
    () => new Error("it was copied"),
    (error: Error) => error,
  );
  expect(failed).toMatchObject({ code: "data_refused" });
  for (const [column, count] of Object.entries({ f: "1 value does", n: "1 value does", d: "3 values do" }))
    expect(failed.message).toMatch(
      new RegExp(`column ${column} \\([^;]*: ${count} not fit \\(a value that MySQL does not know`),
    );
});
