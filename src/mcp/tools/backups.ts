import { z } from "zod";
import {
  backupCreateSchema,
  backupIdSchema,
  backupListSchema,
  ranSchema,
  restoredSchema,
  restoreSchema,
  runsSchema,
  scheduledSchema,
  schedulesSchema,
} from "../../requests/backups/shapes.ts";
import { createBackup, listBackupRuns, listBackups, restoreBackup, runBackup } from "../../requests/backups/verbs.ts";
import { refusePlaceholders } from "../placeholders.ts";
import type { Tool } from "../tool.ts";

/** The tools of backup schedules. */

const page = {
  limit: z.number().int().min(1).max(100).default(20),
  cursor: backupListSchema.shape.cursor,
};
const listInput = z.strictObject(page);
const runInput = z.strictObject({ id: backupIdSchema });
const runsInput = z.strictObject({ id: backupIdSchema, ...page });
const given = "as the user gave it; never invent one.";
const createInput = backupCreateSchema.extend({
  database_url: backupCreateSchema.shape.database_url.meta({
    description: `Connection URL of the database, ${given}`,
    examples: ["postgres://user:password@host:5432/db"],
  }),
});
const restoreInput = restoreSchema.extend({
  id: backupIdSchema,
  target_url: restoreSchema.shape.target_url.meta({
    description: `Connection URL of the database to restore into, ${given}`,
    examples: ["postgres://user:password@host:5432/db"],
  }),
});

const looks = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const acts = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };

export const backupTools: readonly Tool[] = [
  {
    name: "list-backups-tool",
    title: "List backup schedules",
    description:
      "The acting team's backup schedules, newest first. Use it to find a schedule's id; list-backup-runs-tool shows its runs.",
    annotations: looks,
    tiers: ["ai"],
    input: listInput,
    output: schedulesSchema,
    async run(world, { caller }, input) {
      const data = await listBackups(world, caller, listInput.parse(input));
      return { text: `${data.data.length} schedules.`, data };
    },
  },
  {
    name: "create-backup-tool",
    title: "Schedule backups",
    description:
      "Points a backup schedule at a database; daily is the shortest interval. Next: run-backup-now-tool for a first backup.",
    annotations: acts,
    tiers: ["ai"],
    input: createInput,
    output: scheduledSchema,
    async run(world, { caller }, input) {
      const wanted = createInput.parse(input);
      refusePlaceholders({ database_url: wanted.database_url });
      const data = await createBackup(world, caller, wanted);
      return { text: data.message, data };
    },
  },
  {
    name: "run-backup-now-tool",
    title: "Back up now",
    description:
      "Takes a backup of a schedule's database immediately. Next: list-backup-runs-tool until it is completed.",
    annotations: acts,
    tiers: ["ai"],
    input: runInput,
    output: ranSchema,
    async run(world, { caller }, input) {
      const data = await runBackup(world, caller, runInput.parse(input).id);
      return { text: data.message, data };
    },
  },
  {
    name: "list-backup-runs-tool",
    title: "List a schedule's runs",
    description: "Run history of a schedule, newest first. A completed run can be given to restore-backup-tool.",
    annotations: looks,
    tiers: ["ai"],
    input: runsInput,
    output: runsSchema,
    async run(world, { caller }, input) {
      const { id, ...wanted } = runsInput.parse(input);
      const data = await listBackupRuns(world, caller, id, wanted);
      return { text: `${data.data.length} runs.`, data };
    },
  },
  {
    name: "restore-backup-tool",
    title: "Restore a backup",
    description:
      "Restores a completed run into a target database, on any host, free of charge. Use it only after the user named the target and agreed that it is written to.",
    annotations: { ...acts, destructiveHint: true },
    tiers: ["read"],
    input: restoreInput,
    output: restoredSchema,
    async run(world, { caller }, input) {
      const { id, ...wanted } = restoreInput.parse(input);
      refusePlaceholders({ target_url: wanted.target_url });
      const data = await restoreBackup(world, caller, id, wanted);
      return { text: data.message, data };
    },
  },
];
