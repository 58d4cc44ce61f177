import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { ScheduleStatus } from "../../src/resources/backup/schedule.ts";
import { type ConditionFinding, withConditions } from "../../src/resources/conditions.ts";
import { runName } from "../jobs/names.ts";
import {
  type Act,
  byTime,
  isCompleted,
  isOver,
  type Observed,
  type Plan,
  type ScheduleSettings,
  timeOf,
} from "./observed.ts";
import { delayOf, type ScheduleSlots, slotsOf, timingOf } from "./slots.ts";
import { dueVerification, lastVerificationOf, verifiedFinding } from "./verify.ts";

/**
 * What to do about one BackupSchedule, from what is there: no clock, no randomness, no I/O.
 *
 * Invariants: a slot has at most one run, since the run's name follows from the slot; `lastSlot` only moves past a slot when its
 * run exists or it is counted as missed, so that no slot is forgotten over restarts; of several slots that are due, the newest
 * gets a run within the deadline and the older ones are missed; no run starts while another one of the schedule is active.
 */

/** Keeps the schedule until its runs are deleted; only with deletionPolicy Delete. */
export const finalizer = "rowferry.dev/backup-runs";

const day = 86_400_000;
/** A clock that is set forward, or a machine that slept, is noticed after this time. */
const longestWait = 600_000;
/** Failed runs that are kept to be read. */
const keptFailures = 10;

export function decide(observed: Observed, settings: ScheduleSettings, now: Date): Plan {
  const { schedule } = observed;
  if (schedule.metadata.deletionTimestamp !== undefined) return ending(observed);
  const finalizers = wantedFinalizers(observed);
  const plan = living(observed, settings, now);
  return finalizers === undefined ? plan : { ...plan, acts: [{ kind: "set-finalizers", finalizers }, ...plan.acts] };
}

function living(observed: Observed, settings: ScheduleSettings, now: Date): Plan {
  const { schedule, runs } = observed;
  const time = now.getTime();
  const slots = slotsOf(schedule);
  const wrong = "reason" in slots ? slots : undefined;
  const seen = "reason" in slots ? notSeen(observed) : look(observed, slots, settings, time);
  const last = lastVerificationOf(schedule, runs);
  const due = dueVerification(schedule, runs, last, time);
  const completed = newest(runs.filter(isCompleted));
  const status: ScheduleStatus = {
    ...seen.status,
    observedGeneration: schedule.metadata.generation,
    ...refs(runs, schedule.status),
    ...(last === undefined ? {} : { lastVerification: last }),
    conditions: withConditions(
      schedule.status?.conditions ?? [],
      [
        wrong ? { type: "Ready", status: "False", reason: wrong.reason, message: wrong.message } : seen.ready,
        verifiedFinding(schedule, last, time),
        overdue(observed, "reason" in slots ? undefined : slots, settings, completed, time),
      ],
      schedule.metadata.generation,
      now.toISOString(),
    ),
  };
  const acts: Act[] = [
    ...seen.acts,
    ...(due === undefined
      ? []
      : [{ kind: "verify-run", name: due.metadata.name, verifications: due.spec.verifications + 1 } as const]),
    ...unneeded(observed, settings).map(
      ({ metadata }): Act => ({
        kind: "delete-run",
        name: metadata.name,
        uid: metadata.uid,
      }),
    ),
  ];
  const before = schedule.status?.conditions?.find(({ type }) => type === "Ready");
  const events = [
    ...seen.events,
    ...(wrong && before?.reason !== wrong.reason
      ? [{ type: "Warning" as const, reason: wrong.reason, note: wrong.message }]
      : []),
  ];
  // A look is up to a fifth later than it was asked for: one that is nearer than that is at its moment.
  const isDue = seen.lookAgain < longestWait * 1.5;
  return { acts, status, events, lookAgain: isDue ? seen.lookAgain : longestWait, isDue };
}

interface Seen {
  acts: Act[];
  /** lastSlot, timing, missed, nextRunAt. */
  status: ScheduleStatus;
  ready: ConditionFinding;
  events: Plan["events"];
  lookAgain: number;
}

const kept = ({ schedule: { status } }: Observed): ScheduleStatus => ({
  ...(status?.lastSlot === undefined ? {} : { lastSlot: status.lastSlot }),
  ...(status?.timing === undefined ? {} : { timing: status.timing }),
  ...(status?.missed === undefined ? {} : { missed: status.missed }),
});

const ready = (reason: string, message: string): ConditionFinding => ({
  type: "Ready",
  status: "True",
  reason,
  message,
});

const notSeen = (observed: Observed): Seen => ({
  acts: [],
  status: kept(observed),
  ready: ready("", ""),
  events: [],
  lookAgain: Number.POSITIVE_INFINITY,
});

