import type { SourceSnapshot } from "../engine/contract/index.ts";
import type { AllowNotEmpty, BackupRequest, RestoreRequest } from "./contract.ts";
import type { ArchivePart, Manifest, TableRows } from "./manifest-schema.ts";
import type { CheckedReading, Writing } from "./parts.ts";

/** What each engine adds to a backup and to a restore; index.ts does what is the same for both. */

export interface DumpWork extends Pick<BackupRequest, "source" | "signal" | "log"> {
  jobs: number;
  checksums: boolean;
  writing: Writing;
  account: BackupAccount;
}

/** What there is to say of the progress. Each call is one change. */
export interface BackupAccount {
  phase(phase: "connecting" | "checking" | "copying" | "verifying" | "finished"): void;
  total(total: { bytes?: number; rows?: number; tables?: number }): void;
  rows(rows: number): void;
  table(): void;
}

export type WrittenPart = Pick<Manifest, "source" | "tools" | "tables" | "checksums" | "inventory" | "warnings"> & {
  position: SourceSnapshot;
  parts: ArchivePart[];
};

export interface Unpacking extends Pick<RestoreRequest, "target" | "signal" | "log"> {
  jobs: number;
  allowNotEmpty: AllowNotEmpty;
  attempt: string | undefined;
  manifest: Manifest;
  reading: CheckedReading;
  account: BackupAccount;
  /** Bytes before compression that went into the target. */
  moved(plain: number): void;
}

export interface Unpacked {
  /** With checksums by the manifest's method, where it has one. */
  tables: TableRows[];
  inventory: { kind: string; name: string }[];
  warnings: string[];
}
