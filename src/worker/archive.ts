import { gzipSync } from "node:zlib";
import type { CopyReport } from "../engine/contract.ts";
import { jsonBytes } from "../engine/memory/json-bytes.ts";
import type { Milestone } from "./journal.ts";

/**
 * The archive of a run: gzip in base64 of `{report, log}`, kept in a ConfigMap, which holds one MiB at most. A report that
 * is too large loses what says least, and a warning in it says so; the list of objects made stays, since a reset needs it.
 */

/** Undefined if even the shortest form does not fit. `largest` is in characters of base64. */
export function packArchive(report: CopyReport, log: Milestone[], largest = 900_000): string | undefined {
  const carried = (entry: { outcome: string }) => entry.outcome === "copied" || entry.outcome === "converted";
  const without = (what: string, part: Partial<CopyReport>): CopyReport => ({
    ...report,
    ...part,
    warnings: [...report.warnings.slice(0, 1_000), `The report was too large to keep whole: ${what} is left out.`],
  });
  const reported = report.inventory.filter((entry) => !carried(entry));
  const forms: (() => { report: CopyReport; log: Milestone[] })[] = [
    () => ({ report, log }),
    ...(log.length > 100 ? [() => ({ report, log: log.slice(-100) })] : []),
    () => ({ report: without("the inventory of objects copied", { inventory: reported }), log: log.slice(-100) }),
    () => ({
      report: without("the definitions, and the inventory of objects copied", {
        inventory: reported.map(({ definition: _definition, ...entry }) => entry),
      }),
      log: log.slice(-100),
    }),
    () => ({ report: without("the inventory", { inventory: [] }), log: [] }),
    () => ({ report: without("the inventory and the list of tables", { inventory: [], tables: [] }), log: [] }),
  ];
  for (const form of forms) {
    const packed = gzipSync(jsonBytes(form()), { level: 9 }).toString("base64");
    if (packed.length <= largest) return packed;
  }
  return undefined;
}
