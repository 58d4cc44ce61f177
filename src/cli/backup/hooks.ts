import type { ArchiveHooks, BackupProgress } from "../../backup/contract.ts";
import type { EngineProgress } from "../../engine/contract/index.ts";
import type { CommandContext } from "../io.ts";
import type { Voice } from "../voice.ts";

/** The hooks of a backup or a restore, by the voice of a copy. */
export function hooksOf({ io, signal }: CommandContext, voice: Voice): ArchiveHooks {
  let checking = false;
  return {
    signal,
    log: voice.log,
    clock: () => io.now().getTime(),
    progress(progress) {
      if (progress.phase === "checking" && !checking)
        voice.log("info", "Comparing every part of the backup with its manifest, before anything is written");
      checking ||= progress.phase === "checking";
      voice.progress(asCopy(progress));
    },
  };
}

function asCopy({ phase, bytes, rows, tables }: BackupProgress): EngineProgress {
  return {
    phase: phase === "checking" ? "connecting" : phase,
    ...{ bytes, rows, tables, table: [] },
    ...{ read: bytes.done, finished: 0, compared: phase === "verifying" ? rows.done : 0 },
  };
}
