import { readFile } from "node:fs/promises";
import {
  BackupError,
  type ArchiveHooks as BackupHooks,
  type BackupProgress,
  type RestoreResult,
  type Storage,
  type StorageCredentials,
} from "../backup/contract.ts";
import type { Endpoint } from "../engine/contract/index.ts";
import type { Redactor } from "../guard/redact.ts";
import { counted, sizeText } from "../guard/text.ts";
import { convert, convertedText, requireEqual, storedConversion } from "./convert.ts";
import { mountedCredentials } from "./credentials.ts";
import { namedDatabase, ownServer } from "./databases.ts";
import { dropCheckpoint, type ExitCode, explain, type LifeHooks, live, unreachable } from "./life.ts";
import { completed, rowsIn } from "./outcome.ts";
import type { BackupRoom, Parts } from "./parts.ts";
import { counts, whole } from "./progress.ts";
import type { BackupWork, RemovalWork, Report, RestoreWork, RunOutcome } from "./protocol.ts";

/** The work of a BackupRun's or Restore's pod: takes, restores or removes an archive, and reports as a copy does. */

type BackupParts = Omit<Parts, "backup"> & { backup: BackupRoom };
type AnyBackupWork = BackupWork | RestoreWork | RemovalWork;

export function runBackupWork(work: AnyBackupWork, parts: BackupParts): Promise<ExitCode> {
  const state = createState(parts);
  return live(parts, {
    what: work.kind,
    report: state.report,
    stopping: "Stopping on request: another pod starts again, and removes the files of this one",
    async perform(hooks) {
      const began = parts.monotonic();
      const of: BackupHooks = {
        signal: hooks.signal,
        log: hooks.log,
        clock: () => parts.now().getTime(),
        progress(progress) {
          state.reached(progress);
          hooks.changed();
        },
      };
      const seconds = () => Math.round((parts.monotonic() - began) / 1000);
      switch (work.kind) {
        case "backup":
          return { outcome: await backUp(work, parts, of, state, seconds) };
        case "restore":
          return restore(work, parts, of, state, seconds);
        case "removal":
          return { outcome: await removeParts(work, parts, hooks, state) };
      }
    },
    explain(error) {
      const found = explain(error);
      // Nobody waits for a run at its slot, and its server may come back; a person waits for the others.
      const waits = work.kind === "backup" && work.identity.slot !== undefined;
      const mayComeBack = waits || state.hasReached() || !unreachable.has(found.reason);
      return { ...found, anotherPod: found.retryable && mayComeBack };
    },
  });
}

type State = ReturnType<typeof createState>;

function createState({ journal, now }: Pick<Parts, "journal" | "now">) {
  let latest: BackupProgress | undefined;
  return {
    reached(progress: BackupProgress) {
      latest = progress;
    },
    hasReached: () => latest !== undefined && latest.phase !== "connecting" && latest.phase !== "checking",
    report(): Report {
      const backup = latest && {
        phase: latest.phase,
        bytes: counts(latest.bytes),
        rows: counts(latest.rows),
        tables: counts(latest.tables),
        stored: whole(latest.stored),
        updatedAt: now().toISOString(),
      };
      return { ...(backup ? { backup } : {}), log: journal.recent() };
    },
  };
}

async function openStorage(
  { storage }: AnyBackupWork,
  { backup, redactor, mountsRoot = "" }: BackupParts,
): Promise<Storage> {
  const { spec, guard } = storage;
  if ("folder" in spec) return backup.storageOf({ ...spec, folder: mountsRoot + spec.folder });
  const credentials = await credentialsOf(storage.credentials, redactor, mountsRoot);
  return backup.storageOf(spec, credentials, guard);
}

async function credentialsOf(
  given: BackupWork["storage"]["credentials"],
  redactor: Redactor,
  mountsRoot: string,
): Promise<StorageCredentials | undefined> {
  if (given === undefined) return undefined;
  const found = "folder" in given ? await mountedCredentials(mountsRoot + given.folder) : given;
  for (const secret of [found.secretAccessKey, found.sessionToken, found.accessKeyId])
    if (secret !== undefined) redactor.learn(secret);
  return found;
}

async function backUp(
  work: BackupWork,
  parts: BackupParts,
  hooks: BackupHooks,
  state: State,
  seconds: () => number,
): Promise<RunOutcome> {
  const { redactor, mountsRoot = "", backup } = parts;
  const { jobs, source_ca: pem } = work.options;
  const source = await namedDatabase("source", work.source, { redactor, mountsRoot, pem });
  const storage = await openStorage(work, parts);
  const { folder, runFolder, recipients, identity: run, checksums } = work;
  const taken = await backup.takeBackup({ ...hooks, source, storage, folder, run, recipients, jobs, checksums });
  await removeOthers(parts, storage, { folder, runFolder }, hooks);
  return {
    report: state.report(),
    ...{ outcome: "completed", reason: "BackedUp" },
    message: `Backed up ${counted(taken.tables, "table")} with ${counted(taken.rows, "row")}: ${sizeText(taken.bytes)}, ${sizeText(taken.stored)} stored.`,
    backup: {
      ...{ tables: taken.tables, rows: taken.rows, seconds: seconds(), size: taken.bytes, stored: taken.stored },
      ...{ location: folder, place: storage.place, manifestDigest: taken.manifestDigest },
      ...{ engine: taken.engine, serverVersion: taken.serverVersion },
    },
  };
}

