import { counted } from "../../../../guard/text.ts";
import type { InventoryEntry } from "../../../contract/index.ts";
import type { SourceObject } from "../../../mysql/catalogue/objects.ts";
import { MysqlError } from "../../../mysql/driver/errors.ts";
import { qualified as sourceQualified } from "../../../mysql/driver/names.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { isRefusal, schemaRefused, serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { untranslatedView } from "../../types.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import { planViews, type ViewPlan } from "../tables/views.ts";
import type { RowCounts } from "./counts.ts";
import type { Finishing } from "./finishing-run.ts";

/** Makes the views that are translated, and compares how many rows they show. None of them fails the run. */

/** What became of a view, by its name in the source. */
export type ViewOutcomes = ReadonlyMap<string, Pick<InventoryEntry, "outcome" | "note">>;

/** Rows of the tables that a view may read so that its own are counted. */
const mostRows = 100_000;
const mostSeconds = 3;
/** Views whose count took too long; then no more are counted. */
const mostTimeouts = 3;

/** The rows that translated views show in the source's snapshot; those that are not counted are left out. */
export async function countViews(
  readers: readonly Reader[],
  scheme: Finishing["scheme"],
  others: readonly SourceObject[],
  tables: readonly TablePlan[],
  rows: RowCounts,
): Promise<RowCounts> {
  const counts: RowCounts = new Map();
  let timeouts = 0;
  const small = planViews(scheme, others, tables).plans.filter((view) => isSmall(view, rows));
  await Promise.all(
    readers.map(async (reader) => {
      for (let view = small.shift(); view !== undefined && timeouts < mostTimeouts; view = small.shift()) {
        const count = await countView(reader, scheme.database, view.source);
        if (count === "slow") timeouts++;
        else if (count !== undefined) counts.set(view.source, count);
      }
    }),
  );
  return counts;
}

const isSmall = ({ tables }: ViewPlan, rows: RowCounts): boolean =>
  [...tables].reduce((sum, table) => sum + (rows.get(table) ?? mostRows), 0) <= mostRows;

/** A statement that took too long. */
const slow = new Set([1317, 1969, 3024]);

/** Undefined where the rights of the view's definer do not do. */
async function countView(reader: Reader, database: string, view: string): Promise<number | "slow" | undefined> {
  const from = `COUNT(*) FROM ${sourceQualified(database, view)}`;
  try {
    const [[count] = []] = await reader.query(
      reader.server.maria
        ? `SET STATEMENT max_statement_time = ${mostSeconds} FOR SELECT ${from}`
        : `SELECT /*+ MAX_EXECUTION_TIME(${mostSeconds * 1000}) */ ${from}`,
    );
    return Number(count);
  } catch (error) {
    if (!(error instanceof Error) || !(error.cause instanceof MysqlError)) throw error;
    return slow.has(errorNumber(error) ?? 0) ? "slow" : undefined;
  }
}

export async function makeViews(
  { sessions, fence, scheme, strict, warn, progress }: Finishing,
  others: readonly SourceObject[],
  tables: readonly TablePlan[],
  counts: RowCounts,
): Promise<ViewOutcomes> {
  const outcomes = new Map<string, { outcome: InventoryEntry["outcome"]; note: string }>();
  const broken = new Set<string>();
  await sessions.use(async (session) => {
    for (let again = true; again; ) {
      again = false;
      const { plans, refused } = planViews(scheme, others, tables, broken);
      for (const [name, reason] of refused) outcomes.set(name, untranslatedView(reason));
      for (const view of plans) {
        if (outcomes.has(view.source)) continue;
        const made = await makeView(session, { fence, scheme, strict }, view, counts.get(view.source));
        outcomes.set(view.source, made);
        progress.did();
        if (made.outcome === "converted") continue;
        // Those that stand on it are planned again, without it.
        warn(`view ${view.source}: ${made.note}`);
        broken.add(view.source);
        again = true;
        break;
      }
    }
  });
  return outcomes;
}

type Making = Pick<Finishing, "fence" | "scheme" | "strict">;
type Made = { outcome: InventoryEntry["outcome"]; note: string };

async function makeView(session: Writer, making: Making, view: ViewPlan, expected: number | undefined): Promise<Made> {
  const {
    fence,
    scheme: { schema },
  } = making;
  const { name, notes } = view;
  const object = { kind: "view", name: [schema, name] };
  let rows: number | undefined;
  try {
    await fenced(session, fence, async () => {
      await fence.record(session, [object]);
      await session.run(view.create);
      if (expected !== undefined) rows = await countRows(session, qualified(schema, name));
      if (rows !== undefined && rows !== expected) throw new Different(rows);
    });
  } catch (error) {
    if (error instanceof Different)
      return {
        outcome: "reported",
        note: `not made: it shows ${counted(error.rows, "row")}, and ${expected} in the source`,
      };
    if (!isRefusal(error)) throw error;
    if (making.strict) throw schemaRefused(`view ${view.source}`, error);
    return { outcome: "reported", note: `PostgreSQL refuses its translation: ${serverMessage(error)}` };
  }
  const proof = rows === undefined ? "translated" : `translated; ${counted(rows, "row")} in source and target`;
  return { outcome: "converted", note: [proof, ...notes].join("; ") };
}

class Different extends Error {
  readonly rows: number;
  constructor(rows: number) {
    super("a view shows another number of rows");
    this.rows = rows;
  }
}

const canceled = "57014";

/** Every value is computed, so that one which cannot be is seen now. Undefined where that takes too long. */
async function countRows(session: Writer, view: string): Promise<number | undefined> {
  await session.run(`SAVEPOINT counting; SET LOCAL statement_timeout = ${mostSeconds * 1000}`);
  try {
    const [row] = await session.query<{ count: number }>(`SELECT count((v.*)::text) AS count FROM ${view} v`);
    return row?.count;
  } catch (error) {
    if (sqlState(error) !== canceled) throw error;
    return undefined;
  } finally {
    await session.run("ROLLBACK TO SAVEPOINT counting").catch(() => undefined);
  }
}