/** Slots up to this moment are done with. */
function anchorOf({ schedule }: Observed, time: number): number {
  const { status, metadata } = schedule;
  if (status?.timing !== undefined && status.timing !== timingOf(schedule)) return time;
  const last = Date.parse(status?.lastSlot ?? metadata.creationTimestamp);
  // A clock that was far ahead for a while must not silence the schedule until then.
  return last > time + day ? time : last;
}

function look(observed: Observed, slots: ScheduleSlots, { jitter }: ScheduleSettings, time: number): Seen {
  const { schedule, runs } = observed;
  const { metadata, spec } = schedule;
  const delay = delayOf(metadata.uid, jitter);
  const anchor = anchorOf(observed, time);
  const due = slots.between(anchor, time - delay);
  const slot = due.at(-1);
  const next = slots.after(Math.max(anchor, time - delay));
  const timing = timingOf(schedule);
  const upTo = (last: number, missed: number): ScheduleStatus => ({
    lastSlot: new Date(last).toISOString(),
    timing,
    ...(missed > 0 ? { missed } : {}),
    ...(next === undefined || spec.suspend ? {} : { nextRunAt: new Date(next + delay).toISOString() }),
  });
  const before = schedule.status?.missed ?? 0;
  const last = newest(runs.filter(isOver));
  const lastFailed = last?.status?.state === "failed" ? last : undefined;
  const lookAgain = Math.max(1000, (next ?? time + longestWait) + delay - time);
  const done = (last: number, missed: number, more: Partial<Seen> = {}): Seen => ({
    acts: [],
    status: upTo(last, before + missed),
    ready: spec.suspend
      ? ready("Suspended", "spec.suspend is true: slots are skipped. Runs on request are taken.")
      : ready(
          lastFailed ? "LastRunFailed" : "Scheduled",
          `Runs start at their slots.${missedText(before + missed)}${failedText(lastFailed)}`,
        ),
    events: missed > 0 ? [missedEvent(due.slice(0, missed))] : [],
    lookAgain,
    ...more,
  });
  if (slot === undefined) return done(anchor, 0);
  if (spec.suspend) return done(slot, 0);

  const name = runName(metadata.name, slot);
  const made = observed.made?.slot === slot ? observed.made : undefined;
  const there = runs.some((run) => run.metadata.name === name);
  if (there || made?.outcome === "made") return done(slot, due.length - 1);
  if (made?.outcome === "taken")
    return done(slot, due.length, {
      events: [
        missedEvent(due),
        { type: "Warning", reason: "RunNameTaken", note: `The BackupRun ${name} exists and is not this schedule's.` },
      ],
    });
  if (time - delay - slot > spec.startingDeadlineSeconds * 1000) return done(slot, due.length);
  const active = runs.find((run) => !isOver(run) && run.metadata.deletionTimestamp === undefined);
  if (active)
    return {
      acts: [],
      status: { ...upTo(anchor, before), nextRunAt: new Date(slot + delay).toISOString() },
      ready: ready(
        "WaitingForRun",
        `The run of ${new Date(slot).toISOString()} starts when ${active.metadata.name} has ended.`,
      ),
      events: [],
      lookAgain: Math.min(lookAgain, 60_000),
    };
  return { ...done(anchor, 0), acts: [{ kind: "make-run", slot, name }] };
}

const countText = (count: number): string => (count === 1 ? "1 slot was" : `${count} slots were`);
const missedText = (missed: number): string =>
  missed === 0 ? "" : ` ${countText(missed)} missed so far (status.missed): the events SlotsMissed name them.`;

const failedText = (run: BackupRun | undefined): string => {
  const why = run?.status?.conditions?.find(({ type }) => type === "Failed")?.message;
  return run === undefined ? "" : ` The last run, ${run.metadata.name}, failed: ${why ?? "see its status."}`;
};

function missedEvent(slots: readonly number[]): Plan["events"][number] {
  const [first = 0] = slots;
  const times = [first, ...(slots.length > 1 ? [slots.at(-1) ?? first] : [])].map((slot) =>
    new Date(slot).toISOString(),
  );
  return {
    type: "Warning",
    reason: "SlotsMissed",
    note: `${countText(slots.length)} missed: ${times.join(" to ")}. No run was started within startingDeadlineSeconds, or a newer slot was due as well.`,
  };
}

