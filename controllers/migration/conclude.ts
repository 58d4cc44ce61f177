import type { Finding } from "../../src/resources/conditions.ts";
import type { MigrationState } from "../../src/resources/migration.ts";
import type { Observed, Trouble } from "./observed.ts";
import type { Plan } from "./plan.ts";
import { type ControllerStatus, conditionsAfter, withLog } from "./status.ts";

const words: Record<MigrationState, string> = {
  awaiting_payment: "AwaitingPayment",
  pending: "Pending",
  in_progress: "InProgress",
  completed: "Completed",
  failed: "Failed",
};

/** Reasons that are part of an ordinary start and worth no log entry or event. */
const quiet = new Set(["Starting", "PodPending", "PodStarting", "PodEnded", "Queued", "Stopping", "AwaitingPayment"]);

/** What else a pass says: a milestone, a Job that was just made, the pod that runs. */
export type Extra = Partial<Plan> & { note?: string | undefined; start?: string; pod?: string };

/** Puts state and conditions into the status, and what is new into log and events. */
export function conclude(
  observed: Observed,
  status: ControllerStatus,
  state: MigrationState,
  trouble: Trouble | undefined,
  now: Date,
  extra: Extra = {},
): Plan {
  const { migration } = observed;
  const { note, start, pod, ...plan } = extra;
  const say = (type: string, holds: boolean, reason: string, message: string): Finding => ({
    type,
    status: holds ? "True" : "False",
    reason: conditionReason(reason),
    message,
  });
  const plainReason = words[state];
  const plain =
    { completed: "The copy is completed.", failed: "The run failed." }[state as string] ?? "The run has not ended.";
  const reason = trouble?.reason ?? "PodRunning";
  const message = trouble?.message ?? `The worker runs in pod ${pod}.`;
  const over = state === "completed" || state === "failed";
  const conditions = conditionsAfter(
    migration,
    {
      complete:
        state === "completed" ? say("Complete", true, reason, message) : say("Complete", false, plainReason, plain),
      failed: state === "failed" ? say("Failed", true, reason, message) : say("Failed", false, plainReason, plain),
      running: over
        ? say("Running", false, plainReason, plain)
        : say("Running", trouble === undefined, reason, message),
    },
    now,
  );
  const entries: { level: "info" | "warning" | "error"; message: string }[] = [];
  const events: Plan["events"] = [];
  if (note !== undefined) entries.push({ level: "info", message: note });
  if (start !== undefined)
    events.push({ type: "Normal", reason: "Started", note: `Made Job ${start} for run ${status.run}` });
  if (state === "failed") {
    const told = (migration.status?.log ?? []).some(
      (entry) => entry.level === "error" && entry.message === message.slice(0, 1024),
    );
    if (!told) entries.push({ level: "error", message });
  }
  const last = migration.status?.conditions?.find((condition) => condition.type === "Running")?.reason;
  if (!over && trouble && !quiet.has(trouble.reason) && last !== conditionReason(trouble.reason)) {
    entries.push({ level: "warning", message: trouble.message });
    events.push({ type: "Warning", reason: conditionReason(trouble.reason), note: trouble.message });
  }
  const log = withLog(migration.status, status.run ?? 1, entries, now);
  return { ...plan, status: { ...status, state, conditions, ...(log ? { log } : {}) }, events };
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
