import { clean } from "../../guard/text.ts";
import type { Restore } from "../../resources/backup/restore.ts";
import type { BackupRun } from "../../resources/backup/run.ts";
import type { JobState } from "../../resources/backup/status.ts";
import { Problem } from "../errors.ts";
import { publicId } from "../migrations/keys/id.ts";
import { createdAt, logsOf, said, snake } from "../migrations/view/shown.ts";
import { marks } from "./marks.ts";
import type { BackupRunView, OneRestore, OneRun, RestoreView } from "./shapes.ts";

/** What the API shows of a BackupRun and of a Restore, each of which runs as one Job: pure functions of the object. */

type Job = Pick<BackupRun, "metadata" | "status"> | Pick<Restore, "metadata" | "status">;

/** Undefined while it is being deleted. */
export const jobState = ({ metadata, status }: Job): JobState | undefined =>
  metadata.deletionTimestamp === undefined ? (status?.state ?? "pending") : undefined;

const jobOf = (job: Job) => ({
  status: jobState(job) ?? ("pending" as const),
  created_at: createdAt(job),
  started_at: job.status?.startedAt ?? null,
  finished_at: job.status?.finishedAt ?? null,
  tables: job.status?.tables ?? null,
  rows: job.status?.rows ?? null,
  queue_position: job.status?.queuePosition ?? null,
  error: errorOf(job),
});

function errorOf({ status }: Job): BackupRunView["error"] {
  if (status?.state !== "failed") return null;
  const condition = status.conditions?.find(({ type, status: holds }) => type === "Failed" && holds === "True");
  const { reason, message } = condition ?? status.result ?? { reason: "failed", message: "It failed." };
  return { code: snake(reason), message: said(message, 2048) };
}

function detailOf({ status }: Job): Pick<OneRun, "progress" | "logs"> {
  const logs = logsOf(status?.log);
  if (status?.progress === undefined) return { progress: null, logs };
  const { updatedAt, ...progress } = status.progress;
  return { progress: { ...progress, updated_at: updatedAt }, logs };
}

/** Throws Problem `state_conflict` for a run that only its owner can decrypt. */
export function requireReadable({ status }: Pick<BackupRun, "status">): void {
  if (status?.encryption !== undefined && status.encryption.identities === undefined)
    throw new Problem(
      "state_conflict",
      "This run is encrypted for your own recipients, so the service cannot decrypt it: restore it with the command line, `rowferry restore`.",
    );
}

/** Asked for, and not started yet or still running: the last one that ended is of an earlier `spec.verifications`. */
export function awaitsVerification({ spec, status }: Pick<BackupRun, "spec" | "status">): boolean {
  const ended = status?.verification;
  // Its Restore is named after the run and the number.
  const isOfThis = ended !== undefined && (ended.restore?.endsWith(`-verify-${spec.verifications}`) ?? true);
  return spec.verifications > 0 && (spec.verifications > (status?.verifications ?? 0) || !isOfThis);
}

function verificationOf(run: Pick<BackupRun, "spec" | "status">): BackupRunView["verification"] {
  const last = run.status?.verification;
  const requested = awaitsVerification(run);
  return {
    status: requested ? "requested" : (last?.outcome ?? "not_requested"),
    at: last?.at ?? null,
    tables: last?.tables ?? null,
    rows: last?.rows ?? null,
    seconds: last?.seconds ?? null,
    message: last?.message === undefined ? null : said(last.message, 2048),
  };
}

/** `backup`: public id of its schedule. */
export function runView(run: Pick<BackupRun, "metadata" | "spec" | "status">, backup: string): BackupRunView {
  const { metadata, spec, status } = run;
  return {
    id: metadata.name,
    backup,
    trigger: spec.trigger === "Schedule" ? "schedule" : "manual",
    slot: spec.slot ?? null,
    ...jobOf(run),
    size: status?.size ?? null,
    stored: status?.stored ?? null,
    engine: status?.engine === undefined ? null : clean(status.engine, 64),
    server_version: status?.serverVersion === undefined ? null : clean(status.serverVersion, 128),
    verification: verificationOf(run),
  };
}

export const oneRunOf = (run: BackupRun, backup: string): OneRun => ({
  ...runView(run, backup),
  manifest_digest: run.status?.manifestDigest ?? null,
  ...detailOf(run),
});

export function restoreOf(restore: Pick<Restore, "metadata" | "spec" | "status">): RestoreView {
  const { metadata, spec } = restore;
  return {
    id: publicId(restore),
    backup: metadata.annotations?.[marks.backup] ?? null,
    run: spec.backupRun,
    allow_not_empty: spec.allowNotEmpty,
    convert: spec.convert,
    ...jobOf(restore),
  };
}

export const oneRestoreOf = (restore: Restore): OneRestore => ({ ...restoreOf(restore), ...detailOf(restore) });
