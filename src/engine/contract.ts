/**
 * What the engine promises to its callers (the worker, the CLI, tests). It knows no Kubernetes.
 */

/** A database as the guard parsed it from a connection URL; a driver never sees the URL itself. */
export interface Endpoint {
  engine: "mysql" | "postgres";
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /** `verify-full` checks chain and name, `verify-ca` the chain, `require` neither, `prefer` falls back to plain. */
  tls: { mode: "disable" | "prefer" | "require" | "verify-ca" | "verify-full"; ca?: string };
}

export interface CopyOptions {
  /** Streams at the same time. */
  jobs: number;
}

export interface CopyRequest {
  /** Identity of the Migration (its uid): owner of the target's `_rowferry`. */
  owner: string;
  /** Words for a person that name the owner, for the error when another run's `_rowferry` is met. */
  ownerName: string;
  source: Endpoint;
  target: Endpoint;
  options: CopyOptions;
  /** Drop first what this owner made: in `_rowferry`, and this list (from the stored report of a run that completed). */
  reset: boolean;
  made?: readonly MadeObject[];
}

/** An object that the run made in the target, in the order of making; dropped in reverse. */
export interface MadeObject {
  kind: string;
  /** Names from outside in, unquoted: [schema, name], [schema, table, name] for constraints; routines + argument types. */
  name: string[];
  /** `catalogue:oid` in the target, known once it is made; nothing is dropped that has not this one too. */
  id?: string | undefined;
}

export type Phase = "connecting" | "schema" | "copying" | "constraints" | "verifying" | "finished";

export interface EngineProgress {
  phase: Phase;
  rows: { done: number; total: number };
  bytes: { done: number; total: number };
  tables: { done: number; total: number };
  /** Every table; the caller cuts it down. */
  table: { name: string; rows: number; total: number; state: "waiting" | "copying" | "indexing" | "done" }[];
}

export interface CopyHooks {
  /** Aborting ends the copy in order: statements cancelled, connections closed, the checkpoint left in the target. */
  signal: AbortSignal;
  /** Called when something changed; cheap, may be called often. */
  progress(progress: EngineProgress): void;
  /** Known once, before the first write. Bytes. */
  measured(size: number, type: "transfer" | "conversion"): void;
  /** Milestones, in words; control characters are already escaped. */
  log(level: "info" | "warning" | "error", message: string): void;
}

export interface InventoryEntry {
  kind: string;
  /** Qualified name in the source, for a person. */
  name: string;
  outcome: "copied" | "converted" | "reported" | "not_applicable";
  /** How it was converted, or why it was not. */
  note?: string;
}

export interface CopyReport {
  type: "transfer" | "conversion";
  source: { engine: string; version: string };
  target: { engine: string; version: string };
  startedAt: string;
  finishedAt: string;
  /** Source size in bytes. */
  size: number;
  tables: { source: string; target: string; rows: { source: number; target: number } }[];
  inventory: InventoryEntry[];
  warnings: string[];
  made: MadeObject[];
}

export interface Copied {
  report: CopyReport;
  /** Drops `_rowferry`; to be called once the report is stored. Repeatable. */
  finish(): Promise<void>;
}

/** An error that ends a run. `retryable`: another attempt without a person's help may succeed (lost connection, full disk is not). */
export class EngineError extends Error {
  readonly code: string;
  readonly retryable: boolean;
  constructor(code: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EngineError";
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
