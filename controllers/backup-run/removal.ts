import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { Job } from "../../src/resources/objects.ts";
import type { NewEvent } from "../jobs/conclude.ts";
import { notRunning } from "../jobs/not-running.ts";
import { isAlive, isFinished, jobCondition, podsOf, type StateReason } from "../jobs/observed.ts";
import type { Observed, Plan } from "./observed.ts";
import { type ControllerStatus, withFinding } from "./status.ts";

/** The removal of the parts of a failed or deleted BackupRun from its storage, by a Job of its own. Pure. */

/** Annotation of a BackupRun, with any value: its parts stay in the storage when it is deleted. */
export const keepParts = "rowferry.dev/keep-parts";

/** A removal that failed is tried again after this time. */
const removalRetry = 600_000;

const isActive = (job: Job): boolean => !isFinished(job) && job.metadata.deletionTimestamp === undefined;
export const stop = ({ metadata }: Job): NonNullable<Plan["act"]> => ({
  ...{ kind: "delete-job", name: metadata.name, uid: metadata.uid ?? "" },
});

/** The state of the removal: `done`, or what to do and say. */
export function removal(
  observed: Observed,
  { status }: BackupRun,
  now: Date,
):
  | { done: true }
  | { done: false; job?: { name: string; uid: string }; act?: Plan["act"]; trouble?: StateReason; lookAgain: number } {
  const { jobs } = observed;
  const made = observed.removal;
  const keep = `To keep the parts, set the annotation ${keepParts} on the BackupRun.`;
  if (made?.outcome === "refused" && made.namespaceEnds) return { done: true };
  const job = made?.outcome === "made" ? { name: made.name, uid: made.uid } : status?.removal;
  const found = jobs.find(({ metadata }) => metadata.uid === job?.uid);
  if (job !== undefined && (found !== undefined || made !== undefined)) {
    if (found && jobCondition(found, "Complete")) return { done: true };
    if (!found || !jobCondition(found, "Failed")) {
      const trouble = found && notStarted(observed, found, keep);
      return { done: false, job, ...(trouble ? { trouble } : {}), lookAgain: 2000 };
    }
    const failedAt = Date.parse(jobCondition(found, "Failed")?.lastTransitionTime ?? "");
    const trouble = {
      reason: "PartsNotRemoved",
      message: `The run's parts cannot be removed from the storage: see the log in status and the Job ${job.name}. It is tried again every 10 minutes. ${keep}`,
    };
    const wait = failedAt + removalRetry - now.getTime();
    if (wait > 0) return { done: false, job, trouble, lookAgain: wait + 1000 };
    return { done: false, job, act: stop(found), trouble, lookAgain: 2000 };
  }
  // No pod that could still write may live when its parts are removed.
  const writer = writerOf(observed);
  if (writer) return { done: false, act: stop(writer), lookAgain: 2000 };
  if (mayWrite(observed)) return { done: false, lookAgain: 2000 };
  if (made !== undefined) return { done: false, lookAgain: 60_000 };
  return { done: false, act: { kind: "make-removal" }, lookAgain: 2000 };
}

/** The run's own Job, while it may make pods. */
export const writerOf = ({ subject: { status }, jobs }: Observed): Job | undefined =>
  jobs.find((job) => job.metadata.uid === status?.job?.uid && isActive(job));

/** Whether a pod of the run may still write to the storage. */
export const mayWrite = (observed: Observed): boolean =>
  writerOf(observed) !== undefined || podsOf(observed.pods, observed.subject.status?.job?.uid ?? "").some(isAlive);

/** Why the pod that removes the parts does not run; undefined while it starts or works. */
function notStarted(observed: Observed, { metadata }: Job, keep: string): StateReason | undefined {
  const [pod] = podsOf(observed.pods, metadata.uid ?? "");
  if (pod?.status?.phase === "Running" || pod?.status?.phase === "Succeeded") return undefined;
  const { trouble } = observed;
  const { reason, message } = notRunning({ subject: {}, ...(trouble ? { trouble } : {}) }, pod);
  if (["PodStarting", "PodPending"].includes(reason) || (pod !== undefined && !isAlive(pod))) return undefined;
  return {
    reason: "PartsNotRemoved",
    message: `The run's parts cannot be removed from the storage yet. ${message} ${keep}`,
  };
}

export function withTrouble(subject: BackupRun, trouble: StateReason | undefined): NewEvent[] {
  const last = subject.status?.conditions?.find(({ type }) => type === "PartsRemoved");
  if (trouble === undefined || last?.reason === trouble.reason) return [];
  return [{ type: "Warning", reason: trouble.reason, note: trouble.message }];
}

export function withPartsRemoved(
  subject: BackupRun,
  status: ControllerStatus,
  trouble: StateReason | undefined,
  now: Date,
) {
  if (trouble === undefined) return status;
  return withFinding(subject, status, { type: "PartsRemoved", status: "False", ...trouble }, now);
}
