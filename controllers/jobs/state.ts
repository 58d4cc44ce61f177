import type { LogEntry } from "../../src/resources/migration.ts";
import type { Job, Pod } from "../../src/resources/objects.ts";
import { notRunning, podless } from "./not-running.ts";
import { isAlive, isFinished, jobCondition, podsOf, type Silence, type StateReason } from "./observed.ts";
import { jobFailure, lastLoggedError, type RetryAdvice } from "./state-reason.ts";

/** Where a run is that has a Job, from the Job, its pods and the worker's result. Pure. */

export type { RetryAdvice } from "./state-reason.ts";

interface Seen {
  /** The recorded Job, or the one just made. */
  job: { name: string; uid: string };
  /** It was made in this pass, so that a cache need not show it. */
  first: boolean;
  jobs: readonly Job[];
  pods: readonly Pod[];
  /** Why its pod does not start, where events had to tell. */
  trouble?: StateReason;
  /** Of the pod that runs; undefined where none does. */
  silence?: Silence | undefined;
  /** The Job was looked for at the API server itself and is not there. */
  confirmedGone?: boolean;
  /** A pod has work left after its result is stored, which another one does if it is killed. */
  isResultFollowed: boolean;
  /** Of this run. */
  result:
    | { outcome: "completed" | "failed"; reason: string; message: string; retryable?: boolean | undefined }
    | undefined;
  subject: { status?: { run?: number | undefined; log?: LogEntry[] | undefined } | undefined };
}

export type JobProgress =
  | { at: "failed"; trouble: StateReason }
  | { at: "completed"; reason: string; message: string }
  /** The cache does not show a Job that was recorded: look for it at the API server. */
  | { at: "unseen"; trouble: StateReason }
  | { at: "running"; pod: string; silent?: { name: string; uid: string } }
  | { at: "starting"; trouble: StateReason; lookAgain: number };

/** Milliseconds: a worker that has stored its result has nothing more to say, and its pod ends at once. */
export const afterResult = 60_000;

const suspendedJob: StateReason = {
  reason: "JobSuspended",
  message: "The run's Job is suspended: Kueue starts it when its queue has room, or the one who suspended it does.",
};

export function jobProgress(seen: Seen, again: RetryAdvice): JobProgress {
  const { job, result } = seen;
  if (result?.outcome === "failed")
    return {
      at: "failed",
      trouble: { reason: result.reason, message: result.message, retryable: result.retryable },
    };
  const found = seen.jobs.find((candidate) => candidate.metadata.uid === job.uid);
  const pods = podsOf(seen.pods, job.uid);
  const newest = pods[0];
  if (result) {
    const over =
      found === undefined ||
      isFinished(found) ||
      pods.some((pod) => pod.status?.phase === "Succeeded") ||
      // Killed before it ended: another pod would have nothing to do, and is given nothing.
      (!seen.isResultFollowed && !pods.some(isAlive)) ||
      // Its node is lost, or something beside the worker goes on: the result is stored.
      (seen.silence?.for ?? 0) >= afterResult;
    if (over) return { at: "completed", reason: result.reason, message: result.message };
  }
  if (found === undefined) {
    const trouble = podless(seen);
    if (seen.first) return { at: "starting", trouble, lookAgain: 1000 };
    if (!seen.confirmedGone) return { at: "unseen", trouble };
    const message = `The Job ${job.name} was deleted before the run ended: ${again.again}.`;
    return { at: "failed", trouble: { reason: "JobDeleted", message, retryable: true } };
  }
  if (jobCondition(found, "Failed"))
    return { at: "failed", trouble: jobFailure(found, newest, again, lastLoggedError(seen.subject)) };
  if (jobCondition(found, "Complete")) {
    const message = `The worker ended without having stored a result: ${again.again}.`;
    return { at: "failed", trouble: { reason: "ResultMissing", message, retryable: true } };
  }
  if (newest?.status?.phase === "Running") {
    const { name, uid = "" } = newest.metadata;
    const { silence } = seen;
    const isSilent = silence !== undefined && silence.most > 0 && silence.for >= silence.most;
    return { at: "running", pod: name, ...(isSilent ? { silent: { name, uid } } : {}) };
  }
  if (jobCondition(found, "Suspended") && (newest === undefined || !isAlive(newest)))
    return { at: "starting", trouble: suspendedJob, lookAgain: 60_000 };
  const trouble = notRunning(seen, newest);
  const soon = trouble.reason === "PodStarting" || trouble.reason === "PodPending";
  return { at: "starting", trouble, lookAgain: soon ? 2000 : 5000 };
}
