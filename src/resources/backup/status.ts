import * as z from "zod";
import { conditionSchema } from "../conditions.ts";
import { logEntrySchema } from "../migration.ts";

/** The parts of a status that BackupRun and Restore have in common: each runs as one Job. */

export const when = (what: string) => z.iso.datetime().describe(what);
const count = (what: string) => z.int().min(0).describe(what);
const doneOfTotal = (what: string) =>
  z
    .object({ done: count("Done so far."), total: count("Expected; an estimate until all is done, 0 if unknown.") })
    .describe(what);

export const jobStateSchema = z.enum(["pending", "in_progress", "completed", "failed"]);
export type JobState = z.infer<typeof jobStateSchema>;

export const backupProgressSchema = z
  .object({
    phase: z.enum(["connecting", "checking", "copying", "verifying", "finished"]).describe("Current phase."),
    bytes: doneOfTotal("Bytes before compression."),
    rows: doneOfTotal("Rows."),
    tables: doneOfTotal("Tables."),
    stored: count("Bytes written to the storage, or read from it."),
    updatedAt: when("When the worker reported this."),
  })
  .describe("Progress, as the worker reported it last.");

/** What the worker stores at the end. A restore has no digest; a removal has neither. */
export const backupResultSchema = z.object({
  run: z.int().min(1).describe("Always 1."),
  outcome: z.enum(["completed", "failed"]).describe("Whether the work is done and verified."),
  reason: z.string().max(128).describe("CamelCase reason, or the error's code."),
  message: z.string().max(2048).describe("A sentence that a user can act on."),
  finishedAt: when("When the result was stored."),
});

export const conditions = (what: string) =>
  z
    .array(conditionSchema)
    .max(16)
    .optional()
    .describe(what)
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["type"] });

/**
 * Fields of two owners, as in a Migration: `rowferry-controller` holds state, conditions, job, queue, times, its own log
 * entries and observedGeneration; `rowferry-worker` the rest.
 */
export const jobStatusShape = {
  observedGeneration: z.int().min(0).optional().describe("metadata.generation of the spec that the state is about."),
  state: jobStateSchema.optional().describe("Where it is: pending, in_progress, completed or failed."),
  job: z
    .object({ name: z.string().describe("Its name."), uid: z.string().describe("Its uid.") })
    .optional()
    .describe("The Job. Once it is recorded no other Job is made."),
  queuedAt: when("When it began to wait; the oldest gets the next free slot.").optional(),
  queuePosition: z
    .int()
    .min(1)
    .optional()
    .describe(
      "Place in the queue while a concurrency limit holds it back; beyond 50 it is rounded up, to 100, 200, 500 and so on.",
    ),
  startedAt: when("When its Job was made.").optional(),
  finishedAt: when("When it completed or failed.").optional(),
  log: z
    .array(logEntrySchema)
    .max(64)
    .optional()
    .describe("The last milestones; sort by id.")
    .meta({ "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["id"] }),
  heardAt: when("Time of the last report of the worker, by the operator's clock.").optional(),
  progress: backupProgressSchema.optional(),
  tables: count("Tables in the backup.").optional(),
  rows: count("Rows in the backup, counted in its snapshot.").optional(),
  columns: z
    .object({
      size: z.string().optional().describe("Size of the source."),
      progress: z.string().optional().describe("Percent and phase."),
    })
    .optional()
    .describe("The texts of kubectl's columns."),
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
