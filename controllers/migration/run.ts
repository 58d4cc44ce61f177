import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";

/** Which run of a Migration is due, and whether it waits or runs: pure questions on one object. */

interface Run {
  run: number;
  attempt: number;
  reset: number;
}

/** The run that is due: another one where the spec asks for it and the state allows it, else the present one. */
export function dueRun(migration: Migration): Run & { why: "first" | "retry" | "reset" | "present" } {
  const { spec, status } = migration;
  const asked = { run: spec.attempt + spec.reset, attempt: spec.attempt, reset: spec.reset };
  if (status?.run === undefined || status.attempt === undefined || status.reset === undefined)
    return { ...asked, why: "first" };
  if (spec.reset > status.reset) return { ...asked, why: "reset" };
  if (spec.attempt > status.attempt && status.state === "failed") return { ...asked, why: "retry" };
  return { run: status.run, attempt: status.attempt, reset: status.reset, why: "present" };
}

/** Whether it wants a slot: it has a run to do and no Job for it yet. */
export function isWaiting(migration: Migration): boolean {
  if (migration.metadata.deletionTimestamp !== undefined) return false;
  if (dueRun(migration).why !== "present") return true;
  return migration.status?.state === "pending" && migration.status.job === undefined;
}

/** Whether it takes a slot: its run has a Job and has not ended. */
export function isRunning(migration: Migration): boolean {
  const { status } = migration;
  return status?.job !== undefined && (status.state === "pending" || status.state === "in_progress");
}

/** A phase that only comes after the engine has cleaned the target. */
const afterCleaning = new Set(["copying", "constraints", "verifying", "finished"]);

/** spec.reset values up to this one need no cleaning any more. */
export function resetDone(status: MigrationStatus | undefined): number {
  const seen = status?.progress && afterCleaning.has(status.progress.phase) ? (status.reset ?? 0) : 0;
  return Math.max(status?.resetDone ?? 0, seen);
}
