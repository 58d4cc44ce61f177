import { expect, it } from "vitest";
import type { EngineProgress } from "../engine/contract.ts";
import type { Sample } from "../engine/pace.ts";
import { frame, progressLine, widthOf } from "./bars.ts";

const progress: EngineProgress = {
  phase: "copying",
  rows: { done: 1_234_567, total: 2_000_000 },
  bytes: { done: 450_000_000, total: 900_000_000 },
  tables: { done: 3, total: 12 },
  read: 40_000_000,
  finished: 0,
  compared: 0,
  table: [
    { name: "shop.orders", rows: 50, total: 100, state: "copying" },
    { name: "shop.表😀", rows: 9, total: 9, state: "indexing" },
    { name: "shop.waiting", rows: 0, total: 9, state: "waiting" },
    { name: "a\u001b[2Jb", rows: 1, total: 4, state: "copying" },
  ],
};
// Text on the wire is less than the tables and their indexes.
const samples: Sample[] = [
  { at: 0, phase: "copying", share: 0.25, read: 10_000_000 },
  { at: 10_000, phase: "copying", share: 0.5, read: 40_000_000 },
];

it("shows percent, rows, rate, time left, and the tables in work", () => {
  expect(frame(progress, samples, { columns: 120, ascii: true })).toEqual([
    "Copying     ###########.............  46 %  1,234,567 of 2,000,000 rows  3.0 MB/s  20s left",
    "  shop.orders                          ######......  50 %",
    "  shop.表😀                            ############ indexes",
    "  a [2Jb                               ###.........  25 %",
    "  3 of 12 tables done",
  ]);
});

it("no line is wider than the terminal, and what a terminal would obey is taken out", () => {
  for (const columns of [20, 40, 61, 80, 200]) {
    const lines = frame(progress, samples, { columns, ascii: false });
    for (const line of lines) expect(widthOf(line)).toBeLessThan(columns);
    expect(lines.join("\n")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  }
});

it("knows neither rate nor time at the start", () => {
  const start: EngineProgress = { ...progress, phase: "connecting", rows: { done: 0, total: 0 }, table: [] };
  expect(frame(start, [], { columns: 80, ascii: true })).toEqual(["Connecting  ........................   0 %  "]);
});

it("one line for a log", () => {
  expect(progressLine(progress, samples)).toBe("46 % (copying): 1,234,567 rows, 3 of 12 tables done, 20s left");
});
