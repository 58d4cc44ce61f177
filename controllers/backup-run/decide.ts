import type { Restore } from "../../src/resources/backup/restore.ts";
import { type BackupRun, partsFinalizer as finalizer } from "../../src/resources/backup/run.ts";
import { expiredUrl } from "../../src/resources/database.ts";
import { concluded, type RunStanding } from "../jobs/conclude.ts";
import type { StateReason } from "../jobs/observed.ts";
import { lookAtSilence, silenced } from "../jobs/silenced.ts";
import { jobProgress, type RetryAdvice } from "../jobs/state.ts";
import { whyWaiting } from "../jobs/waiting.ts";
import { isRun, type Observed, type Plan } from "./observed.ts";
import { keepParts, mayWrite, removal, stop, withPartsRemoved, withTrouble, writerOf } from "./removal.ts";
import { type ControllerStatus, controllerPart } from "./status.ts";
import { isDeleting, isOver, isResultFollowed, type Subject } from "./subject.ts";
import { planVerification, withVerified } from "./verification.ts";

/**
 * What to do about one BackupRun or Restore, from what is there: no clock, no randomness, no I/O.
 *
 * Invariants: its Job is made at most once and is recorded by uid; one that ended stays ended; a run has its finalizer before a
 * pod may write to the storage, and keeps it until its parts are removed; a failed run's parts are removed.
 */

const again = (subject: Subject): RetryAdvice => ({
  again: `create another ${subject.kind}`,
  tooLong: "raise limits.runHours, or back up a smaller database.",
});

export function decide(observed: Observed, now: Date): Plan {
  const { subject } = observed;
  if (isDeleting(subject)) return isRun(subject) ? deleted(observed, subject, now) : asItIs(subject);
  switch (subject.status?.state) {
    case "completed":
    case "failed":
      return ended(observed, now);
    default:
      return subject.status?.job === undefined && observed.made?.outcome !== "made"
        ? waiting(observed, now)
        : started(observed, now);
  }
}

const asItIs = ({ status }: Subject): Plan => ({ status: controllerPart(status), events: [] });

/** The controller's part brought up to the present generation. */
const carried = ({ status, metadata }: Subject): ControllerStatus => ({
  ...controllerPart(status),
  observedGeneration: metadata.generation,
});

interface Extra extends Partial<Plan>, Pick<RunStanding, "note" | "start" | "pod"> {}

function conclude(
  { subject }: Observed,
  status: ControllerStatus,
  state: NonNullable<ControllerStatus["state"]>,
  trouble: StateReason | undefined,
  now: Date,
  { note, start, pod, ...plan }: Extra = {},
): Plan {
  const done = isRun(subject) ? "The backup is completed." : "The restore is completed.";
  const { conditions, log, events } = concluded(
    subject,
    { run: 1, state, trouble, note, start, pod, completed: done },
    now,
  );
  return {
    ...plan,
    status: { ...status, state, conditions, ...(log ? { log } : {}) },
    events: [...events, ...(plan.events ?? [])],
  };
}

/** Without a Job: what it needs must be there, then a slot be free. */
function waiting(observed: Observed, now: Date): Plan {
  const { subject, needs } = observed;
  const { queuePosition: _position, ...before } = carried(subject);
  const status = { ...before, queuedAt: before.queuedAt ?? firstQueued(subject, now) };
  if (needs !== undefined && "missing" in needs) return fail(observed, status, needs.missing, now);
  const why = whyWaiting(observed, subject.kind);
  if (why) {
    const { position, trouble, lookAgain } = why;
    const queued = position === undefined ? status : { ...status, queuePosition: position };
    return conclude(observed, queued, "pending", trouble, now, { lookAgain });
  }
  if (observed.first !== undefined) {
    const { metadata, spec } = observed.first;
    const message = `A BackupSchedule has one run at a time: this one starts when ${metadata.name} of ${spec.schedule} has ended.`;
    return conclude(observed, status, "pending", { reason: "WaitingForRun", message }, now, { lookAgain: 15_000 });
  }
  const starting = { reason: "Starting", message: "The Job is being made." };
  const there = subject.metadata.finalizers ?? [];
  const act: Plan["act"] =
    isRun(subject) && !there.includes(finalizer)
      ? { kind: "set-finalizers", finalizers: [...there, finalizer] }
      : { kind: "make-job" };
  return conclude(observed, status, "pending", starting, now, { act });
}

/** Kubernetes stamps the creation to the second; within it, those that are seen first come first. */
function firstQueued({ metadata }: Subject, now: Date): string {
  const made = Date.parse(metadata.creationTimestamp);
  return new Date(Math.min(Math.max(made, now.getTime()), made + 999)).toISOString();
}

function started(observed: Observed, now: Date): Plan {
  const { subject, made, needs } = observed;
  const { queuePosition: _position, ...before } = carried(subject);
  const first = before.job === undefined;
  const job = before.job ?? (made?.outcome === "made" ? { name: made.name, uid: made.uid } : undefined);
  if (job === undefined) return waiting(observed, now);
  const places = first && needs !== undefined && !("missing" in needs) ? needs : {};
  const status: ControllerStatus = { ...before, ...places, job, startedAt: before.startedAt ?? now.toISOString() };
  const found = jobProgress(
    { ...observed, job, first, result: subject.status?.result, isResultFollowed: isResultFollowed(subject) },
    again(subject),
  );
  const note = first ? `Started: Job ${job.name}.` : undefined;
  const state = before.state === "in_progress" ? "in_progress" : "pending";
  switch (found.at) {
    case "failed":
      return fail(observed, status, found.trouble, now);
    case "completed":
      return complete(observed, status, found, now);
    case "unseen":
      return conclude(observed, status, state, found.trouble, now, {
        act: { kind: "confirm-gone", ...job },
        lookAgain: 1000,
      });
    case "running": {
      const isNew = observed.ended === undefined && observed.notEnded === undefined;
      if (found.silent !== undefined && isNew && mayBeReplaced(subject))
        return { act: { kind: "end-pod", ...found.silent }, status: before, events: [] };
      const why = found.silent !== undefined && isNew ? { ...observed, notEnded: mayStillWrite } : observed;
      const look = lookAtSilence(why, subject.status?.result !== undefined);
      return conclude(observed, status, "in_progress", silenced(why), now, { note, pod: found.pod, ...look });
    }
    case "starting":
      return conclude(observed, status, state, found.trouble, now, {
        note,
        ...(first ? { start: job.name } : {}),
        lookAgain: found.lookAgain,
      });
  }
}

