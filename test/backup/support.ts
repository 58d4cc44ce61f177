import { randomUUID } from "node:crypto";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type {
  ArchiveHooks,
  BackupProgress,
  BackupRequest,
  RestoreRequest,
  Storage,
} from "../../src/backup/contract.ts";
import { generateKey, restoreBackup, storageOf, takeBackup } from "../../src/backup/index.ts";
import type { Endpoint } from "../../src/engine/contract/index.ts";

/** What the tests of backups share: keys, a folder as a storage, and both directions with their hooks. */

export interface Heard {
  log: string[];
  last: BackupProgress | undefined;
  phases: Set<string>;
}

export function hooks(signal: AbortSignal = new AbortController().signal): ArchiveHooks & { heard: Heard } {
  const heard: Heard = { log: [], last: undefined, phases: new Set() };
  return {
    heard,
    signal,
    log: (level, message) => void heard.log.push(`${level}: ${message}`),
    progress(progress) {
      heard.last = progress;
      heard.phases.add(progress.phase);
    },
    clock: () => Date.now(),
  };
}

/** A new folder below the run's own, as a storage. */
export const newFolder = (): { path: string; storage: Storage } => {
  const path = mkdtempSync(join(tmpdir(), "backup-"));
  return { path, storage: storageOf({ folder: path }) };
};

export const newKey = generateKey;

export interface Kept {
  storage: Storage;
  folder: string;
  run: { id: string };
  key: { identity: string; recipient: string };
}

export async function newPlace(storage: Storage = newFolder().storage): Promise<Kept> {
  const id = randomUUID();
  return { storage, folder: `nightly/${id}`, run: { id }, key: await newKey() };
}

export async function backup(source: Endpoint, kept: Kept, more: Partial<BackupRequest> = {}) {
  const using = hooks(more.signal);
  const { storage, folder, run, key } = kept;
  const taken = await takeBackup({ source, storage, folder, run, recipients: [key.recipient], ...using, ...more });
  return { taken, heard: using.heard };
}

export async function restore(target: Endpoint, kept: Kept, more: Partial<RestoreRequest> = {}) {
  const using = hooks(more.signal);
  const { storage, folder, key } = kept;
  const restored = await restoreBackup({ target, storage, folder, identities: [key.identity], ...using, ...more });
  return { restored, heard: using.heard };
}

/** Names and sizes of all objects. */
export async function objectsIn(storage: Storage): Promise<Map<string, number>> {
  const found = new Map<string, number>();
  for await (const { name, size } of storage.list("", new AbortController().signal)) found.set(name, size);
  return found;
}

/** The code of the error that the work ends with. */
export const codeOf = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "it succeeded",
    (error: unknown) => (error instanceof Error && "code" in error ? String(error.code) : String(error)),
  );
