import * as z from "zod";
import { createBackup } from "../../requests/backups/create.ts";
import { backupCreateSchema, backupFields, oneTime, oneTimeError } from "../../requests/backups/input.ts";
import { getRun, listBackups, listRestores, listRuns } from "../../requests/backups/list.ts";
import { runNow } from "../../requests/backups/run-now.ts";
import {
  backupIdSchema,
  backupListSchema,
  runIdSchema,
  runListSchema,
  runNowSchema,
} from "../../requests/backups/shapes.ts";
import { fenced } from "../fence.ts";
import { refusePlaceholders } from "../placeholders.ts";
import { idempotencyKey, untrusted } from "../shapes.ts";
import { type Tool, tool } from "../tool.ts";
import {
  createdSchema,
  queuedSchema,
  restoreSummarySchema,
  runSchema,
  scheduleOf,
  scheduleSchema,
  summaryOfRestore,
  summaryOfRun,
  untrustedLines,
} from "./backup-shapes.ts";
import { pollAfter } from "./next.ts";
import { restoreTool } from "./restore.ts";

/** The tools of backup schedules and their runs. */

const page = {
  limit: z.number().int().min(1).max(100).default(20),
  cursor: backupListSchema.shape.cursor,
};
const id = { id: backupIdSchema };
const looks = { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false };
const acts = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true };
const more = (cursor: string | null): string[] => (cursor === null ? [] : [`More with cursor ${cursor}`]);

const listTool = tool({
  name: "list-backups-tool",
  title: "List backup schedules",
  description:
    "The acting team's backup schedules, newest first. Use it to find a schedule's id; list-backup-runs-tool shows its runs.",
  annotations: looks,
  tiers: ["ai"],
  input: z.strictObject({ status: backupListSchema.shape.status, ...page }),
  output: z.object({ data: z.array(scheduleSchema), next_cursor: z.string().nullable(), untrusted }),
  async run(world, { caller }, input) {
    const { data, next_cursor } = await listBackups(world, caller, input);
    const lines = data.map((one) =>
      [one.id, one.status, one.interval ?? `cron ${one.cron}`, `next ${one.next_run_at ?? "none"}`].join(", "),
    );
    const names = data.flatMap(({ id: of, name }) => (name === null ? [] : [`name of ${of}: ${name}`]));
    return {
      text: [
        data.length === 0 ? "No backup schedules." : `Backup schedules (${data.length}):`,
        ...lines,
        ...more(next_cursor),
      ].join("\n"),
      data: { data: data.map(scheduleOf), next_cursor, untrusted: fenced(names, world.randomBytes(8)) },
    };
  },
});

const { database_url } = backupFields;
const createInput = z
  .strictObject({
    ...backupFields,
    database_url: database_url.meta({
      description: "Connection URL, as the user gave it; never invent one.",
      examples: ["postgres://user:password@host:5432/db"],
    }),
    ...idempotencyKey,
  })
  .refine(oneTime, oneTimeError);
const { storage: _storage, ...common } = createInput.shape;
/** Fields of a bucket that are rarely set are left to REST's documentation. */
const listedCreateInput = z.strictObject({
  ...common,
  storage: z
    .looseObject({ bucket: z.string() })
    .describe("Another S3 bucket, with bucket, endpoint, region, access_key_id and secret_access_key.")
    .exactOptional(),
});

const createTool = tool({
  name: "create-backup-tool",
  title: "Schedule backups",
  description:
    "Schedules backups of a database; daily is the shortest interval, and the default. Next: run-backup-now-tool.",
  annotations: acts,
  tiers: ["ai"],
  input: createInput,
  listedInput: listedCreateInput,
  output: z.object({ message: z.string(), backup: createdSchema, next: z.string() }),
  async run(world, { caller }, { idempotency_key: key, ...given }) {
    refusePlaceholders({ database_url: given.database_url });
    const { backup } = await createBackup(world, caller, backupCreateSchema.parse(given), key);
    const message = `The schedule ${backup.id} is created.`;
    const next = `Call run-backup-now-tool with id ${backup.id} for a first backup.`;
    return { text: `${message} ${next}`, data: { message, backup: { id: backup.id, status: backup.status }, next } };
  },
});

