import { gunzipSync } from "node:zlib";
import { expect, it } from "vitest";
import type { CopyReport } from "../engine/contract/index.ts";
import { cleanReport } from "../engine/report/clean.ts";
import { createRedactor } from "../guard/redact.ts";
import { packArchive } from "./archive.ts";

const report = (parts: Partial<CopyReport> = {}): CopyReport => ({
  type: "transfer",
  source: { engine: "postgres", version: "18.6" },
  target: { engine: "postgres", version: "18.6" },
  started_at: "2026-01-01T00:00:00.000Z",
  finished_at: "2026-01-01T00:01:00.000Z",
  size: 1,
  tables: [],
  inventory: [],
  warnings: [],
  made: [{ kind: "table", name: ["public", "orders"] }],
  ...parts,
});

const open = (packed: string | undefined) =>
  JSON.parse(gunzipSync(Buffer.from(packed ?? "", "base64")).toString()) as { report: CopyReport; log: unknown[] };

it("keeps a report of usual size whole", async () => {
  const log = [{ time: "2026-01-01T00:00:00.000Z", level: "info" as const, message: "begun" }];
  expect(open(await packArchive(report(), log))).toEqual({ report: report(), log });
});

it("leaves out what says least when a report is too large, says so, and keeps the list of objects made", async () => {
  // Names that do not compress.
  const inventory = Array.from({ length: 2000 }, (_, i) => ({
    kind: "table",
    name: `${(Math.imul(i + 1, 2_654_435_761) >>> 0).toString(36)}${(Math.imul(i + 7, 40_503) >>> 0).toString(36)}`,
    outcome: i % 100 === 0 ? ("reported" as const) : ("copied" as const),
  }));
  const packed = await packArchive(report({ inventory }), [], 10_000);
  expect(packed?.length).toBeLessThanOrEqual(10_000);
  const kept = open(packed).report;
  expect(kept.inventory).toHaveLength(20);
  expect(kept.inventory.every(({ outcome }) => outcome === "reported")).toBe(true);
  expect(kept.warnings.at(-1)).toContain("is omitted");
  expect(kept.made).toEqual(report().made);
});

it("gives up only if not even the objects made fit", async () => {
  expect(await packArchive(report(), [], 10)).toBeUndefined();
});

it("cleans the sentences of a report and leaves names as they are", async () => {
  const redactor = createRedactor();
  redactor.learn("orders");
  const cleaned = cleanReport(
    report({
      warnings: ["orders failed"],
      inventory: [{ kind: "table", name: "orders", outcome: "copied", note: "as orders" }],
    }),
    redactor,
  );
  expect(cleaned.warnings).toEqual(["[redacted] failed"]);
  expect(cleaned.inventory).toEqual([{ kind: "table", name: "orders", outcome: "copied", note: "as [redacted]" }]);
  expect(cleaned.made).toEqual(report().made);
});
