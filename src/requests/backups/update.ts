import { kinds } from "../../cluster/index.ts";
import { type BackupSchedule, backupOptionsSchema } from "../../resources/backup/schedule.ts";
import { Problem } from "../errors.ts";
import { checkOne } from "../migrations/view/urls.ts";
import { refusalOf } from "../refusal.ts";
import { change } from "../update-with-retry.ts";
import type { Caller, World } from "../world.ts";
import { databaseMark } from "./create.ts";
import { requireBackups } from "./enabled.ts";
import { findBackup } from "./find.ts";
import type { BackupChange } from "./input.ts";
import { marks } from "./marks.ts";
import { checkEndpoint, sealedSource, sealedStorage } from "./sealed.ts";
import type { BackupResponse } from "./shapes.ts";
import { backupOf } from "./shown.ts";
import { withGiven } from "./spec.ts";

/**
 * Changes a schedule; what is left out stays. Runs that started keep what they started with. Throws Problem `backups_disabled`, `not_found`,
 * `other_team`, `url_refused`, `invalid`, `busy`.
 */
export async function updateBackup(
  world: World,
  caller: Caller,
  id: string,
  input: BackupChange,
): Promise<BackupResponse> {
  requireBackups(world);
  const { metadata } = await findBackup(world, caller, id);
  const place = { namespace: metadata.namespace, name: metadata.name };
  const { database_url, database_ca, name: title, storage, ...given } = input;
  const checked =
    database_url === undefined ? undefined : checkOne("database_url", database_url, database_ca, world.settings.guard);
  if (storage?.endpoint !== undefined) checkEndpoint(world, storage.endpoint);
  const stored = storage == null ? undefined : await sealedStorage(world, place, storage);

  const edit = async (live: BackupSchedule): Promise<BackupSchedule> => {
    if (live.metadata.uid !== metadata.uid || live.metadata.deletionTimestamp !== undefined) throw gone();
    const spec = { ...withGiven(live.spec, given), ...(stored === undefined ? {} : { storage: stored }) };
    if (storage === null) delete spec.storage;
    if (database_url !== undefined) {
      const { source_ca: _before, ...options } = spec.options ?? {};
      spec.options = backupOptionsSchema.parse({
        ...options,
        ...(database_ca === undefined ? {} : { source_ca: database_ca }),
      });
      spec.source = await sealedSource(world, place, spec, database_url);
    }
    const annotations = {
      ...live.metadata.annotations,
      ...(checked === undefined ? {} : databaseMark(world, checked)),
    };
    if (title === null) delete annotations[marks.title];
    else if (title !== undefined) annotations[marks.title] = title;
    return { ...live, metadata: { ...live.metadata, annotations }, spec };
  };

  const changed = await change(world, kinds.backupSchedules, place.namespace, place.name, edit).catch(
    (error: unknown) => {
      throw refusalOf(error, "backup schedules", "The change is refused");
    },
  );
  if (changed === undefined) throw gone();
  return { message: "The schedule is changed.", backup: backupOf(changed) };
}

/** Deletes a schedule; its `deletion_policy` says what becomes of its runs. Throws Problem `backups_disabled`, `not_found`, `other_team`. */
export async function removeBackup(world: World, caller: Caller, id: string): Promise<BackupResponse> {
  requireBackups(world);
  const schedule = await findBackup(world, caller, id);
  const { namespace, name, uid } = schedule.metadata;
  await world.client.remove(kinds.backupSchedules, namespace, name, uid);
  return {
    message:
      schedule.spec.deletionPolicy === "Delete"
        ? "The schedule is deleted. Its runs are being deleted, with everything that they stored."
        : `The schedule is deleted. Its runs are kept: GET /api/backups/${id}/runs lists them, and they can be restored.`,
    backup: backupOf(schedule),
  };
}

const gone = () => new Problem("not_found", "The backup schedule was deleted meanwhile.");
