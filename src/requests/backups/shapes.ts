import * as z from "zod";
import { backupProgressSchema, jobStateSchema } from "../../resources/backup/status.ts";
import { listOf, pageSchema, resultOf } from "../accounts/shapes.ts";
import { ca, logSchema, url } from "../migrations/view/shapes.ts";
import { deletions, policies } from "./input.ts";

/** What the verbs of backups take beside a schedule's fields, and what they return. */

const time = (what: string) => z.iso.datetime().describe(what);
const count = (what: string) => z.number().int().min(0).describe(what);
const names = <T extends string>(of: Readonly<Record<T, string>>) => z.enum(Object.keys(of) as [T, ...T[]]);

/** What is no UUID is nobody's id: 404, as of an unknown one. */
const uuid = (what: string) => z.string().min(1).max(100).describe(what).meta({ format: "uuid" });
export const backupIdSchema = uuid("The schedule's id.");
export const restoreIdSchema = uuid("The restore's id.");
export const runIdSchema = z.string().min(1).max(253).describe("The run's id.");

const backupStateSchema = z
  .enum(["active", "suspended", "not_ready"])
  .describe("`suspended`: no run starts by itself. `not_ready`: `conditions` have the reason.");

export const backupListSchema = pageSchema.extend({
  status: backupStateSchema.describe("Only schedules with this status.").exactOptional(),
});
export const runListSchema = pageSchema.extend({
  status: jobStateSchema.describe("Only runs with this status.").exactOptional(),
});
export const restoreListSchema = pageSchema.extend({
  status: jobStateSchema.describe("Only restores with this status.").exactOptional(),
  backup: uuid("Only restores of this schedule's runs.").exactOptional(),
});

export const runNowSchema = z.strictObject({
  verify: z
    .boolean()
    .default(false)
    .describe("Verify the run when it is completed, by a restore into a throw-away server."),
});

export const restoreSchema = z.strictObject({
  target_url: url("database to restore into, of any engine, on any host", true),
  target_ca: ca("target_ca").describe("PEM of the CA that signed the target server's certificate.").exactOptional(),
  allow_not_empty: z
    .boolean()
    .default(false)
    .describe("Restore into a database that has tables, views or sequences already. They stay as they are."),
});
export type RestoreInput = z.output<typeof restoreSchema>;

const runRef = z.object({ id: z.string(), slot: time("The time that it was due.").nullable() }).nullable();

const conditionSchema = z.object({
  type: z.string().describe("`ready`, `verified` or `overdue`."),
  status: z.enum(["true", "false", "unknown"]),
  reason: z.string().describe("Stable name, in snake_case."),
  message: z.string().describe("The condition, as a sentence."),
  changed_at: time("When its status changed last."),
});

export const backupSchema = z.object({
  id: z.string().describe("Opaque UUID."),
  name: z.string().nullable().describe("The schedule's name."),
  status: backupStateSchema,
  interval: z.enum(["daily", "weekly", "monthly"]).nullable().describe("null where `cron` is set."),
  cron: z.string().nullable().describe("null where `interval` is set."),
  time_zone: z.string(),
  next_run_at: time("When the next run starts.").nullable(),
  last_run: runRef.describe("The newest run."),
  last_completed_run: runRef.describe("The newest run that completed."),
  missed: count("Runs that were due and could not be started in time."),
  start_deadline_seconds: z.number().int().describe("Seconds after its time in which a missed run is still started."),
  retention: z
    .object({
      keep_last: count("Newest runs.").nullable(),
      daily: count("Days.").nullable(),
      weekly: count("Weeks.").nullable(),
      monthly: count("Months.").nullable(),
      yearly: count("Years.").nullable(),
    })
    .nullable()
    .describe("Which completed runs are kept; null: all."),
  storage: z
    .object({
      kind: z.enum(["installation", "bucket", "volume"]),
      endpoint: z.string().nullable(),
      region: z.string().nullable(),
      bucket: z.string().nullable(),
      prefix: z.string().nullable(),
    })
    .describe("Where backups are kept, without credentials."),
  recipients: z.array(z.string()).nullable().describe("age public keys; null: the installation's key ring."),
  verification: z.object({ policy: names(policies), max_age_days: count("Days.") }),
  last_verification: z
    .object({ run: z.string(), at: time("When it ended."), outcome: z.enum(["verified", "failed"]) })
    .nullable()
    .describe("The last restore of a run into a throw-away server."),
  deletion_policy: names(deletions).describe("Whether runs are kept or deleted with the schedule."),
  conditions: z.array(conditionSchema),
  created_at: time("When it was created."),
});
export type Backup = z.output<typeof backupSchema>;

