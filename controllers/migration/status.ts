import { writerOf } from "../../src/resources/log.ts";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";

/** The part of the status that the controller owns; the worker's part is never in it. */
export type ControllerStatus = Pick<
  MigrationStatus,
  | "observedGeneration"
  | "state"
  | "conditions"
  | "run"
  | "attempt"
  | "reset"
  | "job"
  | "queuedAt"
  | "queuePosition"
  | "startedAt"
  | "runStartedAt"
  | "finishedAt"
  | "retryable"
  | "resetDone"
  | "madeIn"
  | "log"
>;

/** The part that the operator's endpoint writes for the worker. */
export type WorkerStatus = Pick<
  MigrationStatus,
  | "heardAt"
  | "type"
  | "size"
  | "memory"
  | "finished"
  | "assessment"
  | "progress"
  | "columns"
  | "report"
  | "result"
  | "log"
>;

function without<T extends object>(value: T): T {
  return Object.fromEntries(Object.entries(value).filter(([, field]) => field !== undefined)) as T;
}

/** What is stored of the controller's part. */
export function controllerPart(status: MigrationStatus | undefined): ControllerStatus {
  if (status === undefined) return {};
  const log = (status.log ?? []).filter((entry) => writerOf(entry) === "c");
  return without({
    observedGeneration: status.observedGeneration,
    state: status.state,
    conditions: status.conditions,
    run: status.run,
    attempt: status.attempt,
    reset: status.reset,
    job: status.job,
    queuedAt: status.queuedAt,
    queuePosition: status.queuePosition,
    startedAt: status.startedAt,
    runStartedAt: status.runStartedAt,
    finishedAt: status.finishedAt,
    retryable: status.retryable,
    resetDone: status.resetDone,
    madeIn: status.madeIn,
    log: log.length > 0 ? log : undefined,
  });
}

/** What is stored of the worker's part. */
export function workerPart(status: MigrationStatus | undefined): WorkerStatus {
  if (status === undefined) return {};
  const log = (status.log ?? []).filter((entry) => writerOf(entry) === "w");
  return without({
    heardAt: status.heardAt,
    type: status.type,
    size: status.size,
    memory: status.memory,
    finished: status.finished,
    assessment: status.assessment,
    progress: status.progress,
    columns: status.columns,
    report: status.report,
    result: status.result,
    log: log.length > 0 ? log : undefined,
  });
}

/** Whether the worker's part has a time to wait for. */
export const hasEta = ({ status }: Migration): boolean =>
  status?.columns?.eta !== undefined || status?.progress?.etaSeconds !== undefined;

/** The worker's part once the run is over: no time to wait for any more. */
export function withoutEta(part: WorkerStatus): WorkerStatus {
  const { eta: _eta, ...columns } = part.columns ?? {};
  const { etaSeconds: _seconds, ...progress } = part.progress ?? {};
  return without({
    ...part,
    columns: part.columns ? columns : undefined,
    progress: part.progress ? (progress as NonNullable<WorkerStatus["progress"]>) : undefined,
  });
}

/** The worker's part when another run begins: what was found out about the source, what is kept of the copy, and the log. */
export function forNextRun(part: WorkerStatus, change: "next-run" | "reset-run"): WorkerStatus {
  return without({
    type: part.type,
    size: part.size,
    memory: part.memory,
    finished: change === "reset-run" ? undefined : part.finished,
    columns: part.columns?.size === undefined ? undefined : { size: part.columns.size },
    log: part.log,
  });
}
