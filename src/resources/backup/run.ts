import * as z from "zod";
import { databaseRefSchema } from "../database.ts";
import type { Stored } from "../metadata.ts";
import { conditions, exactlyOne, jobRef, onlyRaised, rules, unchanged, when } from "../schema.ts";
import { encryptionSchema, storageSchema } from "./place.ts";
import { backupOptionsSchema } from "./schedule.ts";
import { jobStatusShape, verificationSchema } from "./status.ts";

/**
 * The BackupRun kind: one backup. A run of a BackupSchedule takes source, storage and encryption from it when it starts;
 * one without a schedule names them itself.
 */

/** Keeps a BackupRun until its parts are removed; it is there before a pod may write to the storage. */
export const partsFinalizer = "rowferry.dev/backup-parts";

export const runSpecSchema = z
  .object({
    schedule: z
      .string()
      .min(1)
      .max(253)
      .optional()
      .describe("Name of the BackupSchedule; source, storage, encryption and options are then the schedule's."),
    slot: when("The firing of the schedule that this run is for.").optional(),
    trigger: z
      .enum(["Schedule", "Manual"])
      .default("Manual")
      .describe("Whether the schedule's time or a person started it."),
    source: databaseRefSchema
      .optional()
      .describe("The database to back up, for a run without a schedule. It is only read."),
    storage: storageSchema.optional(),
    encryption: encryptionSchema.optional(),
    options: backupOptionsSchema.optional(),
    verifications: z
      .int()
      .min(0)
      .max(1000)
      .default(0)
      .describe(
        "Number of requested verifications. Raise it by one to verify the completed run by a restore into a throw-away server.",
      ),
  })
  .meta(
    rules(
      exactlyOne("database", "schedule", "source", "set schedule (a BackupSchedule) or source, and not both"),
      [
        "!has(self.schedule) || !has(self.storage) && !has(self.encryption) && !has(self.options)",
        "a run of a schedule takes storage, encryption and options from it: remove them here",
      ],
      [
        "has(self.slot) == (self.trigger == 'Schedule')",
        "slot is set exactly for the trigger Schedule: remove slot for a run on request",
      ],
      onlyRaised("verifications", "verify again"),
    ),
  );

const fields = ["schedule", "slot", "trigger", "source", "storage", "encryption", "options"];

export const runRules = [
  {
    rule: fields.map(unchanged).join(" && "),
    message: "a BackupRun cannot be changed, except for verifications: create another BackupRun",
  },
];

export const runStatusSchema = z.object({
  ...jobStatusShape,
  conditions: conditions("Complete, Failed, Running and Verified, each with a named reason; kubectl wait reads them."),
  storage: storageSchema.optional().describe("The storage that the run began to write to. Absent before that."),
  scheduleUid: z
    .string()
    .max(64)
    .optional()
    .describe("uid of the BackupSchedule that it was started with: another one of its name has other runs."),
  encryption: encryptionSchema.optional().describe("For whom it is encrypted; absent: the installation's key ring."),
  size: z.int().min(0).optional().describe("Bytes of the backup before compression."),
  stored: z.int().min(0).optional().describe("Bytes in the storage."),
  location: z.string().max(512).optional().describe("Folder of the parts in the storage."),
  place: z
    .string()
    .max(1024)
    .optional()
    .describe("The storage, for a person: `s3://bucket/prefix`, or a volume with its claim."),
  manifestDigest: z
    .string()
    .max(80)
    .optional()
    .describe("SHA-256 of the stored manifest: a restore refuses any other manifest."),
  engine: z.string().max(64).optional().describe("PostgreSQL, MySQL or MariaDB."),
  serverVersion: z.string().max(128).optional().describe("Version of the source's server."),
  verifications: z.int().min(0).optional().describe("Number of the last verification that was started."),
  verification: verificationSchema.optional(),
  removal: jobRef("The Job that removes the parts of a failed or deleted run."),
  partsRemoved: z.boolean().optional().describe("Whether the parts of a failed run are removed."),
});

type RunSpec = z.output<typeof runSpecSchema>;
export type RunStatus = z.output<typeof runStatusSchema>;

/** A BackupRun as the API server returns it. */
export type BackupRun = Stored<"BackupRun", RunSpec, RunStatus>;
