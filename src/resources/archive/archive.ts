import * as z from "zod";
import { group } from "../group.ts";

/** Where a run's report is kept: gzip of JSON `{report, log}` under this key of the ConfigMap that the Migration or the Restore owns. */
export const archiveKey = "report.json.gz";

/** On a Migration whose reports are in the installation's bucket: the objects are removed before it goes. */
export const reportFinalizer = `${group}/report`;

const reportObjectSchema = z.object({
  name: z.string().max(253).describe("Name of the report, as status.report.configMap or status.madeIn has it."),
  bucket: z.string().max(255).describe("Name of the bucket."),
  key: z.string().max(1024).describe("Key of the object: gzip of JSON {report, log}."),
  bytes: z.int().min(0).describe("Size of the object."),
  sha256: z
    .string()
    .regex(/^[0-9a-f]{64}$/)
    .describe("SHA-256 of the object's bytes. An object with another digest is not read."),
  pending: z
    .literal(true)
    .optional()
    .describe("The report is being moved from its ConfigMap to the bucket, and is read from the ConfigMap."),
});
/** A report in the bucket, as a status names it. */
export type ReportObject = z.infer<typeof reportObjectSchema>;

/** Applied under a field manager of its own, `rowferry-report`. */
export const reportBucketSchema = z.object({
  objects: z.array(reportObjectSchema).max(16).describe("The objects."),
  problem: z
    .string()
    .max(1024)
    .optional()
    .describe(
      "Why the last request to the bucket failed. The operator tries again; until then a new report stays in its ConfigMap.",
    ),
});
export type ReportBucketStatus = z.infer<typeof reportBucketSchema>;

/** Key of a run's report in the bucket. A Migration's objects are those under its uid, whatever its status says. */
export const reportKey = (prefix: string, uid: string, run: number): string =>
  `${prefix === "" ? "" : `${prefix}/`}reports/${uid}/${run}.json.gz`;

/** Whether the key is one of this Migration's, under any prefix. */
export function isReportKey(key: string, uid: string): boolean {
  const [file = "", owner, folder] = key.split("/").reverse();
  return folder === "reports" && owner === uid && /^[1-9][0-9]{0,9}\.json\.gz$/.test(file);
}

/** Of a stored report, in a status. */
export const reportRefSchema = z.object({
  configMap: z
    .string()
    .max(253)
    .describe(
      "ConfigMap with the full report, log, and list of objects made (gzip). Where reports are kept in a bucket, status.reportBucket names the object instead.",
    ),
  bytes: z.int().min(0).optional().describe("Size of the ConfigMap's archive."),
  tables: z.int().min(0).describe("Tables copied."),
  rows: z.int().min(0).describe("Rows copied and counted on both sides."),
  reported: z
    .int()
    .min(0)
    .describe("Objects of the source that were not copied or were changed, each named in the report."),
});
type ReportRef = z.infer<typeof reportRefSchema>;

/** What a status says of a report in this ConfigMap; undefined for a result that has none. */
export const reportRef = (
  configMap: string,
  { archive, summary }: { archive?: string | undefined; summary?: Omit<ReportRef, "configMap" | "bytes"> | undefined },
): ReportRef | undefined =>
  summary && { configMap, ...(archive === undefined ? {} : { bytes: archive.length }), ...summary };
