import * as z from "zod";
import { databaseRefSchema } from "../database.ts";
import type { Metadata } from "../metadata.ts";
import { encryptionSchema, storageSchema } from "./place.ts";
import { backupOptionsSchema } from "./schedule.ts";
import { conditions, jobStatusShape, verificationSchema, when } from "./status.ts";

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
  .meta({
    "x-kubernetes-validations": [
      {
        rule: "has(self.schedule) != has(self.source)",
        message: "name the database in exactly one way: set schedule (a BackupSchedule) or source, and not both",
      },
      {
        rule: "!has(self.schedule) || !has(self.storage) && !has(self.encryption) && !has(self.options)",
        message: "a run of a schedule takes storage, encryption and options from it: remove them here",
      },
      {
        rule: "has(self.slot) == (self.trigger == 'Schedule')",
        message: "slot is set exactly for the trigger Schedule: remove slot for a run on request",
      },
      {
        rule: "self.verifications >= oldSelf.verifications",
        message: "verifications can only be raised: set it to a number above the present one to verify again",
      },
    ],
  });

const fields = ["schedule", "slot", "trigger", "source", "storage", "encryption", "options"];
const same = (field: string) =>
  `has(self.spec.${field}) == has(oldSelf.spec.${field}) && (!has(self.spec.${field}) || self.spec.${field} == oldSelf.spec.${field})`;

export const runRules = [
  {
    rule: fields.map(same).join(" && "),
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
  removal: z
    .object({ name: z.string().describe("Its name."), uid: z.string().describe("Its uid.") })
    .optional()
    .describe("The Job that removes the parts of a failed or deleted run."),
  partsRemoved: z.boolean().optional().describe("Whether the parts of a failed run are removed."),
});

export type RunSpec = z.output<typeof runSpecSchema>;
export type RunStatus = z.output<typeof runStatusSchema>;

/** A BackupRun as the API server returns it. */
export interface BackupRun {
  apiVersion: string;
  kind: "BackupRun";
  metadata: Metadata &
    Required<Pick<Metadata, "namespace" | "uid" | "generation" | "resourceVersion" | "creationTimestamp">>;
  spec: RunSpec;
  status?: RunStatus;
}
