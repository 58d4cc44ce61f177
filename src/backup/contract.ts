import type { Readable } from "node:stream";
import type { Endpoint, SourceSnapshot } from "../engine/contract/index.ts";

/**
 * The promises of this room to its callers (the worker and the command line): a backup is a folder of encrypted parts in
 * a storage, and a manifest that is written last. It knows no Kubernetes.
 */

/** Identity of a backup. It is written into the manifest, so that another run's manifest is noticed. */
interface BackupIdentity {
  /** The BackupRun's uid; on the command line a random UUID. */
  id: string;
  /** Name of the BackupSchedule. */
  schedule?: string | undefined;
  /** The firing that this run is for, UTC, ISO 8601. */
  slot?: string | undefined;
}

export interface ArchiveHooks {
  /** Aborting ends the work: programs are stopped, connections closed, unfinished uploads aborted. */
  signal: AbortSignal;
  /** Milestones, in words; control characters are already escaped, passwords never occur. */
  log(level: "info" | "warning" | "error", message: string): void;
  /** Called when something changed; cheap, may be called often. */
  progress(progress: BackupProgress): void;
  /** Milliseconds since 1970. */
  clock(): number;
}

export type BackupPhase = "connecting" | "checking" | "copying" | "verifying" | "finished";

export interface BackupProgress {
  phase: BackupPhase;
  /** Bytes before compression that were read (backup) or written (restore); `total` is an estimate in a backup, 0 if unknown. */
  bytes: { done: number; total: number };
  /** Rows; in a PostgreSQL backup they are counted beside the dump. */
  rows: { done: number; total: number };
  tables: { done: number; total: number };
  /** Bytes that left for the storage, or were read from it. */
  stored: number;
}

export interface BackupRequest extends ArchiveHooks {
  source: Endpoint;
  storage: Storage;
  /** Where the run's objects are, inside the storage: a name of names.ts, as in `nightly/nightly-202611240300`. */
  folder: string;
  run: BackupIdentity;
  /** age public keys (`age1…`); at least one. Each of them can open the archive. */
  recipients: readonly string[];
  /** Streams at the same time. 2. */
  jobs?: number | undefined;
  /** Adds a checksum of each table's rows to the manifest: the server reads every row a second time. False. */
  checksums?: boolean | undefined;
}

export interface TakenBackup {
  /** `sha256:` and 64 hex digits of the stored manifest object. Keep it: by it a forged or older manifest is noticed. */
  manifestDigest: string;
  /** Bytes before compression. */
  bytes: number;
  /** Bytes in the storage, the manifest included. */
  stored: number;
  /** Number of parts, without the manifest. */
  parts: number;
  tables: number;
  rows: number;
  position: SourceSnapshot;
  /** `PostgreSQL`, `MySQL` or `MariaDB`. */
  engine: string;
  serverVersion: string;
  warnings: string[];
}

export interface ExpectedArchive {
  /** Errors with `archive_of_another_run` where the manifest names another. */
  run?: string | undefined;
  /** As in Taken. Errors with `archive_manifest_changed`. */
  manifestDigest?: string | undefined;
}

export interface CheckRequest extends ArchiveHooks {
  storage: Storage;
  folder: string;
  /** age private keys (`AGE-SECRET-KEY-1…`); those that do not fit are passed over. */
  identities: readonly string[];
  expect?: ExpectedArchive | undefined;
}

export interface RestoreRequest extends CheckRequest {
  target: Endpoint;
  /** Restores beside the objects that are there. Without it a target that has objects is refused with `target_not_empty`. */
  allowNotEmpty?: AllowNotEmpty | undefined;
  /**
   * The same for each attempt of one restore: what a cut-off attempt left in a target that was empty before is dropped. A mark in
   * the target says so until the end. Absent: such a target is refused as any that has objects.
   */
  attempt?: string | undefined;
  /** Streams at the same time. 2. */
  jobs?: number | undefined;
}

/** Whether a target that has objects is restored into. A function sees them once no name is in the way, and refuses by an error. */
export type AllowNotEmpty = boolean | ((there: readonly ObjectThere[]) => Promise<void>);

export interface ObjectThere {
  kind: string;
  name: string;
}

export interface RestoreResult {
  tables: number;
  rows: number;
  /** Whether counts, checksums and inventory of the target are those of the manifest. */
  equal: boolean;
  /** Tables whose rows were compared by checksum; 0 where the manifest has none. */
  checksummed: number;
  /** In words, at most 100; empty when equal. */
  differences: string[];
  warnings: string[];
  /** Of the backup, by its manifest: such as kinds of objects that its user could not see. At most 20. */
  backupWarnings: string[];
}

/** Objects by name. Names are those of names.ts; a storage adds its own prefix or folder to them. */
export interface Storage {
  /** For a person: `s3://bucket/prefix` or a folder. Without credentials. */
  readonly place: string;
  /** Stores the object completely, or not at all: an object that was cut off is never seen by `get` or `list`.
   * A piece is good until the next one is asked for. Resolves to its size. */
  put(name: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number>;
  /** Errors: `storage_object_missing`. */
  get(name: string, signal: AbortSignal): Promise<Readable>;
  /** Every object whose name begins so, in the order of names. */
  list(prefix: string, signal: AbortSignal): AsyncIterable<StoredObject>;
  /** Errors: `storage_locked` while the bucket's object lock keeps it. A missing object is no error. */
  remove(name: string, signal: AbortSignal): Promise<void>;
  /** Removes what cut-off `put`s left below this prefix. Resolves to their number. */
  abortUploads(prefix: string, signal: AbortSignal): Promise<number>;
}

export interface StoredObject {
  name: string;
  size: number;
}

/** Where backups are kept. */
export type StorageSpec =
  | {
      bucket: {
        /** `https://host[:port]`; absent: AWS' own for the region. */
        endpoint?: string | undefined;
        region: string;
        bucket: string;
        /** Without slashes at its ends; absent or empty: the bucket's root. */
        prefix?: string | undefined;
        /** PEM of a private CA of the endpoint. */
        ca?: string | undefined;
      };
    }
  | {
      /** An absolute path, as a volume is mounted. It must exist. */
      folder: string;
      /** Its name for a person; default: the path. */
      place?: string | undefined;
    };

export interface StorageCredentials {
  accessKeyId: string;
  secretAccessKey: string;
  sessionToken?: string | undefined;
}

/** Where the endpoint is untrusted input: the CIDRs that may, and may not, be reached, as in Endpoint.guard. */
export type StorageGuard = NonNullable<Endpoint["guard"]>;

/** A run as retention sees it; only complete runs count. */
export interface CompleteRun {
  id: string;
  /** Milliseconds since 1970 of its slot, else of its start. */
  at: number;
}

export interface Retention {
  keepLast?: number | undefined;
  daily?: number | undefined;
  weekly?: number | undefined;
  monthly?: number | undefined;
  yearly?: number | undefined;
}

/** An error that ends a backup or a restore. The message says the fix; `code` is a stable word, as `archive_damaged`. */
export class BackupError extends Error {
  readonly code: string;
  /** Another attempt without a person's help may succeed. */
  readonly retryable: boolean;
  constructor(code: string, message: string, options: { retryable?: boolean; cause?: unknown } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = "BackupError";
    this.code = code;
    this.retryable = options.retryable ?? false;
  }
}
