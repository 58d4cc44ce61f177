import type { Pod } from "../../src/resources/objects.ts";
import { dueRun, isPaid, isVerified } from "../../src/resources/run.ts";
import { isAlive, runOf, type StateReason } from "../jobs/observed.ts";
import { lookAtSilence, silenced } from "../jobs/silenced.ts";
import { type JobProgress, jobProgress, type RetryAdvice } from "../jobs/state.ts";
import { whyWaiting } from "../jobs/waiting.ts";
import { conclude } from "./conclude.ts";

import { activeJobs, carried, ended, stop } from "./ended.ts";
import { withoutUrl } from "./expiry.ts";
import { heldBack } from "./held-back.ts";
import { withHoldNews } from "./hold.ts";
import { reportName } from "./names.ts";
import type { Observed } from "./observed.ts";
import { awaitsCapture, freeTaken, unpaid } from "./payment.ts";
import { type Check, firstAnswer, type Plan } from "./plan.ts";
import { type ControllerStatus, controllerPart } from "./status.ts";

/**
 * What to do about one Migration, from what is there: no clock, no randomness, no I/O.
 *
 * Invariants: a run is `attempt + reset`, so that each rise of either makes a new one; a run's Job is made at most once and
 * is recorded by uid; no run starts while a pod of an earlier one may live; a run that ended stays ended.
 * `attempt` takes effect when the Migration is failed: raised before that it waits for the end of the run, and a
 * completed Migration ignores it. `reset` takes effect in any state. Taking a sealed URL out after the end changes no state.
 */
export function decide(observed: Observed, now: Date): Plan {
  return withHoldNews(observed.migration, decideRun(observed, now), now);
}

function decideRun(observed: Observed, now: Date): Plan {
  const { migration } = observed;
  if (migration.metadata.deletionTimestamp !== undefined)
    return { status: controllerPart(migration.status), events: [] };
  const due = dueRun(migration);
  if (due.why === "reset" && awaitsCapture(observed))
    return { status: controllerPart(migration.status), events: [], lookAgain: 2000 };
  // A verified run is completed first, used up and charged, whatever comes after it.
  if (due.why === "reset" && migration.status?.state !== "completed" && isVerified(migration))
    return started(observed, carried(observed), now);
  const trouble = withoutUrl(migration);
  if (trouble) return refuse(observed, due, trouble, now);
  if (due.why !== "present") return begin(observed, due, now);
  switch (migration.status?.state) {
    case "completed":
    case "failed":
      return ended(observed, now);
    default:
      return started(observed, carried(observed), now);
  }
}

/** The run that is due cannot be done. The last one's progress is forgotten, so that it is not taken for this one's. */
function refuse(observed: Observed, due: ReturnType<typeof dueRun>, trouble: StateReason, now: Date): Plan {
  const { job: _job, queuePosition: _position, runStartedAt: _started, ...kept } = carried(observed);
  const plan = fail(observed, { ...kept, run: due.run, attempt: due.attempt, reset: due.reset }, trouble, now);
  return { ...plan, worker: "next-run" };
}

/** Another run begins to wait: what the last one left is forgotten, but for what was made. */
function begin(observed: Observed, due: ReturnType<typeof dueRun>, now: Date): Plan {
  const {
    job: _job,
    runStartedAt: _started,
    finishedAt: _finished,
    queuePosition: _position,
    retryable: _passing,
    ...kept
  } = carried(observed);
  const status: ControllerStatus = {
    ...kept,
    state: "pending",
    run: due.run,
    attempt: due.attempt,
    reset: due.reset,
    queuedAt: now.toISOString(),
  };
  if (due.why === "first") return started(observed, { ...status, queuedAt: firstQueued(observed, now) }, now);
  const said =
    due.why === "reset"
      ? {
          reason: "Reset",
          note: `Run ${due.run} starts anew: what this Migration made in this target is dropped first.`,
        }
      : {
          reason: "Retry",
          note: `Run ${due.run}: finished tables that are verified as equal are kept, other tables of the last run are dropped and copied again.`,
        };
  const plan = started(observed, status, now, said.note);
  return {
    ...plan,
    worker: due.why === "reset" ? "reset-run" : "next-run",
    events: [{ type: "Normal", ...said }, ...plan.events],
  };
}

/** Kubernetes stamps the making to the second; within it, those that are seen first come first. */
function firstQueued({ migration }: Observed, now: Date): string {
  const made = Date.parse(migration.metadata.creationTimestamp);
  return new Date(Math.min(Math.max(made, now.getTime()), made + 999)).toISOString();
}

