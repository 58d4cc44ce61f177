import { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";
import { pipeline } from "node:stream/promises";
import { createGzip } from "node:zlib";
import type { CopyReport } from "../engine/contract/index.ts";
import { jsonPieces } from "../engine/run/memory/json-bytes.ts";
import type { Milestone } from "./journal.ts";

/**
 * The archive of a run: gzip in base64 of `{report, log}`, kept in a ConfigMap, which holds one MiB at most. A report that
 * is too large loses what says least, and a warning in it says so; the list of objects made stays, since a reset needs it.
 */

/** Undefined if even the shortest form does not fit. `largest` is in characters of base64. */
export async function packArchive(
  report: CopyReport,
  log: Milestone[],
  largest = 900_000,
): Promise<string | undefined> {
  const carried = (entry: { outcome: string }) => entry.outcome === "copied" || entry.outcome === "converted";
  const without = (what: string, part: Partial<CopyReport>): CopyReport => ({
    ...report,
    ...part,
    warnings: [...report.warnings.slice(0, 1_000), `The report was too large to keep completely: ${what} is omitted.`],
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
    const packed = await gzipInBase64(form());
    if (packed.length <= largest) return packed;
  }
  return undefined;
}

/** Of the text there is never all at one moment. */
async function gzipInBase64(value: object): Promise<string> {
  const gzip = createGzip({ level: 9 });
  const [packed] = await Promise.all([
    buffer(gzip),
    pipeline(Readable.from(jsonPieces(value), { highWaterMark: 1 }), gzip),
  ]);
  return packed.toString("base64");
}
