import type { ArchiveHooks, BackupProgress } from "./contract.ts";
import type { BackupAccount } from "./work.ts";

/** The progress of one backup or restore, as it is reported. */
export function createBackupAccount(
  report: ArchiveHooks["progress"],
): BackupAccount & { moved(plain: number, stored: number): void } {
  const progress: BackupProgress = {
    phase: "connecting",
    bytes: { done: 0, total: 0 },
    rows: { done: 0, total: 0 },
    tables: { done: 0, total: 0 },
    stored: 0,
  };
  const tell = () =>
    report({ ...progress, bytes: { ...progress.bytes }, rows: { ...progress.rows }, tables: { ...progress.tables } });
  return {
    phase(phase) {
      progress.phase = phase;
      // A restore counts its tables again.
      if (phase === "verifying") progress.tables.done = 0;
      tell();
    },
    total({ bytes, rows, tables }) {
      progress.bytes.total = bytes ?? progress.bytes.total;
      progress.rows.total = rows ?? progress.rows.total;
      progress.tables.total = tables ?? progress.tables.total;
      tell();
    },
    rows(rows) {
      progress.rows.done += rows;
      tell();
    },
    table() {
      progress.tables.done++;
      tell();
    },
    moved(plain, stored) {
      progress.bytes.done += plain;
      progress.stored += stored;
      tell();
    },
  };
}
