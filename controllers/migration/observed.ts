import { labels } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import type { Job, KubeObject, Pod } from "../../src/resources/objects.ts";

/** What a pass sees of one Migration and its surroundings. */
export interface Observed {
  migration: Migration;
  /** Every Job that the Migration owns, of any run. */
  jobs: readonly Job[];
  /** Every pod of those Jobs. */
  pods: readonly Pod[];
  /** Whether a run may start now. */
  slot: Slot;
  /** Why the current run's pod does not start, where events had to tell. */
  trouble?: Trouble;
  /** What came of making the run's Job in this pass. */
  made?: Made;
  /** The recorded Job was looked for at the API server itself and is not there. */
  confirmedGone?: boolean;
  /** Milliseconds that a sealed URL is kept after the end; for ever without. */
  urlsKept?: number;
  /** What came of `begin-free` or `use-free` in this pass. */
  free?: "begun" | "used" | "not-its-own";
  /** The installation has no Stripe key: nobody can pay, and nothing is captured. */
  isBillingOff?: boolean;
  /** The API server itself says that no pod of the Migration is alive. */
  confirmedIdle?: boolean;
}

export type Slot =
  | { free: true }
  | { free: false; position: number; scope: "cluster" | "namespace" | "account"; limit: number };

/** A reason (CamelCase) and a sentence that tells the fix. */
export interface Trouble {
  reason: string;
  message: string;
}

export type Made =
  | { outcome: "made"; name: string; uid: string }
  /** A Job of this name exists and is not this Migration's. */
  | { outcome: "taken"; name: string }
  /** The API server refused it, for instance by a quota. */
  | { outcome: "refused"; message: string };

export const isFinished = (job: Job): boolean =>
  (job.status?.conditions ?? []).some(
    (condition) => (condition.type === "Complete" || condition.type === "Failed") && condition.status === "True",
  );

export const jobCondition = (job: Job, type: "Complete" | "Failed" | "FailureTarget" | "SuccessCriteriaMet") =>
  (job.status?.conditions ?? []).find((condition) => condition.type === type && condition.status === "True");

/** A pod that may still be doing something. */
export const isAlive = (pod: Pod): boolean => pod.status?.phase !== "Succeeded" && pod.status?.phase !== "Failed";

export const podsOf = (pods: readonly Pod[], jobUid: string): Pod[] =>
  pods
    .filter((pod) => pod.metadata.ownerReferences?.some((owner) => owner.uid === jobUid))
    .sort((a, b) => (b.metadata.creationTimestamp ?? "").localeCompare(a.metadata.creationTimestamp ?? ""));

/** The run that a Job or a pod was made for. */
export const runOf = (object: KubeObject): number => Number(object.metadata.labels?.[labels.run]);
