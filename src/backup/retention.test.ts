import { expect, test } from "vitest";
import { expiredRuns } from "./retention.ts";

const run = (text: string) => ({ id: text, at: Date.parse(`${text}:00Z`) });
const days = (from: string, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const day = new Date(Date.parse(`${from}T03:00:00Z`) - at * 86_400_000).toISOString();
    return { id: day.slice(0, 10), at: Date.parse(day) };
  });
const keptOf = (runs: { id: string; at: number }[], rules: Parameters<typeof expiredRuns>[1]) => {
  const expired = new Set(expiredRuns(runs, rules).map(({ id }) => id));
  return runs.filter(({ id }) => !expired.has(id)).map(({ id }) => id);
};

test.each([
  [
    "nothing is deleted without a rule",
    days("2026-11-24", 5),
    {},
    ["2026-11-24", "2026-11-23", "2026-11-22", "2026-11-21", "2026-11-20"],
  ],
  ["the last ones", days("2026-11-24", 5), { keepLast: 2 }, ["2026-11-24", "2026-11-23"]],
  ["no more than there are", days("2026-11-24", 2), { keepLast: 9 }, ["2026-11-24", "2026-11-23"]],
  [
    "the newest of a day with several",
    [run("2026-11-24T23:59"), run("2026-11-24T00:00"), run("2026-11-23T12:00")],
    { daily: 2 },
    ["2026-11-24T23:59", "2026-11-23T12:00"],
  ],
  [
    "days without a run are not counted",
    [run("2026-11-24T03:00"), run("2026-11-01T03:00"), run("2026-09-01T03:00")],
    { daily: 2 },
    ["2026-11-24T03:00", "2026-11-01T03:00"],
  ],
  ["weeks begin on Monday", days("2026-11-24", 10), { weekly: 2 }, ["2026-11-24", "2026-11-22"]],
  [
    "a week over the end of a year is one week",
    [run("2027-01-03T03:00"), run("2026-12-28T03:00"), run("2026-12-27T03:00")],
    { weekly: 2 },
    ["2027-01-03T03:00", "2026-12-27T03:00"],
  ],
  ["months", days("2026-11-24", 60), { monthly: 2 }, ["2026-11-24", "2026-10-31"]],
  [
    "years",
    [run("2026-11-24T03:00"), run("2025-12-31T23:59"), run("2025-01-01T00:00")],
    { yearly: 5 },
    ["2026-11-24T03:00", "2025-12-31T23:59"],
  ],
  [
    "rules add up",
    days("2026-11-24", 40),
    { keepLast: 1, daily: 2, monthly: 2 },
    ["2026-11-24", "2026-11-23", "2026-10-31"],
  ],
])("%s", (_, runs, rules, kept) => {
  expect(keptOf(runs, rules)).toEqual(kept);
});

test("the newest run is kept whatever the rules, and the order of the list does not matter", () => {
  const runs = days("2026-11-24", 30);
  for (const rules of [{ keepLast: 1 }, { daily: 1 }, { weekly: 1 }, { monthly: 1 }, { yearly: 1 }]) {
    expect(expiredRuns(runs, rules)).not.toContain(runs[0]);
    expect(expiredRuns([...runs].reverse(), rules)).toEqual(expiredRuns(runs, rules));
  }
});
