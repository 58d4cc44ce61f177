import type { ReportRef } from "./migration.ts";

/** Where a run's report is kept: gzip of JSON `{report, log}` under this key of the ConfigMap that the Migration or the Restore owns. */
export const archiveKey = "report.json.gz";

/** What a status says of a report in this ConfigMap; undefined for a result that has none. */
export const reportRef = (
  configMap: string,
  { archive, summary }: { archive?: string | undefined; summary?: Omit<ReportRef, "configMap" | "bytes"> | undefined },
): ReportRef | undefined =>
  summary && { configMap, ...(archive === undefined ? {} : { bytes: archive.length }), ...summary };
