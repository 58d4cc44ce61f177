import { reportLockWaits } from "../engine/run/watchdog/lock-waits.ts";
import { counted, sizeText } from "../guard/text.ts";
import { createBackupAccount } from "./account.ts";
import { BackupError, type BackupRequest, type Storage, type TakenBackup } from "./contract.ts";
import { openRecipients } from "./encryption/age.ts";
import { writeManifest } from "./manifest.ts";
import type { Manifest } from "./manifest-schema.ts";
import { writeMysql } from "./mysql/write.ts";
import { checkName, manifestName } from "./names.ts";
import type { Writing } from "./parts.ts";
import { writePostgres } from "./postgres/write.ts";
import type { DumpWork, WrittenPart } from "./work.ts";

/** One backup: parts, then the manifest, which makes the run complete. A run that fails leaves nothing in the storage. */

const formatVersion = "rowferry-backup/1";
const usualJobs = 2;

/** Errors: BackupError, EngineError; the signal's reason when it was aborted. */
export const takeBackup = (request: BackupRequest): Promise<TakenBackup> =>
  reportLockWaits(request.log, () => takeRun(request));

async function takeRun(request: BackupRequest): Promise<TakenBackup> {
  const { source, storage, run, signal, log, clock } = request;
  const folder = checkName(request.folder);
  const recipients = openRecipients(request.recipients);
  const startedAt = new Date(clock()).toISOString();
  await clearFolder(storage, folder, signal);
  const account = createBackupAccount(request.progress);
  const writing: Writing = { ...{ storage, folder, recipients, signal }, moved: account.moved };
  const work: DumpWork = {
    source,
    signal,
    log,
    writing,
    account,
    jobs: request.jobs ?? usualJobs,
    checksums: request.checksums ?? false,
  };
  try {
    const written = await write(work);
    const manifest: Manifest = {
      format: formatVersion,
      run: { id: run.id, ...(run.schedule && { schedule: run.schedule }), ...(run.slot && { slot: run.slot }) },
      engine: source.engine,
      startedAt,
      finishedAt: new Date(clock()).toISOString(),
      ...written,
      tools: { rowferry: process.env.npm_package_version ?? "0.0.0", ...written.tools },
    };
    const { digest, size } = await writeManifest(writing, manifest);
    const bytes = written.parts.reduce((sum, part) => sum + part.plain, 0);
    const stored = written.parts.reduce((sum, part) => sum + part.size, size);
    account.phase("finished");
    const rows = written.tables.reduce((sum, table) => sum + table.rows, 0);
    log(
      "info",
      `Backed up ${counted(rows, "row")} in ${counted(written.tables.length, "table")}: ${sizeText(bytes)}, ${sizeText(stored)} stored`,
    );
    return {
      ...{ manifestDigest: digest, bytes, stored, parts: written.parts.length, rows },
      tables: written.tables.length,
      position: written.position,
      engine: written.source.product,
      serverVersion: written.source.version,
      warnings: written.warnings,
    };
  } catch (error) {
    await clean(request, folder);
    signal.throwIfAborted();
    throw error;
  }
}

const write = (work: DumpWork): Promise<WrittenPart> =>
  work.source.engine === "mysql" ? writeMysql(work) : writePostgres(work);

/** A complete run is never written over; what a cut-off attempt left is removed. Errors: `archive_exists`. */
async function clearFolder(storage: Storage, folder: string, signal: AbortSignal): Promise<void> {
  const left: string[] = [];
  for await (const { name } of storage.list(`${folder}/`, signal)) {
    if (name === `${folder}/${manifestName}`)
      throw new BackupError(
        "archive_exists",
        `${storage.place} already has a complete backup under ${folder}: choose another name for this run`,
      );
    left.push(name);
  }
  for (const name of left) await storage.remove(name, signal);
  await storage.abortUploads(`${folder}/`, signal);
}

const cleanMs = 60_000;

async function clean({ storage, log }: BackupRequest, folder: string): Promise<void> {
  // Also after an abort, and for as long as a storage takes that answers at all.
  await removeRun({ storage, folder, signal: AbortSignal.timeout(cleanMs) }).catch(() =>
    log(
      "warning",
      `the parts of this failed run could not be removed from ${storage.place} under ${folder}: delete that folder`,
    ),
  );
}

/** Removes a run: the manifest first, so that it is never complete without all of its parts. Repeatable. Errors: the storage's. */
export async function removeRun(request: { storage: Storage; folder: string; signal: AbortSignal }): Promise<void> {
  const { storage, signal } = request;
  const folder = checkName(request.folder);
  await storage.remove(`${folder}/${manifestName}`, signal);
  const names: string[] = [];
  for await (const { name } of storage.list(`${folder}/`, signal)) names.push(name);
  for (const name of names) await storage.remove(name, signal);
  await storage.abortUploads(`${folder}/`, signal);
}
