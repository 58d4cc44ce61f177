import type { Migration, MigrationStatus, Progress } from "../../src/resources/migration.ts";
import { dueRun, isPaid } from "../../src/resources/run.ts";

/** Whether a Migration waits or runs, and what of a reset is done: pure questions on one object. */

/** Whether it wants a slot: it has a run to do that is paid for, and no Job for it yet. */
export function isWaiting(migration: Migration): boolean {
  const { status, spec } = migration;
  if (migration.metadata.deletionTimestamp !== undefined || spec.suspend === true || !isPaid(migration)) return false;
  if (dueRun(migration).why !== "present") return true;
  return (status?.state === "pending" || status?.state === "awaiting_payment") && status.job === undefined;
}

/** Whether it takes a slot: its run has a Job and has not ended. */
export function isRunning(migration: Migration): boolean {
  const { status } = migration;
  return status?.job !== undefined && (status.state === "pending" || status.state === "in_progress");
}

/** A phase that only comes after the engine has cleaned the target. */
const afterCleaning: Record<Progress["phase"], boolean> = {
  connecting: false,
  schema: false,
  copying: true,
  constraints: true,
  verifying: true,
  finished: true,
};

/** spec.reset values up to this one need no cleaning any more. */
export function resetDone(status: MigrationStatus | undefined): number {
  const seen = status?.progress && afterCleaning[status.progress.phase] ? (status.reset ?? 0) : 0;
  return Math.max(status?.resetDone ?? 0, seen);
}
