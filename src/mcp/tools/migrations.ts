import * as z from "zod";
import { Problem } from "../../requests/errors.ts";
import { checkout } from "../../requests/migrations/checkout.ts";
import { getOne, listMigrations } from "../../requests/migrations/list.ts";
import { logs } from "../../requests/migrations/logs.ts";
import { countWarnings, pageOfReport } from "../../requests/migrations/report-pages.ts";
import { retry } from "../../requests/migrations/retry.ts";
import { type ActedAgain, listQuerySchema, type One, retrySchema } from "../../requests/migrations/view/shapes.ts";
import type { Caller, World } from "../../requests/world.ts";
import { fenced, inLines, roomFor } from "../fence.ts";
import { refusePlaceholders } from "../placeholders.ts";
import {
  againSchema,
  briefly,
  idempotencyKey,
  oneInput,
  startedText,
  summaryOf,
  summarySchema,
  untrusted,
} from "../shapes.ts";
import { type Tool, tool } from "../tool.ts";
import { nextOf, nextOfPage, pollAfter, sinceOf } from "./next.ts";
import { type ReportList, reportLists } from "./report-lines.ts";

/** The tools that look at migrations, and the one that runs a failed one again. */

const listInput = z.strictObject({
  status: listQuerySchema.shape.status,
  limit: z.number().int().min(1).max(100).default(20),
  cursor: z.string().min(1).max(1024).describe("next_cursor of the page before.").exactOptional(),
});

/** A name is its creator's text. */
const namesOf = (some: readonly { id: string; name: string }[]): string[] =>
  some.filter(({ id, name }) => name !== id).map(({ id, name }) => `${id} has the name ${name}`);

const listTool = tool({
  name: "list-migrations-tool",
  title: "List migrations",
  description:
    "The acting team's migrations, newest first: id, status, type, size, cost; names only in `untrusted`. Use it to find an id; get-migration-tool tells more of one.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  tiers: ["ai"],
  input: listInput,
  output: z.object({ data: z.array(summarySchema), next_cursor: z.string().nullable(), untrusted }),
  async run(world, { caller }, input) {
    const { data, next_cursor } = await listMigrations(world, caller, input);
    const lines = data.map(({ id, status, type, size, cost, amount_due, currency }) =>
      [
        id,
        status,
        type ?? "type unknown",
        size === null ? "size unknown" : `${size} bytes`,
        amount_due === null ? `${cost} ${currency}` : `${amount_due} ${currency} due`,
      ].join(", "),
    );
    const more = next_cursor === null ? [] : [`More with cursor ${next_cursor}`];
    return {
      text: [data.length === 0 ? "No migrations." : `Migrations (${data.length}):`, ...lines, ...more].join("\n"),
      data: { data: data.map(summaryOf), next_cursor, untrusted: fenced(namesOf(data), world.randomBytes(8)) },
    };
  },
});

const getInput = z.strictObject({
  ...oneInput,
  log_lines: z.number().int().min(0).max(50).default(10).describe("Most recent lines of the log."),
  list: z
    .enum(["log", ...Object.keys(reportLists)] as ["log", ...ReportList[]])
    .describe(
      "Pages, in `untrusted`, of the complete log or of the report of the last completed run. `report`: its single fields. `not_copied`: objects that were not copied or were changed. `definitions`: their source text. `verification`: filled by `verify: checksum`. `made`: objects created.",
    )
    .exactOptional(),
  limit: z.number().int().min(1).max(100).default(20).describe("Lines of a page of `list`."),
  cursor: z.string().min(1).max(1024).describe("next_cursor of the page before, of the same list.").exactOptional(),
});

