import { counted } from "../../../../guard/text.ts";
import { type CopyOptions, EngineError, type InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { MysqlError } from "../../../mysql/driver/errors.ts";
import { identifier, literal } from "../../../mysql/driver/names.ts";
import type { Session as Writer } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import { mysqlClaim } from "../../../mysql/fence/taken-names.ts";
import { makeRenamed } from "../../../mysql/target/create.ts";
import { schemaRefused } from "../../../mysql/target/refusal.ts";
import type { Session as Reader } from "../../../postgres/driver/connection.ts";
import { sqlState } from "../../../postgres/driver/errors.ts";
import { qualified as sourceQualified } from "../../../postgres/driver/names.ts";
import { relationKinds } from "../../../run/fence/claims.ts";
import { createSelection } from "../../../run/selection.ts";
import { untranslatedView } from "../../types.ts";
import type { Scheme } from "../columns/scheme.ts";
import type { TableState } from "../copy/state.ts";
import { takenNames } from "../tables/claims.ts";
import { planViews, type SourceView, type ViewPlan } from "../tables/views.ts";

/** Makes the views that are translated, once their query has shown as many rows as in the source. None of them fails the run. */

/** What became of a view, by its name in the source as the report has it. */
export type ViewOutcomes = Map<string, Required<Pick<InventoryEntry, "outcome" | "note">>>;

/** The entry of an object, with what became of it where it is a view: the source's text only where it is not made. */
export function withView(entry: InventoryEntry, views: ViewOutcomes): InventoryEntry {
  const found = entry.kind === "view" ? views.get(entry.name) : undefined;
  if (found === undefined) return entry;
  const { definition, ...rest } = entry;
  const text = found.outcome === "reported" && definition !== undefined ? { definition } : {};
  return { ...rest, ...found, ...text };
}

/** Those that the options choose; the others are put into `outcomes`. */
export function selectedViews(
  views: readonly SourceView[],
  options: CopyOptions,
  outcomes: ViewOutcomes,
): readonly SourceView[] {
  const selection = createSelection(options);
  return views.filter(({ schema, view, name }) => {
    if (selection.has(schema, view)) return true;
    outcomes.set(printable(name), { outcome: "not_applicable", note: "skipped by options.include or options.exclude" });
    return false;
  });
}

/** Rows of the tables that a view may read so that its own are counted. */
const mostRows = 100_000;
const mostSeconds = 3;
/** Views whose count took too long; then no more are counted. */
const mostTimeouts = 3;

interface ViewCreation {
  source: Reader;
  target: Writer;
  fence: MysqlFence;
  scheme: Scheme;
  options: CopyOptions;
  states: readonly TableState[];
  /** Of the source. */
  views: readonly SourceView[];
  /** One was made or refused. */
  did(): void;
  warn(words: string): void;
}

/** Gives up counting once that takes too long. */
interface Patience {
  timeouts: number;
}

export async function makeViews(making: ViewCreation): Promise<ViewOutcomes> {
  const patience: Patience = { timeouts: 0 };
  const { source, target, fence, scheme, options, states, warn } = making;
  const outcomes: ViewOutcomes = new Map();
  let views = selectedViews(making.views, options, outcomes);
  if (views.length === 0) return outcomes;
  const [[fold] = []] = await target.query("SELECT @@lower_case_table_names");
  const relations = await target.query(
    `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${literal(scheme.database)}`,
  );
  const viewed = {
    scheme,
    version: source.version,
    schemas: options.schemas,
    taken: [
      ...relations.map(([name]) => name ?? ""),
      ...takenNames(await fence.claimedByOthers(), (kind) => relationKinds.has(kind)),
    ],
    exact: fold === "0",
  };
  const claimed = new Set<string>();
  const tables = states.map(({ plan: { source, name, columns } }) => ({ source, name, columns }));
  for (let again = true; again; ) {
    again = false;
    const { plans, refused } = planViews(viewed, views, tables);
    const fresh = plans.flatMap(({ name }) => (claimed.has(name) ? [] : [name]));
    // Most are claimed already, by the names that they were likely to get.
    if (fresh.length > 0) await fence.claim(fresh.map((name) => mysqlClaim("view", name, viewed.exact)));
    for (const name of fresh) claimed.add(name);
    for (const [name, reason] of refused) outcomes.set(printable(name), untranslatedView(reason));
    for (const plan of plans) {
      const name = printable(plan.source.name);
      if (outcomes.has(name)) continue;
      const outcome = await makeView(making, plan, patience);
      outcomes.set(name, outcome);
      making.did();
      if (outcome.outcome === "converted") continue;
      // Those that stand on it are planned again, without it.
      warn(`view ${name}: ${outcome.note}`);
      views = views.filter((view) => view !== plan.source);
      again = true;
      break;
    }
  }
  return outcomes;
}

async function makeView(
  { source, target, fence, scheme, options, states }: ViewCreation,
  plan: ViewPlan,
  patience: Patience,
): Promise<{ outcome: InventoryEntry["outcome"]; note: string }> {
  const { database } = scheme;
  const small = options.content !== "schema" && rowsBelow(plan, states) <= mostRows && patience.timeouts < mostTimeouts;
  const expected = small ? await countSource(source, plan.source, patience) : undefined;
  const invoker = plan.source.invoker || options.definers === "invoker";
  const check = plan.source.checkOption === null ? "" : ` WITH ${plan.source.checkOption} CHECK OPTION`;
  let rows: number | undefined;
  try {
    rows = await countTarget(target, plan, expected !== undefined, patience);
    if (rows !== undefined && rows !== expected)
      return {
        outcome: "reported",
        note: `not made: its translation shows ${counted(rows, "row")}, and it ${expected}`,
      };
    await makeRenamed(
      target,
      fence,
      "view",
      [database, plan.name],
      (name) => `CREATE SQL SECURITY ${invoker ? "INVOKER" : "DEFINER"} VIEW ${name} AS ${plan.sql}${check}`,
    );
  } catch (error) {
    if (!isRefusal(error)) throw error;
    // What was recorded and is not there must not be looked for.
    await fence.clean([{ kind: "view", name: [database, plan.name] }], () => true);
    if (options.on_object_error === "fail") throw schemaRefused(`view ${printable(plan.source.name)}`, error);
    const words = printable(error.message);
    return { outcome: "reported", note: `the target refuses its translation: ${words}` };
  }
  const proof = rows === undefined ? "translated" : `translated; ${counted(rows, "row")} in source and target`;
  return { outcome: "converted", note: [proof, ...plan.notes].join("; ") };
}

const rowsBelow = ({ tables }: ViewPlan, states: readonly TableState[]): number =>
  states.reduce((sum, { source, counts }) => (tables.has(source.oid) ? sum + counts.source : sum), 0);

const canceled = "57014";

/** In the snapshot. Undefined where it takes too long, or its values cannot all be had. */
async function countSource(
  source: Reader,
  { schema, view }: SourceView,
  patience: Patience,
): Promise<number | undefined> {
  await source.run(`SAVEPOINT counting; SET LOCAL statement_timeout = ${mostSeconds * 1000}`);
  try {
    const [row] = await source.query<{ count: number }>(
      `SELECT pg_catalog.count((v.*)::text) AS count FROM ${sourceQualified(schema, view)} v`,
    );
    return row?.count;
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    if (sqlState(error) === canceled) patience.timeouts++;
    return undefined;
  } finally {
    await source.run("ROLLBACK TO SAVEPOINT counting").catch(() => undefined);
  }
}

/** A statement that took too long. */
const timeouts = new Set([1317, 1969, 3024]);

/** Runs the query as any session might, by MySQL's strictest rule for GROUP BY. Undefined where its rows are not counted. */
async function countTarget(
  target: Writer,
  { sql, source }: ViewPlan,
  all: boolean,
  patience: Patience,
): Promise<number | undefined> {
  const { maria } = target.server;
  const [[mode] = []] = await target.query("SELECT @@SESSION.sql_mode");
  // Every value is computed, so that one which cannot be is seen now.
  const nulls = source.columns.map((column) => `, SUM(x.${identifier(column)} IS NULL)`).join("");
  const hint = maria ? "" : `/*+ MAX_EXECUTION_TIME(${mostSeconds * 1000}) */ `;
  const before = maria ? `SET STATEMENT max_statement_time = ${mostSeconds} FOR ` : "";
  if (!maria) await target.run(`SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',ONLY_FULL_GROUP_BY')`);
  try {
    if (!all) {
      await target.query(`${before}SELECT ${hint}* FROM (${sql}) x LIMIT 0`);
      return undefined;
    }
    const [[count] = []] = await target.query(`${before}SELECT ${hint}COUNT(*)${nulls} FROM (${sql}) x`);
    return Number(count);
  } catch (error) {
    if (!timeouts.has(errorNumber(error) ?? 0)) throw error;
    patience.timeouts++;
    return undefined;
  } finally {
    if (!maria) await target.run(`SET SESSION sql_mode = ${literal(mode ?? "")}`).catch(() => undefined);
  }
}

/** The server's answer to the statement itself; not a lost session or a full disk. */
const isRefusal = (error: unknown): error is EngineError =>
  error instanceof EngineError && !error.retryable && error.code !== "disk_full" && error.cause instanceof MysqlError;
