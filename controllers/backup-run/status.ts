import type { RestoreStatus } from "../../src/resources/backup/restore.ts";
import type { RunStatus } from "../../src/resources/backup/run.ts";
import { type ConditionFinding, withConditions } from "../../src/resources/conditions.ts";
import { writerOf } from "../../src/resources/log.ts";
import type { Subject } from "./subject.ts";

/** The two parts of a BackupRun's or Restore's status, each with a field manager of its own. */

const ofController = [
  ...["observedGeneration", "state", "conditions", "job", "queuedAt", "queuePosition", "startedAt", "finishedAt"],
  ...["storage", "encryption", "scheduleUid", "verifications", "verification", "removal", "partsRemoved", "verifiedAt"],
] as const;

const ofWorker = [
  ...["progress", "tables", "rows", "columns", "result", "size", "stored", "location", "place", "manifestDigest"],
  ...["engine", "serverVersion", "seconds", "report", "heardAt"],
] as const;

/** The controller's part; the worker's is never in it. */
export type ControllerStatus = Pick<
  RunStatus,
  | "observedGeneration"
  | "state"
  | "conditions"
  | "job"
  | "queuedAt"
  | "queuePosition"
  | "startedAt"
  | "finishedAt"
  | "log"
  | "storage"
  | "encryption"
  | "scheduleUid"
  | "verifications"
  | "verification"
  | "removal"
  | "partsRemoved"
> &
  Pick<RestoreStatus, "verifiedAt">;

/** What the operator's endpoint writes for the worker. */
export type WorkerStatus = Pick<
  RunStatus,
  | "heardAt"
  | "progress"
  | "tables"
  | "rows"
  | "columns"
  | "result"
  | "size"
  | "stored"
  | "location"
  | "place"
  | "manifestDigest"
  | "engine"
  | "serverVersion"
  | "log"
> &
  Pick<RestoreStatus, "seconds" | "report">;

type AnyStatus = RunStatus | RestoreStatus | undefined;

function part(status: AnyStatus, fields: readonly string[], writer: "c" | "w"): object {
  const log = (status?.log ?? []).filter((entry) => writerOf(entry) === writer);
  const all = Object.entries(status ?? {}).filter(([field, value]) => fields.includes(field) && value !== undefined);
  return { ...Object.fromEntries(all), ...(log.length > 0 ? { log } : {}) };
}

export const controllerPart = (status: AnyStatus): ControllerStatus => part(status, ofController, "c");
export const workerPart = (status: AnyStatus): WorkerStatus => part(status, ofWorker, "w");

export const withFinding = (
  subject: Subject,
  status: ControllerStatus,
  finding: ConditionFinding,
  now: Date,
): ControllerStatus => ({
  ...status,
  conditions: withConditions(status.conditions ?? [], [finding], subject.metadata.generation, now.toISOString()),
});
