import type * as z from "zod";
import { accountSchema, memberSchema, teamSchema, tokenSchema } from "../../requests/accounts/shapes.ts";
import {
  backupSchema,
  oneRestoreSchema,
  oneRunSchema,
  restoredSchema,
  runSchema,
} from "../../requests/backups/shapes.ts";
import { connectionSchema, estimateSchema, preflightSchema } from "../../requests/migrations/probe/probe-shapes.ts";
import { givenOptionsSchema, listedSchema, oneSchema } from "../../requests/migrations/view/shapes.ts";

/** What of the schemas several operations share, by the name that clients made from the document know it. */
export const schemaNames: ReadonlyMap<z.core.$ZodType, string> = new Map<z.core.$ZodType, string>([
  [listedSchema, "ListedMigration"],
  [oneSchema, "Migration"],
  [givenOptionsSchema, "MigrationOptions"],
  [estimateSchema, "Estimate"],
  [preflightSchema, "Preflight"],
  [connectionSchema, "Connection"],
  [backupSchema, "Backup"],
  [runSchema, "BackupRun"],
  [oneRunSchema, "BackupRunDetail"],
  [restoredSchema, "Restore"],
  [oneRestoreSchema, "RestoreDetail"],
  [accountSchema, "Account"],
  [tokenSchema, "Token"],
  [teamSchema, "Team"],
  [memberSchema, "Member"],
]);