/** What earlier pods of this run left. Its failure costs space, not the backup; it is tried again when the run is deleted. */
async function removeOthers(
  { backup }: BackupParts,
  storage: Storage,
  { folder, runFolder }: { folder: string; runFolder: string },
  { signal, log }: BackupHooks,
): Promise<void> {
  try {
    const others = new Set<string>();
    for await (const { name } of storage.list(`${runFolder}/`, signal)) {
      const [pod = ""] = name.slice(runFolder.length + 1).split("/");
      if (`${runFolder}/${pod}` !== folder) others.add(`${runFolder}/${pod}`);
    }
    for (const other of others) await backup.removeRun({ storage, folder: other, signal });
    // A pod that was killed in its first part left an upload and no object to find it by.
    await storage.abortUploads(`${runFolder}/`, signal);
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    log("warning", `The parts of an earlier attempt are left in ${storage.place} under ${runFolder}: ${why}`);
  }
}

async function restore(
  work: RestoreWork,
  parts: BackupParts,
  hooks: BackupHooks,
  state: State,
  seconds: () => number,
): Promise<{ outcome: RunOutcome; afterStored?(): Promise<void> }> {
  const { redactor, backup, engine } = parts;
  const identities = await identitiesOf(work, parts);
  for (const identity of identities) redactor.learn(identity);
  const storage = await openStorage(work, parts);
  const target = await targetOf(work, parts);
  const { folder, expect, allowNotEmpty } = work;
  const { jobs } = work.options;
  const request = { storage, folder, identities, expect, jobs, attempt: work.owner };
  if (work.convert) {
    const into = { work, server: ownServer(), target, engine, hooks };
    if (work.isStored) return afterStored(into, parts, state);
    const copied = await convert({
      ...into,
      restore: (server, using) => backup.restoreBackup({ ...using, ...request, target: server }),
    });
    const { archive, summary } = await completed(copied.report, {
      state: state.report(),
      journal: parts.journal,
      redactor,
    });
    const outcome: RunOutcome = {
      report: state.report(),
      ...{ outcome: "completed", reason: "Restored", message: convertedText(copied.report) },
      ...(archive === undefined ? {} : { archive }),
      ...(summary === undefined ? {} : { summary }),
      backup: { tables: copied.report.tables.length, rows: rowsIn(copied.report), seconds: seconds() },
    };
    return { outcome, afterStored: () => dropCheckpoint(copied, parts) };
  }
  const restored = await backup.restoreBackup({ ...hooks, ...request, target, allowNotEmpty });
  requireEqual(restored, "the restored database is not equal to the backup");
  const what =
    work.target === undefined ? "Restored into a throw-away server and found equal" : "Restored and found equal";
  const outcome: RunOutcome = {
    report: state.report(),
    ...{ outcome: "completed", reason: work.target === undefined ? "Verified" : "Restored" },
    message: `${what}: ${counted(restored.tables, "table")} with ${counted(restored.rows, "row")}${compared(restored)}.`,
    backup: { tables: restored.tables, rows: restored.rows, seconds: seconds() },
  };
  return { outcome };
}

/** The result is stored: it is said again, and what the pod before could not drop is dropped. */
async function afterStored(
  into: Parameters<typeof storedConversion>[0],
  parts: BackupParts,
  state: State,
): Promise<{ outcome: RunOutcome; afterStored?(): Promise<void> }> {
  const message = "The result of this restore is stored.";
  const outcome: RunOutcome = { report: state.report(), outcome: "completed", reason: "Restored", message };
  const left = await storedConversion(into).catch((error: unknown) => {
    const why = error instanceof Error ? error.message : String(error);
    into.hooks.log("warning", `The target was not looked at for the table _rowferry: ${why}`);
    return undefined;
  });
  return { outcome, ...(left && { afterStored: () => dropCheckpoint(left, parts) }) };
}

/** How the rows were compared. */
const compared = ({ tables, checksummed }: RestoreResult): string => {
  if (checksummed === 0) return "; rows were counted, not compared by checksum";
  return `; the rows of ${checksummed === tables ? "every table" : counted(checksummed, "table")} have the backup's checksum`;
};

async function identitiesOf({ identities }: RestoreWork, { mountsRoot = "" }: BackupParts): Promise<string[]> {
  if (!("file" in identities)) return identities;
  const text = await readFile(mountsRoot + identities.file, "utf8");
  // As age-keygen writes them: comments begin with #.
  return text
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .map((line) => line.trim());
}

async function targetOf(work: RestoreWork, { redactor, mountsRoot = "" }: BackupParts): Promise<Endpoint> {
  const { target_ca: pem } = work.options;
  if (work.target === undefined) return ownServer();
  return namedDatabase("target", work.target, { redactor, mountsRoot, pem });
}

async function removeParts(
  work: RemovalWork,
  parts: BackupParts,
  { signal }: LifeHooks,
  state: State,
): Promise<RunOutcome> {
  const storage = await openStorage(work, parts);
  try {
    for (const folder of work.folders) await parts.backup.removeRun({ storage, folder, signal });
  } catch (error) {
    // In a bucket that does not exist is nothing to remove.
    if (!(error instanceof BackupError) || error.code !== "storage_missing") throw error;
  }
  const message = `Removed the parts under ${work.folders.at(-1)} from ${storage.place}.`;
  return { report: state.report(), outcome: "completed", reason: "Removed", message };
}
