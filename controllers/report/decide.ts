import { isReportKey, type ReportObject, reportFinalizer, reportKey } from "../../src/resources/archive/archive.ts";
import type { Migration } from "../../src/resources/migration.ts";

/**
 * What to do about the reports of one Migration in the installation's bucket: no clock, no randomness, no I/O.
 *
 * Invariants: a report is in a ConfigMap first, so that no result waits for the bucket, and the ConfigMap is deleted only when the object is
 * stored; no object is stored that the status does not name and the finalizer does not hold; an object is removed only by its own key.
 */
export type Act =
  /** Copies a ConfigMap's archive into the bucket, and deletes the ConfigMap. */
  | { kind: "store"; name: string; key: string }
  /** Reports of earlier runs that nothing needs any more. */
  | { kind: "remove"; objects: ReportObject[] }
  /** The Migration is being deleted. `left`: not in the installation's bucket, or not its own. */
  | { kind: "release"; objects: ReportObject[]; left: ReportObject[] };

/** The bucket, as the settings name it. */
interface BucketName {
  name: string;
  prefix: string;
}

export function decide({ metadata, status }: Migration, bucket: BucketName | undefined): Act | undefined {
  const objects = status?.reportBucket?.objects ?? [];
  const isOurs = ({ bucket: name, key }: ReportObject) => name === bucket?.name && isReportKey(key, metadata.uid);
  if (metadata.deletionTimestamp !== undefined) {
    if (!metadata.finalizers?.includes(reportFinalizer)) return undefined;
    return { kind: "release", objects: objects.filter(isOurs), left: objects.filter((object) => !isOurs(object)) };
  }
  if (bucket === undefined) return undefined;
  const { report, madeIn, state, run } = status ?? {};
  const stale = objects.filter(({ name }) => name !== report?.configMap && name !== madeIn).filter(isOurs);
  if (stale.length > 0) return { kind: "remove", objects: stale };
  const isStored = objects.some(({ name, pending }) => name === report?.configMap && pending !== true);
  // Without `bytes` there is no archive: it was too large to be kept.
  if (state !== "completed" || run === undefined || report?.bytes === undefined || isStored) return undefined;
  return { kind: "store", name: report.configMap, key: reportKey(bucket.prefix, metadata.uid, run) };
}
