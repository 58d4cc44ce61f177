import { kinds } from "../../cluster/index.ts";
import type { Restore } from "../../resources/backup/restore.ts";
import type { JobState } from "../../resources/backup/status.ts";
import { newestFirstBy, type PageOf, pageOf } from "../accounts/page.ts";
import { Problem } from "../errors.ts";
import { namespaceFor } from "../migrations/find.ts";
import { reportOf } from "../migrations/report.ts";
import type { LargeText } from "../migrations/view/archive.ts";
import { createdAt } from "../migrations/view/shown.ts";
import type { Caller, World } from "../world.ts";
import { requireBackups } from "./enabled.ts";
import { findBackup, findRestore, findRun, findRunsOwner, runsOf } from "./find.ts";
import { jobState, oneRestoreOf, oneRunOf, restoreOf, runView } from "./job-shown.ts";
import { marks } from "./marks.ts";
import type { Backup, BackupRunView, OneRestore, OneRun, RestoreView } from "./shapes.ts";
import { backupOf, backupState } from "./shown.ts";

/** What there is: schedules, the runs of one, and restores. Lists are newest first and read live. Each throws Problem `backups_disabled`. */

interface Query<State extends string> {
  /** 1 to 100. */
  limit: number;
  cursor?: string;
  status?: State;
}

interface Created {
  metadata: { creationTimestamp: string; uid: string; annotations?: Record<string, string> };
}

/** Objects that are being deleted have no state, and are not listed. */
function page<T extends Created, State extends string>(
  world: World,
  list: readonly string[],
  all: readonly T[],
  stateOf: (object: T) => State | undefined,
  { limit, cursor, status }: Query<State>,
): PageOf<T> {
  const listed = all.filter((object) => {
    const state = stateOf(object);
    return state !== undefined && (status === undefined || state === status);
  });
  const place = (object: T) => newestFirstBy(createdAt(object), object.metadata.uid);
  return pageOf(world.secret, [...list, status ?? ""], listed, place, { limit, cursor });
}

/** Throws Problem `invalid` for a cursor of another list. */
export async function listBackups(
  world: World,
  caller: Caller,
  query: Query<Backup["status"]>,
): Promise<PageOf<Backup>> {
  requireBackups(world);
  const namespace = await namespaceFor(world, caller);
  const all = namespace === undefined ? [] : await world.client.list(kinds.backupSchedules, { namespace });
  const { data, next_cursor } = page(world, ["backups", namespace ?? ""], all, backupState, query);
  return { data: data.map(backupOf), next_cursor };
}

/** Throws Problem `not_found`, `other_team`. */
export async function getBackup(world: World, caller: Caller, id: string): Promise<Backup> {
  requireBackups(world);
  return backupOf(await findBackup(world, caller, id));
}

/** Also those of a deleted schedule, if they were kept. Throws Problem `not_found`, `other_team`, `invalid`. */
export async function listRuns(
  world: World,
  caller: Caller,
  id: string,
  query: Query<JobState>,
): Promise<PageOf<BackupRunView>> {
  requireBackups(world);
  const owner = await findRunsOwner(world, caller, id);
  const of = ["backup-runs", owner.namespace, owner.name];
  const { data, next_cursor } = page(world, of, await runsOf(world, owner), jobState, query);
  return { data: data.map((run) => runView(run, owner.id)), next_cursor };
}

/** Throws Problem `not_found`, `other_team`. */
export async function getRun(world: World, caller: Caller, id: string, run: string): Promise<OneRun> {
  requireBackups(world);
  const owner = await findRunsOwner(world, caller, id);
  return oneRunOf(await findRun(world, owner, run), owner.id);
}

/** Of verifications there is more in their runs. */
const isOfUsers = ({ spec }: Restore): boolean => !spec.verification;

/** Throws Problem `invalid` for a cursor of another list. */
export async function listRestores(
  world: World,
  caller: Caller,
  { backup, ...query }: Query<JobState> & { backup?: string },
): Promise<PageOf<RestoreView>> {
  requireBackups(world);
  const namespace = await namespaceFor(world, caller);
  const all = namespace === undefined ? [] : await world.client.list(kinds.restores, { namespace });
  const wanted = all.filter(
    (one) => isOfUsers(one) && (backup === undefined || one.metadata.annotations?.[marks.backup] === backup),
  );
  const of = ["restores", namespace ?? "", backup ?? ""];
  const { data, next_cursor } = page(world, of, wanted, jobState, query);
  return { data: data.map(restoreOf), next_cursor };
}

/** Throws Problem `not_found`, `other_team`. */
export async function getRestore(world: World, caller: Caller, id: string): Promise<OneRestore> {
  requireBackups(world);
  return oneRestoreOf(await findRestore(world, caller, id));
}

/**
 * The report of a completed restore into another engine, as a migration's (docs/report.md). Throws Problem `backups_disabled`, `not_found`, also
 * where it was deleted or is too large to be kept, `other_team`, and `state_conflict` for a restore that has none.
 */
export async function restoreReport(world: World, caller: Caller, id: string): Promise<LargeText> {
  requireBackups(world);
  const restore = await findRestore(world, caller, id);
  if (!restore.spec.convert)
    throw new Problem(
      "state_conflict",
      "This restore has no report: it did not convert, and the restored database was found equal to the backup or the restore failed.",
    );
  return reportOf(world, caller, restore, { noun: "restore", state: jobState(restore) });
}
