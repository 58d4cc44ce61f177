import { labels } from "../../src/resources/group.ts";
import type { Job, KubeObject, Pod } from "../../src/resources/objects.ts";

/** Jobs and pods of whatever runs as one Job at a time: a Migration's run, a BackupRun, a Restore. */

/** The limit that holds a run back; `shared`: the slots that are not reserved for those that run nothing. */
export type HeldBy = "cluster" | "shared" | "namespace" | "account" | "source" | "target";

export type Slot = { free: true } | { free: false; position: number; scope: HeldBy; limit: number };

/** A reason (CamelCase) and a sentence that tells the fix. */
export interface StateReason {
  reason: string;
  message: string;
  /** Of a run that ended by it: another run may succeed although nobody changes anything. */
  retryable?: boolean | undefined;
}

export type JobCreation =
  | { outcome: "made"; name: string; uid: string }
  /** A Job of this name exists and is somebody else's. */
  | { outcome: "taken"; name: string }
  /** The API server refused it, for instance by a quota. */
  | { outcome: "refused"; message: string; namespaceEnds?: boolean };

export const isFinished = (job: Job): boolean =>
  (job.status?.conditions ?? []).some(
    (condition) => (condition.type === "Complete" || condition.type === "Failed") && condition.status === "True",
  );

export const jobCondition = (
  job: Job,
  type: "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet" | "Suspended",
) => (job.status?.conditions ?? []).find((condition) => condition.type === type && condition.status === "True");

/** How long a worker has said nothing, in milliseconds, and when that is too long; 0: never. */
export interface Silence {
  for: number;
  most: number;
}

/** A pod that may still be doing something. */
export const isAlive = (pod: Pod): boolean => pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed";

export const podsOf = (pods: readonly Pod[], jobUid: string): Pod[] =>
  pods
    .filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === jobUid))
    .sort((a, b) => (b.metadata.creationTimestamp ?? "").localeCompare(a.metadata.creationTimestamp ?? ""));

/** The run that a Job or a pod was made for. */
export const runOf = (object: KubeObject): number => Number(object.metadata.labels?.[labels.run]);
