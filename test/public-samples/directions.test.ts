import { afterAll, beforeAll, expect, test } from "vitest";
import { reportSchema } from "../../src/engine/report/schema.ts";
import { reset } from "../../src/engine/run/reset.ts";
import { assessed, run } from "../support/engine/run.ts";
import { endPlaces, type Kind, type Place, place, startPlaces } from "../support/engine/verify-places.ts";
import { pagila, sakilaIn } from "./scripts.ts";

/** Sakila and Pagila in four directions: all tables are copied, and the same query gives the same sums on both servers. */

beforeAll(startPlaces);
afterAll(endPlaces);

async function sampleOf(kind: Kind): Promise<Place> {
  const made = await place(kind);
  if (kind === "postgres") await made.run(pagila());
  else {
    await made.run("SET SESSION sql_mode = 'NO_AUTO_VALUE_ON_ZERO'");
    for (const statement of sakilaIn(made.endpoint.database)) await made.run(statement);
  }
  return made;
}

/** Rows of a table, with the sum of a column of numbers and one of texts' lengths. */
const sums = async (at: Place, table: string, number: string, text: string): Promise<string[]> => {
  const sql = `SELECT count(*) AS n, sum(${number}) AS total, sum(octet_length(${text})) AS bytes FROM ${table}`;
  return (await at.row(sql)).map((value) => String(Number(value)));
};

test.each<[Kind, Kind, string, number]>([
  ["mysql", "mariadb", "transfer", 16],
  ["mysql", "postgres", "conversion", 16],
  ["postgres", "postgres", "transfer", 22],
  ["postgres", "mariadb", "conversion", 16],
])("%s → %s: a sample database is copied and its values are verified", async (from, to, type, tables) => {
  const [source, target] = [await sampleOf(from), await place(to)];
  const both = { source: source.endpoint, target: target.endpoint };
  expect((await assessed(both)).type).toBe(type);
  const { report, copied } = await run(both, { options: { jobs: 2, verify: "checksum" } });
  await copied.finish();
  expect(report.tables).toHaveLength(tables);
  expect(report.tables.reduce((sum, { rows }) => sum + rows.target, 0)).toBeGreaterThan(40_000);
  expect(report.verification).toMatchObject({ level: "checksum", differences: [] });
  for (const [table, number, text] of [
    ["film", "length", "description"],
    ["payment", "amount", "''"],
    ["customer", "address_id", "email"],
  ] as const) {
    const expected = await sums(source, table, number, text);
    expect([table, ...(await sums(target, table, number, text))]).toEqual([table, ...expected]);
    expect(Number(expected[0])).toBeGreaterThan(500);
  }
});

test("Sakila is copied, reset and copied again, with a report that matches its schema", async () => {
  const [source, target] = [await sampleOf("mysql"), await place("postgres")];
  const both = { source: source.endpoint, target: target.endpoint };
  expect(await assessed(both)).toMatchObject({ ready: true, type: "conversion", source: { tables: 16 } });
  const first = await run(both);
  expect(reportSchema.parse(first.report)).toEqual(first.report);
  expect(await target.row("SELECT count(*) FROM film")).toEqual(["1000"]);
  await first.copied.finish();
  const { made, target: madeIn } = first.report;
  const { left } = await reset(
    { owner: "owner-1", ownerName: "the test", target: both.target, made, madeIn },
    { signal: new AbortController().signal, log: () => undefined },
  );
  expect(left).toEqual([]);
  const again = await run(both);
  await again.copied.finish();
  expect(again.report.tables).toHaveLength(16);
  expect(await target.row("SELECT count(*) FROM film")).toEqual(["1000"]);
});
