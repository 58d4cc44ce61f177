import type { z } from "zod";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import type {
  backupCreateSchema,
  backupListSchema,
  ranSchema,
  restoredSchema,
  restoreSchema,
  runsSchema,
  scheduledSchema,
  schedulesSchema,
} from "./shapes.ts";

/** The verbs of backup schedules, their runs and restores. No installation has them enabled: each throws Problem `backups_disabled`. */

type Page = z.output<typeof backupListSchema>;

const disabled = () => new Problem("backups_disabled", "Backups are not enabled: this version has none yet.");

export async function listBackups(
  _world: World,
  _caller: Caller,
  _page: Page,
): Promise<z.output<typeof schedulesSchema>> {
  throw disabled();
}

export async function createBackup(
  _world: World,
  _caller: Caller,
  _input: z.output<typeof backupCreateSchema>,
): Promise<z.output<typeof scheduledSchema>> {
  throw disabled();
}

export async function runBackup(_world: World, _caller: Caller, _id: string): Promise<z.output<typeof ranSchema>> {
  throw disabled();
}

export async function listBackupRuns(
  _world: World,
  _caller: Caller,
  _id: string,
  _page: Page,
): Promise<z.output<typeof runsSchema>> {
  throw disabled();
}

export async function restoreBackup(
  _world: World,
  _caller: Caller,
  _id: string,
  _input: z.output<typeof restoreSchema>,
): Promise<z.output<typeof restoredSchema>> {
  throw disabled();
}
