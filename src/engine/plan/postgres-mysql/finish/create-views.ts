import { counted } from "../../../../guard/text.ts";
import { type CopyOptions, EngineError, type InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { MysqlError } from "../../../mysql/driver/errors.ts";
import { identifier, literal } from "../../../mysql/driver/names.ts";
import type { Session as Writer } from "../../../mysql/driver/session.ts";
import { mysqlClaim, tellsCase } from "../../../mysql/fence/taken-names.ts";
import { makeRenamed } from "../../../mysql/target/create.ts";
import type { Session as Reader } from "../../../postgres/driver/connection.ts";
import { sqlState } from "../../../postgres/driver/errors.ts";
import { qualified as sourceQualified } from "../../../postgres/driver/names.ts";
import { relationKinds } from "../../../run/fence/claims.ts";
import { createSelection } from "../../../run/selection.ts";
import {
  countPostgresView,
  DifferentRows,
  isSmall,
  makeViews,
  mostTimeouts,
  quickMysqlRows,
  type ViewOutcomes,
} from "../../views.ts";
import type { CopyWorker } from "../copy/copy-part.ts";
import type { PreparedCopy } from "../copy/prepare.ts";
import type { CopyRun } from "../copy/run.ts";
import { takenNames } from "../tables/claims.ts";
import { type MysqlViewPlan, planViews, type SourceView } from "../tables/views.ts";

/** Makes the views that are translated, once their query has shown as many rows as in the source. */

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

export async function createViews(
  { request: { options }, fence, progress, warn }: CopyRun,
  { workers, states, scheme, views: all }: PreparedCopy,
): Promise<ViewOutcomes> {
  const { source, target } = workers[0] as CopyWorker;
  const skipped: ViewOutcomes = new Map();
  const views = selectedViews(all, options, skipped);
  if (views.length === 0) return skipped;
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
    exact: await tellsCase(target),
  };
  const claimed = new Set<string>();
  const tables = states.map(({ plan: { source, name, columns } }) => ({ source, name, columns }));
  const rows = new Map(states.map(({ source, counts }) => [source.oid, counts.source]));
  const patience: Patience = { timeouts: 0 };
  const pathOf = ({ name }: MysqlViewPlan): [string, string] => [scheme.database, name];
  const made = await makeViews<MysqlViewPlan>({
    async plan(broken) {
      const left = views.filter(({ name }) => !broken.has(name));
      const planned = planViews(viewed, left, tables);
      const fresh = planned.plans.flatMap(({ name }) => (claimed.has(name) ? [] : [name]));
      // Most are claimed already, by the names that they were likely to get.
      if (fresh.length > 0) await fence.claim(fresh.map((name) => mysqlClaim("view", name, viewed.exact)));
      for (const name of fresh) claimed.add(name);
      return planned;
    },
    async make(plan) {
      const counts = options.content !== "schema" && isSmall(plan, rows) && patience.timeouts < mostTimeouts;
      const expected = counts ? await countSource(source, plan.source, patience) : undefined;
      const shown = await countTarget(target, plan, expected !== undefined, patience);
      if (shown !== undefined && shown !== expected)
        throw new DifferentRows(`not made: its translation shows ${counted(shown, "row")}, and it ${expected}`);
      const rights = plan.source.invoker || options.definers === "invoker" ? "INVOKER" : "DEFINER";
      const check = plan.source.checkOption === null ? "" : ` WITH ${plan.source.checkOption} CHECK OPTION`;
      const create = (name: string) => `CREATE SQL SECURITY ${rights} VIEW ${name} AS ${plan.sql}${check}`;
      await makeRenamed(target, fence, "view", pathOf(plan), create);
      return shown;
    },
    refusal: (error) => (isRefusal(error) ? printable(error.message) : undefined),
    refuser: "the target",
    // What was recorded and is not there must not be looked for.
    drop: (plan) => fence.clean([{ kind: "view", name: pathOf(plan) }], () => true),
    strict: options.on_object_error === "fail",
    warn,
    did: () => progress.did(),
  });
  return new Map([...skipped, ...made]);
}

/** Gives up counting once that takes too long. */
interface Patience {
  timeouts: number;
}

/** In the snapshot. Undefined where it takes too long, or its values cannot all be had. */
async function countSource(
  source: Reader,
  { schema, view }: SourceView,
  patience: Patience,
): Promise<number | undefined> {
  try {
    const rows = await countPostgresView(source, sourceQualified(schema, view));
    if (rows === undefined) patience.timeouts++;
    return rows;
  } catch (error) {
    if (sqlState(error) === undefined) throw error;
    return undefined;
  }
}

/** Runs the query as any session might, by MySQL's strictest rule for GROUP BY. Undefined where its rows are not counted. */
async function countTarget(
  target: Writer,
  { sql, source }: MysqlViewPlan,
  all: boolean,
  patience: Patience,
): Promise<number | undefined> {
  const { maria } = target.server;
  const [[mode] = []] = await target.query("SELECT @@SESSION.sql_mode");
  // Every value is computed, so that one which cannot be is seen now.
  const nulls = source.columns.map((column) => `, SUM(x.${identifier(column)} IS NULL)`).join("");
  if (!maria) await target.run(`SET SESSION sql_mode = CONCAT(@@SESSION.sql_mode, ',ONLY_FULL_GROUP_BY')`);
  try {
    const rows = await quickMysqlRows(target, all ? `COUNT(*)${nulls} FROM (${sql}) x` : `* FROM (${sql}) x LIMIT 0`);
    if (rows === undefined) patience.timeouts++;
    return all && rows !== undefined ? Number(rows[0]?.[0]) : undefined;
  } finally {
    if (!maria) await target.run(`SET SESSION sql_mode = ${literal(mode ?? "")}`).catch(() => undefined);
  }
}

/** The server's answer to the statement itself; not a lost session or a full disk. */
const isRefusal = (error: unknown): error is EngineError =>
  error instanceof EngineError && !error.retryable && error.code !== "disk_full" && error.cause instanceof MysqlError;
