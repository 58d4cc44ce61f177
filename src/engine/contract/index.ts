import { isRetryable, type RunCode } from "./codes/index.ts";
import type { ServerEngine } from "./text/engine-name.ts";
import { printable } from "./text/printable.ts";

/**
 * What the engine promises to its callers (the worker, the CLI, tests). It knows no Kubernetes.
 */

export type TlsMode = "disable" | "prefer" | "require" | "verify-ca" | "verify-full";

/** A database as the guard parsed it from a connection URL; a driver never sees the URL itself. */
export interface Endpoint {
  engine: "mysql" | "postgres";
  host: string;
  port: number;
  user: string;
  password: string;
  database: string;
  /**
   * `verify-full` checks chain and name, `verify-ca` the chain, `require` neither, `prefer` falls back to plain. `binding` is
   * PostgreSQL's channel_binding: whether the login is bound to the TLS session (`prefer` if absent).
   */
  tls: { mode: TlsMode; ca?: string; binding?: "disable" | "prefer" | "require" };
  /**
   * For a URL from untrusted input: the CIDRs that are allowed and refused (guard/policy.ts), and the lowest TLS mode. Without it
   * the host is dialled as it is.
   */
  guard?: { allow: string[]; refuse: string[]; minTls?: TlsMode };
}

/**
 * How to copy. The keys are those of the Migration's `spec.options`, of REST and of the command line (with - for _);
 * src/resources/options.ts checks and describes them. What is left out has the default named here.
 */
export interface CopyOptions {
  /** Streams at the same time. */
  jobs: number;
  /**
   * Tables to copy, and no others: `table` or `schema.table`, `*` for any run of characters (selection.ts). As in `drop`
   * and `types`, a name that has a dot is written in double quotes. All.
   */
  include?: readonly string[];
  /** Tables to leave out, likewise; stronger than include. None. */
  exclude?: readonly string[];
  /** Source schema (MySQL: database) → target schema; into MySQL: → prefix of the tables' names, "" for none. */
  schemas?: Readonly<Record<string, string>>;
  /** What is copied: `all`, the `schema` without rows, or the `data` into tables that are there. `all`. */
  content?: "all" | "schema" | "data";
  /**
   * Tables of the target, `schema.table` or `table`, exactly as they are called, that stand in the way and may be dropped
   * (with content `data`: emptied). None: a target with a table in the way is refused.
   */
  drop?: readonly string[];
  /** `counts`: every table's rows, and the inventory. `checksum`: values too. `counts`. */
  verify?: "counts" | "checksum";
  /** Bytes a second read from the source, over all streams. No limit. */
  bandwidth?: number;
  /** Who defines views and routines in a MySQL target: as in the source where that account is there (else the target's user, reported), the target's user, or the invoker. `keep`. */
  definers?: "keep" | "target-user" | "invoker";
  /** MySQL's dates with a zero in them, which PostgreSQL lacks: `null`, `fail`, or this date in their place. `null`. */
  zero_dates?: string;
  /** The target's type by column: `table.column` or `schema.table.column` → type as the target writes it. Across engines only. */
  types?: Readonly<Record<string, string>>;
  /** Seconds that one statement may take on either server; 0 for no limit. 0. */
  statement_timeout?: number;
  /** How the source's writers are held at the snapshot's begin: for a moment where rights allow, else one connection reads, with a warning (`auto`); fail where that cannot be (`require`); never (`none`). */
  source_locks?: "auto" | "require" | "none";
  /**
   * An object after the data that the target refuses and that is no key (an index, a view, a foreign key between engines, a
   * trigger, a materialised view's rows): `report` it as not copied, or `fail`. `report`.
   */
  on_object_error?: "report" | "fail";
  /** Seconds that another session of the source may wait for a lock of the copy; then the copy releases it, or ends with the cause. 30. */
  blocking_timeout?: number;
  /** Seconds without progress after which the run ends with the cause; 0 for never. 600. */
  stall_timeout?: number;
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
  /** Where that list was made, from the same report; nothing of it is dropped anywhere else (run/target-place.ts). */
  madeIn?: StatedPlace;
  /** A larger source is refused before the first write, or when its statistics turn out to be wrong. No limit. */
  mostBytes?: number;
  /** An earlier pod of this run passed the check before the first write. */
  isBegun?: boolean;
  /** `countedBytes` (source-limit.ts) of earlier pods, added up since the last reset. None. */
  finishedBefore?: number;
}

/** Which server; with PostgreSQL which database in it too. */
export interface DatabaseIdentity {
  /** `host:port`, as the URL named it. */
  address: string;
  /** By what it is known again; opaque. */
  identity: string;
}

/** As far as a report says it. */
export type StatedPlace = { [Part in keyof DatabaseIdentity]?: string | undefined };

