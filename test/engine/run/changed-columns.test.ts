import { afterAll, beforeAll, expect, test } from "vitest";
import { interrupted, run } from "../../support/engine/run.ts";
import { type Kind, startTwoKinds, type TwoKinds } from "../../support/engine/two-kinds.ts";

/** Values that the copy changes to fit the target are not among those that are equal. */

let servers: TwoKinds;
beforeAll(async () => {
  servers = await startTwoKinds();
});
afterAll(() => servers?.stop());

const grow = (rows: number) =>
  Array.from({ length: rows }, (_, n) => `INSERT INTO big SELECT id + ${2 ** n}, v FROM big`);
const big = ["CREATE TABLE big (id int PRIMARY KEY, v varchar(200))", "INSERT INTO big VALUES (0, repeat('x', 190))"];

const cases: readonly [Kind, Kind, readonly string[], number][] = [
  [
    "mariadb",
    "postgres",
    [
      "SET sql_mode = ''",
      "CREATE TABLE a (id int PRIMARY KEY, w text, d date, s varchar(9), e enum('', 'x'), f enum('x'), g set('', 'x'), h enum('', 'x'))",
      "INSERT INTO a VALUES (1, 'x\\0y\\0', '0000-00-00', 'x', 'bad', 'bad', '', ''), (2, 'z\\0', '2020-01-01', 'y', '', 'x', 1, 'x'), (3, '', NULL, '', 'worse', NULL, 1, NULL)",
    ],
    4,
  ],
  [
    "postgres",
    "mariadb",
    [
      "CREATE TABLE a (id int PRIMARY KEY, d date, s varchar(9))",
      "INSERT INTO a VALUES (1, 'infinity', 'x'), (2, '2020-01-01', 'y')",
    ],
    1,
  ],
];

test.each(cases)(
  "%s to %s: the sentence that says what is equal counts the columns, also of a table that is kept",
  async (from, to, table, changed) => {
    const both = {
      source: (await servers.make(from, [...table, ...big, ...grow(14)])).endpoint,
      target: (await servers.make(to, [])).endpoint,
    };
    const done = ({ table: tables }: { table: readonly { name: string; state: string }[] }) =>
      tables.length > 0 && tables.every(({ name, state }) => name.endsWith("big") || state === "done");
    await interrupted(both, done, { bandwidth: 300_000, verify: "checksum" });
    for (const reset of [false, true]) {
      const { report, logs } = await run(both, { reset, options: { jobs: 2, verify: "checksum" } });
      expect(report.resumed?.kept.length ?? 0).toBe(reset ? 0 : 1);
      expect(report.changed_columns).toBe(changed);
      expect(logs.join("\n")).toMatch(
        new RegExp(`all values are equal, after values in ${changed} columns? were changed to fit the target`),
      );
    }
  },
);