const runTool = tool({
  name: "run-backup-now-tool",
  title: "Back up now",
  description:
    "Takes a backup of a schedule's database immediately, also if suspended. Next: list-backup-runs-tool until it is completed.",
  annotations: acts,
  tiers: ["ai"],
  input: z.strictObject({ ...id, ...runNowSchema.shape, ...idempotencyKey }),
  output: z.object({ message: z.string(), run: queuedSchema, next: z.string() }),
  async run(world, { caller }, { id: of, idempotency_key: key, ...given }) {
    const { run } = await runNow(world, caller, of, given, key);
    const message = `The backup ${run.id} is queued.`;
    const next = `Call list-backup-runs-tool with id ${of} and run ${run.id} in 15 seconds.`;
    return { text: `${message} ${next}`, data: { message, run: { id: run.id, status: run.status }, next } };
  },
});

const runsInput = z.strictObject({
  ...id,
  run: runIdSchema.describe("Only this run, with its log.").exactOptional(),
  status: runListSchema.shape.status,
  log_lines: z.number().int().min(0).max(50).default(10).describe("With `run`: most recent lines of its log."),
  ...page,
});

/** Restores that are shown beside the runs. */
const mostRestores = 10;

const runsTool = tool({
  name: "list-backup-runs-tool",
  title: "List a schedule's runs",
  description:
    "Run history of a schedule, newest first, and its last restores. With `run` that one with its log. A completed run can be given to restore-backup-tool. Poll it, waiting poll_after_seconds between calls.",
  annotations: looks,
  tiers: ["ai"],
  input: runsInput,
  output: z.object({
    data: z.array(runSchema),
    next_cursor: z.string().nullable(),
    restores: z.array(restoreSummarySchema),
    poll_after_seconds: z.number().nullable().describe("null: nothing is running."),
    untrusted,
  }),
  async run(world, { caller }, { id: of, run, log_lines, ...query }) {
    const detail = run === undefined ? undefined : await getRun(world, caller, of, run);
    const { data: runs, next_cursor } =
      detail === undefined ? await listRuns(world, caller, of, query) : { data: [detail], next_cursor: null };
    const { data: all } = await listRestores(world, caller, { backup: of, limit: mostRestores });
    const restores = all.filter((one) => run === undefined || one.run === run);
    const waits = [...runs, ...restores].flatMap(
      (one) => pollAfter({ ...one, since: one.started_at ?? one.created_at, progress: null }, world.now()) ?? [],
    );
    const data = {
      data: runs.map(summaryOfRun),
      next_cursor,
      restores: restores.map(summaryOfRestore),
      poll_after_seconds: waits.length === 0 ? null : Math.min(...waits),
      untrusted: fenced(untrustedLines(runs, restores, detail, log_lines), world.randomBytes(8)),
    };
    const lines = data.data.map((one) =>
      [
        one.id,
        one.status,
        one.size === null ? "size unknown" : `${one.size} bytes`,
        `verification ${one.verification}`,
      ].join(", "),
    );
    const restored = data.restores.map((one) => `restore ${one.id} of ${one.run}: ${one.status}`);
    const wait = data.poll_after_seconds === null ? [] : [`Look again in ${data.poll_after_seconds} seconds.`];
    return {
      text: [
        runs.length === 0 ? "No runs." : `Runs (${runs.length}):`,
        ...lines,
        ...more(next_cursor),
        ...restored,
        ...wait,
      ].join("\n"),
      data,
    };
  },
});

export const backupTools: readonly Tool[] = [listTool, createTool, runTool, runsTool, restoreTool];