const jobFields = {
  status: jobStateSchema,
  created_at: time("When it was created."),
  started_at: time("When it started.").nullable(),
  finished_at: time("When it completed or failed.").nullable(),
  tables: count("Tables in the backup.").nullable(),
  rows: count("Rows in the backup.").nullable(),
  queue_position: count(
    "Place in the queue while a limit holds it back; beyond 50 it is rounded up, to 100, 200, 500 and so on.",
  ).nullable(),
  error: z
    .object({
      code: z.string().describe("Stable name, in snake_case."),
      message: z.string().describe("Reason and fix."),
    })
    .nullable()
    .describe("Why it failed, with the fix."),
};

const progressSchema = backupProgressSchema
  .omit({ updatedAt: true })
  .extend({ updated_at: time("When the worker reported this.") });

const detail = {
  progress: progressSchema.nullable(),
  logs: z.array(logSchema).describe("The last milestones, oldest first."),
};

export const runSchema = z.object({
  id: z.string().describe("Opaque."),
  backup: z.string().describe("Id of its schedule."),
  trigger: z.enum(["schedule", "manual"]),
  slot: time("The time that it was due; null of one on request.").nullable(),
  ...jobFields,
  size: count("Bytes before compression.").nullable(),
  stored: count("Bytes in the storage.").nullable(),
  engine: z.string().nullable().describe("PostgreSQL, MySQL or MariaDB."),
  server_version: z.string().nullable(),
  verification: z
    .object({
      status: z.enum(["not_requested", "requested", "verified", "failed"]),
      at: time("When it ended.").nullable(),
      tables: count("Tables restored.").nullable(),
      rows: count("Rows restored and counted.").nullable(),
      seconds: count("Seconds that the restore took.").nullable(),
      message: z.string().nullable().describe("Why it failed."),
    })
    .describe("The last restore of this run into a throw-away server, compared with the backup."),
});
export type BackupRunView = z.output<typeof runSchema>;
export const oneRunSchema = runSchema.extend({
  manifest_digest: z.string().nullable().describe("SHA-256 of the stored manifest: a restore refuses any other."),
  ...detail,
});
export type OneRun = z.output<typeof oneRunSchema>;

export const restoredSchema = z.object({
  id: z.string().describe("Opaque UUID."),
  backup: z.string().nullable().describe("Id of the run's schedule; null where `kubectl` made the restore."),
  run: z.string().describe("Id of the run."),
  allow_not_empty: z.boolean(),
  convert: z.boolean().describe("The target is of another engine, so that the backup is converted."),
  ...jobFields,
});
export type RestoreView = z.output<typeof restoredSchema>;
export const oneRestoreSchema = restoredSchema.extend(detail);
export type OneRestore = z.output<typeof oneRestoreSchema>;

export const backupsSchema = listOf(backupSchema);
export const runsSchema = listOf(runSchema);
export const restoresSchema = listOf(restoredSchema);
export const backupResponseSchema = resultOf({ backup: backupSchema });
export const runResponseSchema = resultOf({ run: runSchema });
export const restoreResponseSchema = resultOf({ restore: restoredSchema });
export type BackupResponse = z.output<typeof backupResponseSchema>;
export type RunResponse = z.output<typeof runResponseSchema>;
export type RestoreResponse = z.output<typeof restoreResponseSchema>;