const getOutput = summarySchema.extend({
  attempt: z.number().describe("1, and one more for each retry."),
  reset: z.number().describe("Number of resets."),
  queue_position: z.number().nullable(),
  started_at: z.string().nullable().describe("Start of the first run."),
  run_started_at: z.string().nullable().describe("Start of the current run, which a retry or reset makes."),
  finished_at: z.string().nullable(),
  progress: z
    .object({
      phase: z.string(),
      percent: z.number(),
      eta_seconds: z.number().nullable(),
      tables_done: z.number(),
      tables: z.number(),
      rows_done: z.number(),
      rows: z.number(),
    })
    .nullable(),
  error_code: z.string().nullable(),
  retryable: z.boolean().nullable().describe("false: the same run would fail again."),
  report: z
    .object({
      tables: z.number(),
      rows: z.number(),
      reported: z.number().describe("Objects not copied, or changed."),
    })
    .nullable(),
  poll_after_seconds: z.number().nullable().describe("Seconds to wait before the next call; null: it has ended."),
  next: z.string(),
  next_cursor: z.string().nullable(),
  untrusted,
});

function progressOf({ progress }: One) {
  if (progress === null) return null;
  const { tables, rows } = progress;
  return { ...progress, tables_done: tables.done, tables: tables.total, rows_done: rows.done, rows: rows.total };
}

const logLine = ({ time, level, message }: One["logs"][number]) => `log ${time} ${level}: ${message}`;
interface Lines {
  lines: string[];
  next_cursor: string | null;
}

/** Entries of the log that have at most `limit` lines together. */
async function pageOfLog(
  world: World,
  caller: Caller,
  id: string,
  { limit, ...from }: { limit: number; cursor?: string },
): Promise<Lines> {
  const { data, next_cursor } = await logs(world, caller, id, { limit, ...from });
  const lines: string[] = [];
  for (const [at, entry] of data.entries()) {
    const more = inLines(logLine(entry));
    if (lines.length > 0 && lines.length + more.length > limit)
      return { lines, next_cursor: (await logs(world, caller, id, { limit: at, ...from })).next_cursor };
    lines.push(...more);
  }
  return { lines, next_cursor };
}

/** The lines that stand in the fence: a list that the caller asks for, or what matters of the state. */
async function pageOf(
  world: World,
  caller: Caller,
  one: One,
  { list, cursor, limit, log_lines }: Omit<z.output<typeof getInput>, "id">,
): Promise<Lines> {
  const from = cursor === undefined ? {} : { cursor };
  if (list === "log") return pageOfLog(world, caller, one.id, { limit, ...from });
  const isLossy = one.status === "completed" && (one.report?.reported ?? 0) > 0;
  if (list === undefined && !isLossy) return { lines: untrustedLines(one, log_lines), next_cursor: null };
  const shown = list ?? "not_copied";
  const parts = reportLists[shown];
  const page = pageOfReport(world, caller, one.id, { list: shown, parts, limit, ...from });
  if (list !== undefined) return page;
  const { lines, next_cursor } = await unlessUnavailable(page, { lines: [], next_cursor: null });
  return { lines: [...lines, ...untrustedLines(one, log_lines)], next_cursor };
}

/** The state of a migration is known also while its report cannot be read. */
async function unlessUnavailable<T>(read: Promise<T>, otherwise: T): Promise<T> {
  try {
    return await read;
  } catch (error) {
    if (error instanceof Problem && error.code === "unavailable") return otherwise;
    throw error;
  }
}

function untrustedLines(one: One, logLines: number): string[] {
  // Whole: the fix stands at its end.
  const error = one.error === null ? [] : inLines(`error ${one.error.code}: ${one.error.message}`);
  const tables = (one.progress?.current ?? [])
    .slice(0, 3)
    .map(({ name, rows, total, state }) => `table "${name}": ${state}, ${rows} of about ${total} rows`);
  const log = logLines === 0 ? [] : one.logs.slice(-logLines);
  return [...namesOf([one]), ...error, ...tables, ...log.map(logLine)];
}

