import { z } from "zod";
import { connectionTestSchema } from "../migrations/shapes.ts";
import { pageSchema } from "../who/shapes.ts";

/** What the verbs of backups take and answer. */

const id = z.string().min(1).max(100);

export const backupIdSchema = id.describe("The schedule's id.");
export const backupListSchema = pageSchema;
export const backupCreateSchema = z.strictObject({
  database_url: connectionTestSchema.shape.url,
  interval: z.enum(["daily", "weekly", "monthly"]).default("daily").describe("How often; daily is the shortest."),
});
export const restoreSchema = z.strictObject({
  run: id.describe("A completed run of the schedule."),
  target_url: connectionTestSchema.shape.url,
});

const scheduleSchema = z.object({ id: z.string(), interval: z.string(), next_run_at: z.string().nullable() });
const runSchema = z.object({ id: z.string(), status: z.string(), size: z.number().nullable() });

export const schedulesSchema = z.object({ data: z.array(scheduleSchema), next_cursor: z.string().nullable() });
export const runsSchema = z.object({ data: z.array(runSchema), next_cursor: z.string().nullable() });
export const scheduledSchema = z.object({ message: z.string(), backup: scheduleSchema });
export const ranSchema = z.object({ message: z.string(), run: runSchema });
export const restoredSchema = z.object({
  message: z.string(),
  restore: z.object({ id: z.string(), status: z.string() }),
});
