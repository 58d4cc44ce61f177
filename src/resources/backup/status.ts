import * as z from "zod";
import { logEntries } from "../migration.ts";
import { columnTexts, count, doneOfTotal, jobRef, queuePosition, when } from "../schema.ts";

/** The parts of a status that BackupRun and Restore have in common: each runs as one Job. */

export const jobStateSchema = z.enum(["pending", "in_progress", "completed", "failed"]);
export type JobState = z.infer<typeof jobStateSchema>;

const orUnknown = ", 0 if unknown";

export const backupProgressSchema = z
  .object({
    phase: z.enum(["connecting", "checking", "copying", "verifying", "finished"]).describe("Current phase."),
    bytes: doneOfTotal("Bytes before compression.", orUnknown),
    rows: doneOfTotal("Rows.", orUnknown),
    tables: doneOfTotal("Tables.", orUnknown),
    stored: count("Bytes written to the storage, or read from it."),
    updatedAt: when("When the worker reported this."),
  })
  .describe("Progress, as the worker reported it last.");

/** What the worker stores at the end. A restore has no digest; a removal has neither. */
const backupResultSchema = z.object({
  run: z.int().min(1).describe("Always 1."),
  outcome: z.enum(["completed", "failed"]).describe("Whether the work is done and verified."),
  reason: z.string().max(128).describe("CamelCase reason, or the error's code."),
  message: z.string().max(2048).describe("A sentence that a user can act on."),
  finishedAt: when("When the result was stored."),
});

/**
 * Fields of two owners, as in a Migration: `rowferry-controller` holds state, conditions, job, queue, times, its own log
 * entries and observedGeneration; `rowferry-worker` the rest.
 */
export const jobStatusShape = {
  observedGeneration: z.int().min(0).optional().describe("metadata.generation of the spec that the state is about."),
  state: jobStateSchema.optional().describe("Where it is: pending, in_progress, completed or failed."),
  job: jobRef("The Job. Once it is recorded no other Job is made."),
  queuedAt: when("When it began to wait; the oldest gets the next free slot.").optional(),
  queuePosition: queuePosition("it"),
  startedAt: when("When its Job was made.").optional(),
  finishedAt: when("When it completed or failed.").optional(),
  log: logEntries("The last milestones; sort by id."),
  heardAt: when("Time of the last report of the worker, by the operator's clock.").optional(),
  progress: backupProgressSchema.optional(),
  tables: count("Tables in the backup.").optional(),
  rows: count("Rows in the backup, counted in its snapshot.").optional(),
  columns: z.object(columnTexts).optional().describe("The texts of kubectl's columns."),
  result: backupResultSchema.optional().describe("The stored backup, as the worker reported it at the end."),
};

/** One test of a backup: a restore into a throw-away server, compared with the manifest. */
export const verificationSchema = z
  .object({
    at: when("When it ended."),
    outcome: z.enum(["verified", "failed"]).describe("Whether the restored database equals the backup."),
    restore: z.string().max(253).optional().describe("The Restore that did it."),
    tables: count("Tables restored."),
    rows: count("Rows restored and counted."),
    seconds: count("Seconds that the restore took."),
    message: z.string().max(2048).optional().describe("Why it failed."),
  })
  .describe("The last verification by a restore.");
export type BackupVerification = z.infer<typeof verificationSchema>;