const get = tool({
  name: "get-migration-tool",
  title: "Show a migration",
  description:
    "One migration: state, progress, ETA, error, recent log lines, what was not copied, and the next call. With `list`: the complete log or report. Poll with it until status is completed or failed, waiting poll_after_seconds between calls.",
  annotations: { readOnlyHint: true, destructiveHint: false, idempotentHint: true, openWorldHint: false },
  tiers: ["ai"],
  input: getInput,
  output: getOutput,
  async run(world, { caller }, { id, log_lines, ...page }) {
    const one = await getOne(world, caller, id);
    const { lines, next_cursor } = await pageOf(world, caller, one, { ...page, log_lines });
    const progress = progressOf(one);
    const next =
      page.list === undefined
        ? nextOf(one, world.now(), {
            takesPayments: world.billing !== undefined,
            cursor: next_cursor,
            amount: one.amount_due === null ? undefined : `${one.amount_due} ${one.currency}`,
            warnings: one.status === "completed" ? await unlessUnavailable(countWarnings(world, caller, id), 0) : 0,
          })
        : nextOfPage(one, { list: page.list, next_cursor, isEmpty: lines.length === 0 });
    const data = getOutput.parse({
      ...one,
      progress,
      error_code: one.error?.code ?? null,
      retryable: one.error?.retryable ?? null,
      poll_after_seconds: pollAfter({ ...one, since: sinceOf(one) }, world.now()),
      next,
      next_cursor,
      untrusted: fenced(lines, world.randomBytes(8), roomFor(lines.length)),
    });
    const ends = progress?.phase === "finished" ? "finalizing" : `${progress?.phase} ${progress?.percent} %`;
    const far = progress === null || one.status !== "in_progress" ? "" : `, ${ends}`;
    const eta = progress?.eta_seconds == null ? "" : `, about ${progress.eta_seconds} seconds left`;
    return { text: `Migration ${id} is ${one.status}${far}${eta}. ${data.next}`, data };
  },
});

const newUrl = (side: "source" | "target") =>
  retrySchema.shape[`${side}_url`]
    .unwrap()
    .meta({ description: "From the user, if a stored URL cannot work; both or none." })
    .exactOptional();
const retryInput = z.strictObject({
  ...oneInput,
  source_url: newUrl("source"),
  target_url: newUrl("target"),
  ...idempotencyKey,
});

/** One that awaits payment cannot run again before that, so the caller gets the link that the user needs. */
async function retryOrLink(
  world: World,
  caller: Caller,
  { id, idempotency_key: key, ...urls }: z.output<typeof retryInput>,
): Promise<ActedAgain> {
  refusePlaceholders(urls);
  try {
    return await retry(world, caller, { id, urls, ...(key === undefined ? {} : { idempotencyKey: key }) });
  } catch (error) {
    const hasUrls = Object.keys(urls).length > 0;
    if (!(error instanceof Problem) || error.code !== "state_conflict" || hasUrls) throw error;
    if ((await getOne(world, caller, id)).status !== "awaiting_payment") throw error;
    return checkout(world, caller, id);
  }
}

const retryTool = tool({
  name: "retry-migration-tool",
  title: "Retry a failed migration",
  description:
    "Queues a failed migration again. Use it once the cause is fixed; it resumes where it can. It keeps the options. A wrong URL needs no new migration: pass both URLs. With the URL of another database, the copy starts from the beginning. With `checkout_url` in the answer the user, not you, must authorize the payment there first. For one that awaits payment it only returns the open link, or a new one. Next: get-migration-tool.",
  annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: true },
  tiers: ["ai"],
  input: retryInput,
  output: againSchema,
  listedOutput: againSchema.extend(briefly),
  async run(world, { caller }, input) {
    const { migration, ...acted } = await retryOrLink(world, caller, input);
    const { text, next } = startedText(migration, acted);
    return { text, data: { ...acted, migration: summaryOf(migration), next } };
  },
});

export const migrationTools: readonly Tool[] = [listTool, get, retryTool];
