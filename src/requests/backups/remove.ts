import { kinds } from "../../cluster/index.ts";
import type { Caller, World } from "../world.ts";
import { requireBackups } from "./enabled.ts";
import { findBackup } from "./find.ts";
import type { BackupResponse } from "./shapes.ts";
import { backupOf } from "./shown.ts";

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