/** One that was told to end and whose node does not say that it has: after the time of a silent worker, the node is lost. */
function lost({ silentAfter = 0, ended, notEnded }: Observed, { metadata }: Pod, now: Date): Partial<Plan> {
  const since = now.getTime() - Date.parse(metadata.deletionTimestamp ?? "");
  if (silentAfter === 0 || (ended ?? notEnded) !== undefined || !(since >= silentAfter)) return {};
  return { act: { kind: "end-pod", name: metadata.name, uid: metadata.uid ?? "" } };
}

const again: RetryAdvice = {
  again: "raise spec.attempt to run again",
  tooLong:
    "raise spec.attempt to resume (finished and verified tables are kept), or copy in parts, by Migrations with different options.include.",
};

/** A run that has no Job. */
interface Waiting {
  observed: Observed;
  status: ControllerStatus;
  run: number;
  now: Date;
  extra: { note?: string };
  say(trouble: StateReason, rest?: Partial<Plan> & { position?: number }): Plan;
}

const stopping: StateReason = {
  reason: "Stopping",
  message: "The earlier run's pod is being stopped; the next run starts when it has ended.",
};
const claiming: StateReason = { reason: "Starting", message: "The account's free migration is being claimed." };
const starting: StateReason = { reason: "Starting", message: "The run's Job is being made." };

/** Earlier pods must have ended before a slot is asked for, and what is used up is claimed last. The first answer counts. */
const waitingChecks: readonly Check<Waiting>[] = [
  [
    "it is not paid",
    ({ observed, status, now, extra }) =>
      isPaid(observed.migration)
        ? undefined
        : conclude(observed, status, "awaiting_payment", unpaid(observed), now, extra),
  ],
  [
    "an earlier run's Job still runs",
    ({ observed, run, say }) => {
      const running = activeJobs(observed).find((job) => runOf(job) !== run);
      return running && say(stopping, { act: stop(running), lookAgain: 2000 });
    },
  ],
  [
    "an earlier run's pod is alive",
    ({ observed, run, now, say }) => {
      const earlier = observed.pods.find((pod) => isAlive(pod) && runOf(pod) !== run);
      return earlier && say(stopping, { lookAgain: 2000, ...lost(observed, earlier, now) });
    },
  ],
  [
    "its own spec holds it back",
    ({ observed, say }) => {
      const held = heldBack(observed);
      return held && say(held);
    },
  ],
  [
    "its Job cannot be made, or no slot is free",
    ({ observed, say }) => {
      const { trouble, ...rest } = whyWaiting(observed, "Migration") ?? {};
      return trouble && say(trouble, rest);
    },
  ],
  [
    "a pod that no cache shows may be left",
    ({ observed, run, say }) =>
      run > 1 && !observed.confirmedIdle
        ? say(stopping, { act: { kind: "confirm-idle" }, lookAgain: 2000 })
        : undefined,
  ],
  [
    "the free migration is not claimed",
    ({ observed, status, now, say }) => {
      const { payment } = observed.migration.spec;
      if (payment?.by !== "free" || observed.free === "begun") return undefined;
      if (observed.free !== undefined) return fail(observed, status, freeTaken, now);
      return say(claiming, { act: { kind: "begin-free", account: payment.account } });
    },
  ],
  ["it may start", ({ run, say }) => say(starting, { act: { kind: "make-job", run } })],
];

/** Pending without a Job. */
function waiting(observed: Observed, status: ControllerStatus, now: Date, note?: string): Plan {
  const run = status.run ?? 1;
  const extra = note === undefined ? {} : { note };
  const { queuePosition: _before, ...plain } = status;
  const say: Waiting["say"] = (trouble, { position, ...plan } = {}) => {
    const next = position === undefined ? plain : { ...plain, queuePosition: position };
    return conclude(observed, next, "pending", trouble, now, { ...plan, ...extra });
  };
  return firstAnswer(waitingChecks, { observed, status, run, now, extra, say });
}

/** A run that has a Job. `before`: without what this pass adds. */
interface Started {
  observed: Observed;
  before: ControllerStatus;
  status: ControllerStatus;
  job: { name: string; uid: string };
  first: boolean;
  note: string | undefined;
  result: { outcome: "completed" | "failed" } | undefined;
  found: JobProgress;
  now: Date;
}

