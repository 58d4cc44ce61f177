import type {
  BackupRequest,
  RestoreRequest,
  RestoreResult,
  Storage,
  StorageCredentials,
  StorageGuard,
  StorageSpec,
  TakenBackup,
} from "../backup/contract.ts";
import type { Assessor } from "../engine/assess/assess-first.ts";
import type { Copied, CopyHooks, CopyRequest } from "../engine/contract/index.ts";
import type { LifeParts } from "./life.ts";

/** The outside, as a worker's pod uses it: passed in. */
export interface Parts extends LifeParts {
  engine: WorkerEngine;
  backup: () => Promise<BackupRoom>;
  now(): Date;
  /** Milliseconds that only go forward. */
  monotonic(): number;
  /** The folder below which the pod's volumes are mounted; empty in a container. */
  mountsRoot?: string;
  /** How long the operator may stay unreachable before there is work. */
  startDeadlineMs: number;
}

/** The engine, as the worker uses it. */
export interface WorkerEngine extends Assessor {
  copy(request: CopyRequest, hooks: CopyHooks): Promise<Copied>;
}

/** src/backup, as the worker uses it. */
export interface BackupRoom {
  takeBackup(request: BackupRequest): Promise<TakenBackup>;
  restoreBackup(request: RestoreRequest): Promise<RestoreResult>;
  removeRun(request: { storage: Storage; folder: string; signal: AbortSignal }): Promise<void>;
  storageOf(spec: StorageSpec, credentials?: StorageCredentials, guard?: StorageGuard): Storage;
}
