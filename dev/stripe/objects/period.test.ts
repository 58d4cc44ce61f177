import { expect, it } from "vitest";
import { after } from "./period.ts";

const seconds = (text: string): number => Date.parse(text) / 1000;

it.each([
  ["2026-01-15T10:00:00Z", "month", 1, "2026-02-15T10:00:00Z"],
  ["2026-01-31T10:00:00Z", "month", 1, "2026-02-28T10:00:00Z"],
  ["2028-02-29T00:00:00Z", "year", 1, "2029-02-28T00:00:00Z"],
  ["2026-12-31T23:59:59Z", "month", 3, "2027-03-31T23:59:59Z"],
  ["2026-03-01T00:00:00Z", "week", 2, "2026-03-15T00:00:00Z"],
  ["2026-03-01T00:00:00Z", "day", 1, "2026-03-02T00:00:00Z"],
] as const)("a period from %s of each %s × %i ends at %s", (start, interval, count, end) => {
  expect(after(seconds(start), { recurring: { interval, interval_count: count } })).toBe(seconds(end));
});
