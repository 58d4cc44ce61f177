import {
  BackupError,
  type ArchiveHooks as BackupHooks,
  type BackupPhase,
  type BackupProgress,
  type RestoreResult,
} from "../backup/contract.ts";
import { countObjects } from "../engine/assess/existing-objects.ts";
import type {
  Copied,
  CopyReport,
  CopyRequest,
  Endpoint,
  EngineProgress,
  InventoryEntry,
} from "../engine/contract/index.ts";
import { printable } from "../engine/contract/text/printable.ts";
import { notCopiedText } from "../engine/report/not-copied.ts";
import { TargetNotEmptyError } from "../engine/run/fence/drop-option.ts";
import { openReading } from "../engine/run/open-database.ts";
import { counted } from "../guard/text.ts";
import { rowsIn } from "./outcome.ts";
import type { WorkerEngine } from "./parts.ts";
import type { RestoreWork } from "./protocol.ts";

/**
 * A restore into another engine: the archive goes into the throw-away server of this pod, is compared there with its manifest,
 * and that database is copied into the target as a migration does. Each pod begins anew: the server went with the pod before,
 * and what that pod made in the target is dropped by its record in `_rowferry`.
 */
export interface Conversion {
  work: Pick<RestoreWork, "owner" | "ownerName" | "allowNotEmpty" | "options">;
  server: Endpoint;
  target: Endpoint;
  engine: Pick<WorkerEngine, "copy" | "foundRuns">;
  hooks: BackupHooks;
  restore(into: Endpoint, hooks: BackupHooks): Promise<RestoreResult>;
}

/** Errors: BackupError, EngineError; the signal's reason when it was aborted. */
export async function convert(conversion: Conversion): Promise<Copied> {
  const { server, engine, hooks } = conversion;
  const { signal, log } = hooks;
  await refuseNotEmpty(conversion);
  const progress = createProgress(hooks.progress);
  log("info", "Restoring into a throw-away server of the backup's engine");
  const restored = await conversion.restore(server, { ...hooks, progress: progress.restoring });
  requireEqual(
    restored,
    "the database in the throw-away server is not equal to the backup, and nothing was written to the target",
  );
  log("info", "Copying from the throw-away server into the target");
  const request = requestOf(conversion, true, restored.checksummed > 0 ? "checksum" : "counts");
  const copied = await engine
    .copy(request, { signal, log, progress: progress.copying, measured: () => undefined })
    .catch((error: unknown) => {
      throw withRestoreMessage(error);
    });
  progress.finished();
  for (const { level, message } of entriesOf(copied.report.inventory)) log(level, message);
  return copied;
}

/**
 * Of a restore whose result is stored, and whose pod was killed before it had dropped `_rowferry`: what drops it. Undefined where
 * nothing is left. The rows in the target are not touched: they may be in use. Errors: EngineError.
 */
export async function storedConversion({
  work,
  server,
  target,
  engine,
  hooks: { signal, log },
}: Omit<Conversion, "restore">): Promise<Copied | undefined> {
  const runs = await engine.foundRuns(target, signal);
  if (!runs.some(({ owner }) => owner === work.owner)) return undefined;
  // The copy finds its saved report, and neither reads nor writes a row.
  return engine.copy(requestOf({ work, server, target }, false, "counts"), {
    ...{ signal, log },
    progress: () => undefined,
    measured: () => undefined,
  });
}

const requestOf = (
  { work, server, target }: Pick<Conversion, "work" | "server" | "target">,
  reset: boolean,
  verify: "checksum" | "counts",
): CopyRequest => ({
  ...{ owner: work.owner, ownerName: work.ownerName, source: server, target, reset },
  options: { jobs: work.options.jobs, verify },
});

/** Errors: `restore_differs`, with `words` and the first differences. */
export function requireEqual({ equal, differences }: RestoreResult, words: string): void {
  if (!equal) throw new BackupError("restore_differs", `${words}: ${differences.slice(0, 5).join("; ")}`);
}

