import { type Condition, type ConditionFinding, withConditions } from "../../src/resources/conditions.ts";
import { lastEntries, logId, writerOf } from "../../src/resources/log.ts";
import type { LogEntry } from "../../src/resources/migration.ts";
import type { StateReason } from "./observed.ts";

/** Conditions, log entries and events that follow from where a run is: the same for Migrations, BackupRuns and Restores. */

interface ConcludedRun {
  metadata: { generation: number };
  status?: { conditions?: Condition[] | undefined; log?: LogEntry[] | undefined } | undefined;
}

export interface NewEvent {
  type: "Normal" | "Warning";
  reason: string;
  note: string;
}

/** Where a run is. */
export interface RunStanding {
  run: number;
  state: "awaiting_payment" | "pending" | "in_progress" | "completed" | "failed";
  /** Why it is there; undefined while its pod runs. */
  trouble: StateReason | undefined;
  /** A milestone for the log. */
  note?: string | undefined;
  /** The Job that was just made. */
  start?: string | undefined;
  /** The pod that runs. */
  pod?: string | undefined;
  /** The sentence of a completed one. */
  completed: string;
}

const words: Record<RunStanding["state"], string> = {
  awaiting_payment: "AwaitingPayment",
  pending: "Pending",
  in_progress: "InProgress",
  completed: "Completed",
  failed: "Failed",
};

/** Reasons that are part of an ordinary start and worth no log entry or event. */
const quiet = new Set([
  "Starting",
  "PodPending",
  "PodStarting",
  "PodEnded",
  "Queued",
  "Stopping",
  "AwaitingPayment",
  "Suspended",
  "JobSuspended",
]);

const controllerLog = 20;

export function concluded(
  subject: ConcludedRun,
  { run, state, trouble, note, start, pod, completed }: RunStanding,
  now: Date,
): { conditions: Condition[]; log: LogEntry[] | undefined; events: NewEvent[] } {
  const say = (type: string, holds: boolean, reason: string, message: string): ConditionFinding => ({
    type,
    status: holds ? "True" : "False",
    reason: conditionReason(reason),
    message,
  });
  const plainReason = words[state];
  const plain = { completed, failed: "The run failed." }[state as string] ?? "The run has not ended.";
  const reason = trouble?.reason ?? "PodRunning";
  const message = trouble?.message ?? `The worker runs in pod ${pod}.`;
  const over = state === "completed" || state === "failed";
  const findings = [
    state === "completed" ? say("Complete", true, reason, message) : say("Complete", false, plainReason, plain),
    state === "failed" ? say("Failed", true, reason, message) : say("Failed", false, plainReason, plain),
    over ? say("Running", false, plainReason, plain) : say("Running", trouble === undefined, reason, message),
    // As kstatus reads them: kubectl's appliers, Flux and others wait for Ready, and stop where it is Stalled.
    say("Ready", state === "completed", reason, message),
    say("Reconciling", !over, over ? plainReason : reason, over ? plain : message),
    say("Stalled", state === "failed", state === "failed" ? reason : plainReason, state === "failed" ? message : plain),
  ];
  const before = subject.status?.conditions ?? [];
  const conditions = withConditions(before, findings, subject.metadata.generation, now.toISOString());
  const entries: Pick<LogEntry, "level" | "message">[] = [];
  const events: NewEvent[] = [];
  if (note !== undefined) entries.push({ level: "info", message: note });
  if (start !== undefined) events.push({ type: "Normal", reason: "Started", note: `Made Job ${start} for run ${run}` });
  if (state === "failed") {
    const told = (subject.status?.log ?? []).some(
      (entry) => entry.level === "error" && entry.message === message.slice(0, 1024),
    );
    if (!told) entries.push({ level: "error", message });
  }
  const last = before.find((condition) => condition.type === "Running")?.reason;
  if (!over && trouble && !quiet.has(trouble.reason) && last !== conditionReason(trouble.reason)) {
    entries.push({ level: "warning", message: trouble.message });
    events.push({ type: "Warning", reason: conditionReason(trouble.reason), note: trouble.message });
  }
  return { conditions, log: withLog(subject.status, run, entries, now), events };
}

/** The controller's log with more entries, the oldest cut off. */
export function withLog(
  before: ConcludedRun["status"],
  run: number,
  entries: readonly Pick<LogEntry, "level" | "message">[],
  now: Date,
): LogEntry[] | undefined {
  const own = (before?.log ?? []).filter((entry) => writerOf(entry) === "c");
  const time = now.toISOString();
  const taken = own.filter((entry) => entry.time === time).length;
  const more = entries.map((entry, index) => ({
    id: logId(run, now, "c", taken + index),
    time,
    level: entry.level,
    message: entry.message.slice(0, 1024),
  }));
  const all = lastEntries(own, more, controllerLog);
  return all.length > 0 ? all : undefined;
}

/** An engine's code (`target_not_empty`) as a condition's reason (`TargetNotEmpty`). */
export function conditionReason(code: string): string {
  const camel = code
    .split(/[^A-Za-z0-9]+/)
    .filter((part) => part !== "")
    .map((part) => (part[0] ?? "").toUpperCase() + part.slice(1))
    .join("");
  return /^[A-Za-z]/.test(camel) ? camel.slice(0, 128) : "Failed";
}