/** The first answer counts. */
const startedChecks: readonly Check<Started>[] = [
  [
    "another run's Job still runs",
    ({ observed, before, job, result }) => {
      const stray = activeJobs(observed).find((other) => other.metadata.uid !== job.uid);
      return stray && result?.outcome !== "failed" ? { act: stop(stray), status: before, events: [] } : undefined;
    },
  ],
  [
    "it failed",
    ({ observed, status, found, now }) =>
      found.at === "failed" ? fail(observed, status, withMemory(observed, found.trouble), now) : undefined,
  ],
  [
    "it is completed",
    ({ observed, status, found, now }) =>
      found.at === "completed" ? complete(observed, status, found.reason, found.message, now) : undefined,
  ],
  [
    "no cache shows its Job",
    ({ observed, before, status, job, found, now }) =>
      found.at === "unseen"
        ? conclude(observed, status, before.state ?? "pending", found.trouble, now, {
            act: { kind: "confirm-gone", ...job },
            lookAgain: 1000,
          })
        : undefined,
  ],
  [
    "its worker is silent",
    ({ observed, before, found }) =>
      found.at === "running" &&
      found.silent !== undefined &&
      observed.notEnded === undefined &&
      observed.ended === undefined
        ? { act: { kind: "end-pod", ...found.silent }, status: before, events: [] }
        : undefined,
  ],
  [
    "its pod runs",
    ({ observed, status, note, result, found, now }) =>
      found.at === "running"
        ? conclude(observed, status, "in_progress", silenced(observed), now, {
            note,
            pod: found.pod,
            ...lookAtSilence(observed, result !== undefined),
          })
        : undefined,
  ],
  [
    "its pod does not run yet",
    ({ observed, before, status, job, first, note, found, now }) =>
      found.at === "starting"
        ? conclude(observed, status, before.state === "in_progress" ? "in_progress" : "pending", found.trouble, now, {
            note,
            ...(first ? { start: job.name } : {}),
            lookAgain: found.lookAgain,
          })
        : undefined,
  ],
];

/** The run has a Job, recorded or made in this pass; without one it waits. */
function started(observed: Observed, before: ControllerStatus, now: Date, why?: string): Plan {
  const { migration, made } = observed;
  const { queuePosition: _position, ...rest } = before;
  const job = before.job ?? (made?.outcome === "made" ? { name: made.name, uid: made.uid } : undefined);
  if (job === undefined) return waiting(observed, before, now, why);
  const first = before.job === undefined;
  const status: ControllerStatus = {
    ...rest,
    job,
    startedAt: rest.startedAt ?? now.toISOString(),
    ...(first ? { runStartedAt: now.toISOString() } : {}),
  };
  const run = status.run ?? 1;
  const note = first ? [why, `Run ${run} started: Job ${job.name}.`].filter(Boolean).join(" ") : undefined;
  const result = migration.status?.result?.run === run ? migration.status.result : undefined;
  const found = jobProgress({ ...observed, subject: migration, job, first, result, isResultFollowed: true }, again);
  return firstAnswer(startedChecks, { observed, before, status, job, first, note, result, found, now });
}

/** The next run's worker gets the memory that this one lacked. */
function withMemory({ memoryOfNext }: Observed, trouble: StateReason): StateReason {
  if (trouble.reason !== "memory_too_small" || memoryOfNext === undefined) return trouble;
  const message = `The worker had too little memory, and the next run's gets ${memoryOfNext}: retry. ${trouble.message}`;
  return { ...trouble, message: message.slice(0, 2048), retryable: true };
}

function complete(observed: Observed, status: ControllerStatus, reason: string, message: string, now: Date): Plan {
  const run = status.run ?? 1;
  const { payment } = observed.migration.spec;
  // Before it is seen to be completed: a deletion from then on gives nothing back.
  if (payment?.by === "free" && observed.free === undefined)
    return {
      act: { kind: "use-free", account: payment.account },
      status: controllerPart(observed.migration.status),
      events: [],
    };
  const next: ControllerStatus = {
    ...status,
    finishedAt: now.toISOString(),
    madeIn: observed.migration.status?.report?.configMap ?? reportName(observed.migration.metadata.name, run),
    ...((status.reset ?? 0) > 0 ? { resetDone: status.reset } : {}),
  };
  const plan = conclude(observed, next, "completed", { reason, message }, now, { note: message });
  return {
    ...plan,
    worker: "settled",
    events: [...plan.events, { type: "Normal", reason: "Completed", note: message }],
  };
}

function fail(observed: Observed, status: ControllerStatus, trouble: StateReason, now: Date): Plan {
  const { retryable = false } = trouble;
  const plan = conclude(observed, { ...status, finishedAt: now.toISOString(), retryable }, "failed", trouble, now);
  return {
    ...plan,
    worker: "settled",
    events: [...plan.events, { type: "Warning", reason: trouble.reason, note: trouble.message }],
  };
}