/** Before anything is restored anywhere. Errors: `target_not_empty`; EngineError of a target that cannot be reached. */
async function refuseNotEmpty({ work, target, engine, hooks: { signal } }: Conversion): Promise<void> {
  const opened = await openReading(target, { role: "target", program: "rowferry restore", signal });
  const objects = await countObjects(opened, target.database).finally(() => opened.session.end());
  if (objects === 0 || work.allowNotEmpty) return;
  // An earlier pod of this restore found it empty.
  const runs = await engine.foundRuns(target, signal);
  if (runs.some(({ owner }) => owner === work.owner)) return;
  throw new BackupError(
    "target_not_empty",
    `the target database ${printable(target.database)} has ${counted(objects, "object")} (tables, views and sequences). Restore into a new or an empty database, or allow a target that is not empty`,
  );
}

/** A restore has no option `drop`. */
const withRestoreMessage = (error: unknown): unknown =>
  error instanceof TargetNotEmptyError
    ? new TargetNotEmptyError(error.taken, "drop or rename them, or restore into an empty database")
    : error;

const phases: Record<EngineProgress["phase"], BackupPhase> = {
  ...{ connecting: "copying", schema: "copying", copying: "copying", constraints: "copying" },
  ...{ verifying: "verifying", finished: "verifying" },
};

/** Both steps as one: bytes are those of the backup, once for each step, and rows and tables are those of the target. */
function createProgress(report: BackupHooks["progress"]) {
  let latest: BackupProgress | undefined;
  let backup = 0;
  const tell = (progress: BackupProgress) => {
    latest = progress;
    report(progress);
  };
  return {
    restoring({ phase, bytes, rows, tables, stored }: BackupProgress): void {
      backup = bytes.total;
      tell({
        phase: phase === "connecting" || phase === "checking" ? "checking" : "copying",
        bytes: { done: bytes.done, total: 2 * backup },
        rows: { done: 0, total: rows.total },
        tables: { done: 0, total: tables.total },
        stored,
      });
    },
    copying({ phase, bytes, rows, tables }: EngineProgress): void {
      // The servers' sizes are not the backup's: only the share counts.
      const share = bytes.total > 0 ? Math.min(bytes.done / bytes.total, 1) : 0;
      tell({
        ...{ phase: phases[phase], rows, tables, stored: latest?.stored ?? 0 },
        bytes: { done: backup * (1 + share), total: 2 * backup },
      });
    },
    finished(): void {
      if (latest !== undefined) tell({ ...latest, phase: "finished" });
    },
  };
}

const mostNamed = 200;

/** One for each object that was changed; what was not copied last, since a status shows the last entries. */
function entriesOf(inventory: readonly InventoryEntry[]): { level: "info" | "warning"; message: string }[] {
  const reported = inventory.filter(({ outcome }) => outcome === "reported").slice(0, mostNamed);
  const converted = inventory.filter(({ outcome }) => outcome === "converted").slice(0, mostNamed - reported.length);
  const words = ({ kind, name, note }: InventoryEntry) => printable(`${kind} ${name}${note ? `: ${note}` : ""}`);
  return [
    ...converted.map((entry) => ({ level: "info" as const, message: `Converted: ${words(entry)}` })),
    ...reported.map((entry) => ({ level: "warning" as const, message: `Not copied, or changed: ${words(entry)}` })),
  ];
}

/** For the outcome. Pure. */
export function convertedText({ tables, inventory }: Pick<CopyReport, "tables" | "inventory">): string {
  const rows = rowsIn({ tables });
  const converted = inventory.filter(({ outcome }) => outcome === "converted").length;
  const done = `Restored by way of a throw-away server and verified: ${counted(tables.length, "table")} with ${counted(rows, "row")}`;
  const left = notCopiedText(inventory);
  return [
    `${done}${converted > 0 ? `; ${counted(converted, "object")} converted` : ""}.`,
    ...(left === undefined ? [] : [`${left} (see the report).`]),
  ].join(" ");
}
