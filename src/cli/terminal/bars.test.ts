import { expect, it } from "vitest";
import type { EngineProgress } from "../../engine/contract/index.ts";
import type { PaceSample } from "../../engine/run/pace.ts";
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
const samples: PaceSample[] = [
  { at: 0, phase: "copying", share: 0.25, read: 10_000_000 },
  { at: 10_000, phase: "copying", share: 0.5, read: 40_000_000 },
];

const looks = { columns: 120, ascii: true, at: 10_000, since: 4_000 };

it("shows percent, a range for the end, rows, bytes, rate, and the tables in work", () => {
  expect(frame(progress, samples, looks)).toEqual([
    "| Copying          ##########..............  42 %  20s to 26s left",
    "  1,234,567 of 2,000,000 rows   450 MB of 900 MB   3.0 MB/s   3 of 12 tables",
    "  shop.orders                          ######......  50 %",
    "  shop.表😀                            ############ indexes",
    "  a [2Jb                               ###.........  25 %",
  ]);
});

it("no line is wider than the terminal, and what a terminal would obey is taken out", () => {
  for (const columns of [20, 40, 61, 80, 200]) {
    const lines = frame(progress, samples, { ...looks, columns, ascii: false });
    for (const line of lines) expect(widthOf(line)).toBeLessThan(columns);
    expect(lines.join("\n")).not.toMatch(/[\u0000-\u0009\u000b-\u001f]/);
  }
});

it.each(["connecting", "schema", "copying", "constraints", "verifying", "finished"] as const)(
  "moves in the phase %s, even where nothing else is known",
  (phase) => {
    const still: EngineProgress = { ...progress, phase, table: [] };
    const shown = [0, 100, 1_000].map((later) => frame(still, [], { ...looks, at: looks.at + later }).join("\n"));
    expect(new Set(shown).size).toBe(3);
    expect(shown[0]).toContain(" %  6s");
    expect(shown[2]).toContain(" %  7s");
  },
);

it("counts rows, and their rate, while values are compared", () => {
  const verifying: EngineProgress = { ...progress, phase: "verifying", compared: 500_000, table: [] };
  const compared: PaceSample[] = [
    { at: 0, phase: "verifying", share: 0, read: 0 },
    { at: 10_000, phase: "verifying", share: 0.25, read: 0 },
  ];
  expect(frame(verifying, compared, looks)).toEqual([
    "| Verifying        #######################.  96 %  30s left",
    "  500,000 of 2,000,000 rows compared   50,000 rows/s   3 of 12 tables",
  ]);
});

it("knows neither rate nor time at the start", () => {
  const start: EngineProgress = { ...progress, phase: "connecting", rows: { done: 0, total: 0 }, table: [] };
  expect(frame(start, [], { ...looks, since: looks.at, columns: 80 })).toEqual([
    "| Connecting       ........................   0 %  0s",
  ]);
});

it("one line for a log", () => {
  expect(progressLine(progress, samples)).toBe(
    "42 % (copying), 1,234,567 of 2,000,000 rows, 450 MB of 900 MB, 3.0 MB/s, 3 of 12 tables, 20s to 26s left",
  );
});
