import type { Restore } from "../../src/resources/backup/restore.ts";
import type { BackupRun } from "../../src/resources/backup/run.ts";
import type { BackupSchedule, ScheduleSpec, ScheduleStatus } from "../../src/resources/backup/schedule.ts";

/** What a pass sees of one BackupSchedule, and what it is to do. */

export interface Observed {
  schedule: BackupSchedule;
  /** Every run of it, by label, scheduled or on request. */
  runs: readonly BackupRun[];
  /** The run of this slot was asked for in this pass. */
  made?: { slot: number; outcome: "made" | "taken"; name: string };
}

export interface ScheduleSettings {
  /** Milliseconds over which the runs of one minute are spread. */
  jitter: number;
  /** Those of these runs that retention does not need. */
  expired: (
    runs: readonly { id: string; at: number }[],
    retention: NonNullable<ScheduleSpec["retention"]>,
  ) => readonly { id: string }[];
}

export type Act =
  /** Creates the run of a slot; one of this name and schedule that exists is adopted. */
  | { kind: "make-run"; slot: number; name: string }
  | { kind: "delete-run"; name: string; uid: string }
  /** Asks for a verification of a completed run. */
  | { kind: "verify-run"; name: string; verifications: number }
  | { kind: "set-finalizers"; finalizers: string[] };

export interface Plan {
  /** Done in this order. After `make-run`, decide again with what came of it. */
  acts: Act[];
  status: ScheduleStatus;
  events: { type: "Normal" | "Warning"; reason: string; note: string }[];
  /** Milliseconds. */
  lookAgain?: number;
  /** A run may start then. */
  isDue?: boolean;
}

export const isOver = ({ status }: Pick<BackupRun | Restore, "status">): boolean =>
  status?.state === "completed" || status?.state === "failed";

export const isCompleted = (run: BackupRun): boolean =>
  run.status?.state === "completed" && run.metadata.deletionTimestamp === undefined;

/** Milliseconds since 1970 of its slot, or of its creation: no run is of a time that is still to come. */
export const timeOf = ({ spec, metadata }: BackupRun): number => {
  const made = Date.parse(metadata.creationTimestamp);
  return spec.slot === undefined ? made : Math.min(Date.parse(spec.slot), made);
};

export const byTime = (a: BackupRun, b: BackupRun): number =>
  timeOf(a) - timeOf(b) || (a.metadata.name < b.metadata.name ? -1 : 1);