/** An object that the run made in the target, in the order of making; dropped in reverse. */
export interface MadeObject {
  kind: string;
  /** Names from outside in, unquoted: [schema, name], [schema, table, name] for constraints; routines + argument types. */
  name: string[];
  /** `catalogue:oid` in the target, known once it is made; nothing is dropped that has not this one too. Large objects are named by their oids, and have none. */
  id?: string | undefined;
}

export type Phase = "connecting" | "schema" | "copying" | "constraints" | "verifying" | "finished";

export interface EngineProgress {
  phase: Phase;
  rows: { done: number; total: number };
  bytes: { done: number; total: number };
  tables: { done: number; total: number };
  /** Bytes of the rows that were read from the source in this attempt, as on the wire. */
  read: number;
  /** Of these, the bytes of tables that are copied: another attempt keeps them. */
  finished: number;
  /** Rows whose values were compared while verifying. */
  compared: number;
  /** Share of the phase's other work that is done, 0 to 1: objects read and made, keys, tables whose structure was compared. */
  worked?: number;
  /** The highest percentage so far: what is shown never falls. */
  reached?: number;
  /** The run only verifies: it copies nothing before. */
  verifiesOnly?: true;
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
  /** The source's own text of an object that was not copied, so that a person can finish it. At most 64 KB. */
  definition?: string;
}

/** What a comparison of values found (verify/checksum). */
export interface Verification {
  level: "counts" | "checksum";
  rows: number;
  tables: number;
  /** Tables whose values differ; the keys of the rows, never values of other columns. */
  differences: TableDifference[];
  /** Columns that could not be compared, each with the reason: `schema.table.column: reason`. */
  uncompared: string[];
}

export interface TableDifference {
  source: string;
  target: string;
  rows: { source: number; target: number };
  /** At most 20, as JSON texts of the key's columns; in words where the table has no key. */
  keys: { key: string; what: "missing" | "extra" | "different" }[];
  /** Rows that differ, where they were all looked at. */
  differing?: number;
}

/** The state of the source that was copied, by the names of its server. What the server or the user's rights do not tell is left out. */
export interface SourceSnapshot {
  /** That read it. */
  connections: number;
  /** MySQL, MariaDB: where the binary log goes on after it. */
  binlog?: { file: string; offset: number };
  /** MySQL: the set of GTIDs in it. MariaDB: the last GTID of each domain. */
  gtid?: string;
  /** PostgreSQL: the write-ahead log's position shortly before it; which transactions are in it, `transactions` says. */
  lsn?: string;
  /** PostgreSQL: `xmin:xmax:xip,…` as of txid_current_snapshot(). */
  transactions?: string;
}

export interface CopyReport {
  type: "transfer" | "conversion";
  source: { engine: ServerEngine; version: string };
  /** Where it was made; reports of earlier versions lack `database` and Place. */
  target: { engine: ServerEngine; version: string; database?: string } & StatedPlace;
  started_at: string;
  finished_at: string;
  /** Source size in bytes. */
  size: number;
  /** Reports of earlier versions lack it. */
  snapshot?: SourceSnapshot;
  tables: { source: string; target: string; rows: { source: number; target: number } }[];
  inventory: InventoryEntry[];
  warnings: string[];
  /** Columns of which values were changed to fit the target; a warning names each, with its number of values. 0 where it is left out. */
  changed_columns?: number;
  made: MadeObject[];
  /** What was asked for, where that was not all: with `schema` no rows were read nor counted. */
  content?: "schema" | "data";
  /** With `verify: checksum`. */
  verification?: Verification;
  /** Tables that an earlier attempt had finished: kept since their chunk hashes are equal to the source's, or copied again. */
  resumed?: { kept: string[]; copied_again: string[] };
}

export interface Copied {
  report: CopyReport;
  /** Drops `_rowferry`; to be called once the report is stored. Repeatable. */
  finish(): Promise<void>;
}

/** An error that ends a run. `retryable`: another attempt may succeed without a person's help; the registry's if absent (codes/). Control characters of the message are escaped. */
export class EngineError extends Error {
  readonly code: RunCode;
  readonly retryable: boolean;
  /** Of a run that copied everything and then found differences: what it would have reported. */
  readonly report: CopyReport | undefined;
  /** Which of the two databases said it, where one did. */
  readonly side: "source" | "target" | undefined;
  /** It ended a login, which a copy would meet too, whatever its code. */
  readonly ofLogin: boolean;
  constructor(
    code: RunCode,
    message: string,
    options: {
      retryable?: boolean;
      cause?: unknown;
      report?: CopyReport;
      side?: "source" | "target";
      ofLogin?: boolean;
    } = {},
  ) {
    super(printable(message), options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "EngineError";
    this.code = code;
    this.retryable = options.retryable ?? isRetryable(code);
    this.report = options.report;
    this.side = options.side;
    this.ofLogin = options.ofLogin ?? false;
  }
}
