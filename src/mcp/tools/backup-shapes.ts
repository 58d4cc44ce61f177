import * as z from "zod";
import type { Backup, BackupRunView, OneRun, RestoreView } from "../../requests/backups/shapes.ts";

/** What the tools of backups return: REST's fields, fewer of them. Names and messages are in the fenced text alone. */

const state = z.enum(["pending", "in_progress", "completed", "failed"]);

export const scheduleSchema = z.object({
  id: z.string(),
  status: z.enum(["active", "suspended", "not_ready"]),
  interval: z.string().nullable(),
  cron: z.string().nullable(),
  time_zone: z.string(),
  next_run_at: z.string().nullable(),
  last_completed_run: z.string().nullable(),
  missed: z.number(),
  verified: z.string().nullable().describe("Outcome of the last verification by a restore."),
});

export const scheduleOf = (backup: Backup): z.output<typeof scheduleSchema> =>
  scheduleSchema.parse({
    ...backup,
    last_completed_run: backup.last_completed_run?.id ?? null,
    verified: backup.last_verification?.outcome ?? null,
  });

/** Of a schedule that was just created there is nothing more to tell. */
export const createdSchema = scheduleSchema.pick({ id: true, status: true });

export const runSchema = z.object({
  id: z.string(),
  status: state,
  trigger: z.string(),
  slot: z.string().nullable(),
  created_at: z.string(),
  finished_at: z.string().nullable(),
  size: z.number().nullable().describe("Bytes before compression."),
  tables: z.number().nullable(),
  rows: z.number().nullable(),
  verification: z.string(),
  error_code: z.string().nullable(),
});

/** Of a run, or a restore, that was just queued. */
export const queuedSchema = runSchema.pick({ id: true, status: true });

export const summaryOfRun = (run: BackupRunView): z.output<typeof runSchema> =>
  runSchema.parse({ ...run, verification: run.verification.status, error_code: run.error?.code ?? null });

export const restoreSummarySchema = z.object({
  id: z.string(),
  run: z.string(),
  status: state,
  created_at: z.string(),
  finished_at: z.string().nullable(),
  error_code: z.string().nullable(),
});

export const summaryOfRestore = (restore: RestoreView): z.output<typeof restoreSummarySchema> =>
  restoreSummarySchema.parse({ ...restore, error_code: restore.error?.code ?? null });

/** Lines for the fence. */
export const untrustedLines = (
  runs: readonly BackupRunView[],
  restores: readonly RestoreView[],
  detail: OneRun | undefined,
  logLines: number,
): string[] => [
  ...runs.flatMap(({ id, error }) => (error === null ? [] : [`run ${id} ${error.code}: ${error.message}`])),
  ...runs.flatMap(({ id, verification: { message } }) =>
    message === null ? [] : [`verification of ${id}: ${message}`],
  ),
  ...restores.flatMap(({ id, error }) => (error === null ? [] : [`restore ${id} ${error.code}: ${error.message}`])),
  ...(logLines === 0 ? [] : (detail?.logs ?? []).slice(-logLines)).map(
    ({ time, level, message }) => `log ${time} ${level}: ${message}`,
  ),
];