/** Whether the newest slot whose deadline has passed has a completed run, or a newer one has. */
function overdue(
  { schedule }: Observed,
  slots: ScheduleSlots | undefined,
  { jitter }: ScheduleSettings,
  completed: BackupRun | undefined,
  time: number,
): ConditionFinding {
  const { metadata, spec } = schedule;
  const say = (status: "True" | "False", reason: string, message: string): ConditionFinding => ({
    ...{ type: "Overdue", status, reason, message },
  });
  if (spec.suspend) return say("False", "Suspended", "spec.suspend is true: no run is expected.");
  if (slots === undefined) return say("True", "NotScheduled", "No run can be scheduled: see the condition Ready.");
  const late = time - delayOf(metadata.uid, jitter) - spec.startingDeadlineSeconds * 1000;
  // Enough to see the newest slot of a line that fires once in five years.
  const from = Math.max(Date.parse(metadata.creationTimestamp), late - 5 * 366 * day);
  const expected = late > from ? newestOf(slots, from, late) : undefined;
  if (expected === undefined || (completed !== undefined && timeOf(completed) >= expected))
    return say(
      "False",
      "UpToDate",
      completed ? `${completed.metadata.name} is completed.` : "No slot is past its deadline yet.",
    );
  return say(
    "True",
    "NoCompletedRun",
    `No run has completed since the slot ${new Date(expected).toISOString()}: see the newest BackupRun's status.`,
  );
}

/** Looks back in growing steps, since most lines fire each day. */
function newestOf(slots: ScheduleSlots, from: number, to: number): number | undefined {
  for (const days of [2, 9, 40, 400, 5 * 366]) {
    const found = slots.between(Math.max(from, to - days * day), to).at(-1);
    if (found !== undefined || to - days * day <= from) return found;
  }
  return undefined;
}

const newest = (runs: readonly BackupRun[]): BackupRun | undefined => [...runs].sort(byTime).at(-1);

function refs(runs: readonly BackupRun[], before: ScheduleStatus | undefined): ScheduleStatus {
  const ref = (run: BackupRun | undefined) =>
    run && { name: run.metadata.name, slot: new Date(timeOf(run)).toISOString() };
  const lastRun = ref(newest(runs)) ?? before?.lastRun;
  const lastCompletedRun = ref(newest(runs.filter(isCompleted)));
  return { ...(lastRun ? { lastRun } : {}), ...(lastCompletedRun ? { lastCompletedRun } : {}) };
}

/**
 * Runs that nobody needs: completed ones by retention, and failed ones beyond the last few. A run that failed its verification may be
 * damaged: it makes no other run unnecessary. The newest completed run, the newest that did not fail its verification and the newest that
 * was verified always stay.
 */
function unneeded({ schedule, runs }: Observed, { expired }: ScheduleSettings): BackupRun[] {
  const alive = runs.filter((run) => run.metadata.deletionTimestamp === undefined);
  const completed = alive.filter(isCompleted).sort(byTime);
  const good = completed.filter(({ status }) => status?.verification?.outcome !== "failed");
  const verified = good.filter(({ status }) => status?.verification?.outcome === "verified");
  const kept = [completed.at(-1), good.at(-1), verified.at(-1)];
  const { retention } = schedule.spec;
  const expiredOf = (list: readonly BackupRun[]): Set<string> => {
    if (retention === undefined) return new Set();
    const entries = list.map((run) => ({ id: run.metadata.name, at: timeOf(run) }));
    return new Set(expired(entries, retention).map(({ id }) => id));
  };
  const [ofGood, ofAll] = [expiredOf(good), expiredOf(completed)];
  const old = completed.filter(
    (run) => !kept.includes(run) && !isVerifying(run) && (good.includes(run) ? ofGood : ofAll).has(run.metadata.name),
  );
  const failed = alive.filter((run) => run.status?.state === "failed").sort(byTime);
  return [...old, ...failed.slice(0, Math.max(0, failed.length - keptFailures))];
}

const isVerifying = ({ spec, status }: BackupRun): boolean =>
  spec.verifications > 0 && (spec.verifications > (status?.verifications ?? 0) || status?.verification === undefined);

function wantedFinalizers({ schedule }: Observed): string[] | undefined {
  const there = schedule.metadata.finalizers ?? [];
  const wanted = schedule.spec.deletionPolicy === "Delete";
  if (there.includes(finalizer) === wanted) return undefined;
  return wanted ? [...there, finalizer] : there.filter((one) => one !== finalizer);
}

/** Being deleted: with the policy Delete its runs go first, and with them their parts. */
function ending({ schedule, runs }: Observed): Plan {
  const there = schedule.metadata.finalizers ?? [];
  const status = schedule.status ?? {};
  if (!there.includes(finalizer)) return { acts: [], status, events: [] };
  const wanted = schedule.spec.deletionPolicy === "Delete" ? runs : [];
  const acts = wanted
    .filter((run) => run.metadata.deletionTimestamp === undefined)
    .map(({ metadata }): Act => ({ kind: "delete-run", name: metadata.name, uid: metadata.uid }));
  if (wanted.length === 0)
    return {
      acts: [{ kind: "set-finalizers", finalizers: there.filter((one) => one !== finalizer) }],
      status,
      events: [],
    };
  return { acts, status, events: [], lookAgain: 5000 };
}
