import * as z from "zod";
import { reportRefSchema } from "../archive/archive.ts";
import { databaseRefSchema, expiredUrl } from "../database.ts";
import type { Stored } from "../metadata.ts";
import { optionsSchema } from "../options.ts";
import { conditions, rules, unchanged, when } from "../schema.ts";
import { identitiesSchema } from "./place.ts";
import { jobStatusShape } from "./status.ts";

/** The Restore kind: writes a completed BackupRun into a database, or verifies it in a throw-away one. */

export const restoreSpecSchema = z
  .object({
    backupRun: z
      .string()
      .min(1)
      .max(253)
      .describe("Name of the BackupRun, in the same namespace. It must be completed."),
    target: databaseRefSchema
      .optional()
      .describe("The database to restore into: of the backup's engine, or of any with convert: true."),
    allowNotEmpty: z
      .boolean()
      .default(false)
      .describe("Whether to restore into a database that has objects already. They stay as they are."),
    convert: z
      .boolean()
      .default(false)
      .describe(
        "Restore into a throw-away server of the backup's engine in the pod, then copy that database into the target as a migration does. For a target of another engine.",
      ),
    verification: z
      .boolean()
      .default(false)
      .describe("Restore into a throw-away server of the pod, compare with the backup, and remove it again."),
    identities: identitiesSchema
      .optional()
      .describe(
        "A Secret with age private keys, one a line. Default: the installation's key ring, or those that the BackupSchedule names.",
      ),
    options: optionsSchema.pick({ jobs: true, target_ca: true }).optional().describe("How to write."),
  })
  .meta(
    rules(
      [
        "has(self.target) != self.verification",
        "name the target in exactly one way: set target (a database), or verification: true for a throw-away server",
      ],
      ["!self.verification || !self.allowNotEmpty", "a throw-away server is always empty: remove allowNotEmpty"],
      ["!self.verification || !self.convert", "a verification has no target to convert for: remove convert"],
    ),
  );

const expired = `has(self.spec.target) && has(oldSelf.spec.target) && has(self.spec.target.sealedUrl) && has(oldSelf.spec.target.sealedUrl) && self.spec.target.sealedUrl == '${expiredUrl}'`;

export const restoreRules = [
  {
    rule: `${["backupRun", "allowNotEmpty", "convert", "verification", "identities", "options"].map(unchanged).join(" && ")} && (${unchanged("target")} || ${expired})`,
    message: "a Restore cannot be changed: create another Restore",
  },
];

export const restoreStatusSchema = z.object({
  ...jobStatusShape,
  conditions: conditions(
    "Complete, Failed and Running, and for verification: true Verified, each with a named reason.",
  ),
  seconds: z.int().min(0).optional().describe("Seconds from the first byte read to the end of the comparison."),
  report: reportRefSchema.optional().describe("With convert: true: the report of the copy."),
  verifiedAt: when("When the restored database was found equal to the backup.").optional(),
});

export type RestoreSpec = z.output<typeof restoreSpecSchema>;
export type RestoreStatus = z.output<typeof restoreStatusSchema>;

/** A Restore as the API server returns it. */
export type Restore = Stored<"Restore", RestoreSpec, RestoreStatus>;
