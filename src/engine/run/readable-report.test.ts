import { expect, test } from "vitest";
import type { KnownEntry } from "../contract/known.ts";
import { readableReport } from "./readable-report.ts";

test("a report has no more of an object than its schema says", () => {
  const known: KnownEntry = { kind: "index", name: "t.a", outcome: "reported", note: "as b", definition: "KEY a (a)" };
  const inventory: KnownEntry[] = [{ ...known, targetName: "b", lostKey: true, inDoubt: true, exclusion: "c" }];
  expect(readableReport({ warnings: [], inventory }).inventory).toEqual([known]);
});