/** A backup writes into a folder of each pod, and a verification into a server of each pod. */
const mayBeReplaced = (subject: Subject): boolean => isRun(subject) || subject.spec.verification;
const mayStillWrite = "it may still write to the target, where another one would not be alone";

function complete(observed: Observed, status: ControllerStatus, { reason, message }: StateReason, now: Date): Plan {
  const { subject } = observed;
  const next: ControllerStatus = {
    ...status,
    finishedAt: now.toISOString(),
    ...(isRun(subject) ? {} : { verifiedAt: subject.status?.result?.finishedAt ?? now.toISOString() }),
  };
  const verified = isRun(subject)
    ? next
    : withVerified(subject, next, { holds: "True", reason: "Verified", message }, now);
  return conclude(observed, verified, "completed", { reason, message }, now, {
    note: message,
    events: [{ type: "Normal", reason: "Completed", note: message }],
    lookAgain: 1000,
  });
}

function fail(observed: Observed, status: ControllerStatus, trouble: StateReason, now: Date): Plan {
  return conclude(observed, { ...status, finishedAt: now.toISOString() }, "failed", trouble, now, {
    events: [{ type: "Warning", reason: trouble.reason, note: trouble.message }],
    lookAgain: 1000,
  });
}

/** A worker that failed ends by itself; a Job that still makes pods after so long is stopped. Milliseconds. */
const patience = 60_000;

function ended(observed: Observed, now: Date): Plan {
  const { subject } = observed;
  const status = carried(subject);
  const conditions = (status.conditions ?? []).map((one) => ({
    ...one,
    observedGeneration: subject.metadata.generation,
  }));
  const plan: Plan = { status: { ...status, conditions }, events: [] };
  const active = writerOf(observed);
  const since = now.getTime() - Date.parse(status.finishedAt ?? "");
  if (active)
    return since > patience ? { ...plan, act: stop(active) } : { ...plan, lookAgain: patience - since + 1000 };
  if (!isRun(subject)) return expired(observed, subject, plan, now);
  if (status.state === "failed") return status.partsRemoved ? plan : removedAfterFailure(observed, subject, plan, now);
  return planVerification(observed, subject, plan, now);
}

/** A Restore's sealed URL is taken out some time after its end. */
function expired({ urlsKept }: Observed, { spec, status }: Restore, plan: Plan, now: Date): Plan {
  const sealed = spec.target?.sealedUrl;
  if (urlsKept === undefined || sealed === undefined || sealed === expiredUrl || status?.finishedAt === undefined)
    return plan;
  const wait = Date.parse(status.finishedAt) + urlsKept - now.getTime();
  return wait <= 0 ? { ...plan, act: { kind: "expire-url" } } : { ...plan, lookAgain: Math.min(wait, 12 * 3_600_000) };
}

function removedAfterFailure(observed: Observed, subject: BackupRun, plan: Plan, now: Date): Plan {
  // Without a Job nothing was written.
  if (subject.status?.job === undefined) return { ...plan, status: { ...plan.status, partsRemoved: true } };
  const found = removal(observed, subject, now);
  if (found.done) return { ...plan, status: { ...plan.status, partsRemoved: true } };
  const { job, act, trouble, lookAgain } = found;
  const status = { ...plan.status, ...(job ? { removal: job } : {}) };
  return {
    ...{ status: withPartsRemoved(subject, status, trouble, now), events: withTrouble(subject, trouble), lookAgain },
    ...(act ? { act } : {}),
  };
}

/** Being deleted: the parts go first. */
function deleted(observed: Observed, subject: BackupRun, now: Date): Plan {
  const there = subject.metadata.finalizers ?? [];
  const status = controllerPart(subject.status);
  if (!there.includes(finalizer)) return { status, events: [] };
  const free: Plan = {
    act: { kind: "set-finalizers", finalizers: there.filter((one) => one !== finalizer) },
    ...{ status, events: [] },
  };
  const isKept = subject.metadata.annotations?.[keepParts] !== undefined;
  if (isKept || subject.status?.job === undefined || subject.status.partsRemoved) return free;
  const found = removal(observed, subject, now);
  if (found.done) return free;
  const { job, act, trouble, lookAgain } = found;
  const next = { ...status, ...(job ? { removal: job } : {}) };
  const more = { events: withTrouble(subject, trouble), lookAgain, ...(act ? { act } : {}) };
  // It has no slot while its parts wait to be removed.
  const isFailed = !isOver(subject) && !mayWrite(observed);
  const why = { reason: "Deleted", message: "The BackupRun was deleted before its run ended." };
  const plan = isFailed
    ? conclude(observed, { ...next, finishedAt: now.toISOString() }, "failed", why, now, more)
    : { status: next, ...more };
  return { ...plan, status: withPartsRemoved(subject, plan.status, trouble, now) };
}
