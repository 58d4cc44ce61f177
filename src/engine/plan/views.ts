import { counted } from "../../guard/text.ts";
import { EngineError, type InventoryEntry } from "../contract/index.ts";
import type { Known } from "../contract/known.ts";
import { printable } from "../contract/text/printable.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import { errorNumber } from "../mysql/driver/write-session.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { sqlState } from "../postgres/driver/errors.ts";
import type { ViewPlan, ViewPlans } from "./translate/views.ts";

/** Makes the views that are translated, and compares how many rows they show. */

/** What became of views, by their names in the source as the report has them. */
export type ViewOutcomes = Map<string, Required<Pick<InventoryEntry, "outcome" | "note">> & Known>;

/** Views as they are planned. A copy also counts their rows, and reports a view that shows another number. */
export function plannedViews({ plans, refused }: ViewPlans): ViewOutcomes {
  const outcomes: ViewOutcomes = new Map();
  for (const { source, name, notes } of plans)
    outcomes.set(printable(source.name), {
      outcome: "converted",
      note: ["translated", ...notes].join("; "),
      ...(name === source.view ? {} : { targetName: name }),
    });
  for (const [name, reason] of refused) outcomes.set(printable(name), untranslated(reason));
  return outcomes;
}

const untranslated = (reason: string) => ({ outcome: "reported" as const, note: `not translated: ${reason}` });

/** How one direction makes views. */
interface ViewMaker<Plan extends ViewPlan> {
  /** `broken`: names of views that the target refused, and that no other can stand on. */
  plan(broken: ReadonlySet<string>): Promise<ViewPlans<Plan>>;
  /** Returns the rows that the view shows, if they are compared. Errors: `DifferentRows`, and the server's. */
  make(plan: Plan): Promise<number | undefined>;
  /** The server's words. Undefined: the error is not about the view. */
  refusal(error: unknown): string | undefined;
  /** The server, for the report. */
  refuser: string;
  /** Undoes what a refused view left. */
  drop?(plan: Plan): Promise<unknown>;
  /** `on_object_error: fail` */
  strict: boolean;
  /** One was made or refused. */
  did(): void;
  warn(message: string): void;
}

/** The message: a note for the report. */
export class DifferentRows extends Error {}

/** No view fails the run, unless it is strict. */
export async function makeViews<Plan extends ViewPlan>(maker: ViewMaker<Plan>): Promise<ViewOutcomes> {
  const outcomes: ViewOutcomes = new Map();
  const broken = new Set<string>();
  for (let again = true; again; ) {
    again = false;
    const { plans, refused } = await maker.plan(broken);
    for (const [name, reason] of refused) outcomes.set(printable(name), untranslated(reason));
    for (const plan of plans) {
      const name = printable(plan.source.name);
      if (outcomes.has(name)) continue;
      const outcome = await makeView(maker, plan, `view ${name}`);
      outcomes.set(name, outcome);
      maker.did();
      if (outcome.outcome === "converted") continue;
      // Those that stand on it are planned again, without it.
      maker.warn(`view ${name}: ${outcome.note}`);
      broken.add(plan.source.name);
      again = true;
      break;
    }
  }
  return outcomes;
}

async function makeView<Plan extends ViewPlan>(
  maker: ViewMaker<Plan>,
  plan: Plan,
  what: string,
): Promise<{ outcome: InventoryEntry["outcome"]; note: string }> {
  try {
    const rows = await maker.make(plan);
    const proof = rows === undefined ? "translated" : `translated; ${counted(rows, "row")} in source and target`;
    return { outcome: "converted", note: [proof, ...plan.notes].join("; ") };
  } catch (error) {
    if (error instanceof DifferentRows) return { outcome: "reported", note: error.message };
    const words = maker.refusal(error);
    if (words === undefined) throw error;
    await maker.drop?.(plan);
    if (maker.strict)
      throw new EngineError("schema_refused", `making ${what}: ${words}`, { side: "target", cause: error });
    return { outcome: "reported", note: `${maker.refuser} refuses its translation: ${words}` };
  }
}

/** Rows of the tables that a view may read so that its own are counted. */
const mostRows = 100_000;
const mostSeconds = 3;
/** Views whose count took too long; then no more are counted. */
export const mostTimeouts = 3;

/** Whether its rows are worth counting. */
export const isSmall = <Table>({ tables }: { tables: ReadonlySet<Table> }, rows: ReadonlyMap<Table, number>): boolean =>
  [...tables].reduce((sum, table) => sum + (rows.get(table) ?? mostRows), 0) <= mostRows;

const canceled = "57014";

/** Every value is computed, so that one which cannot be is seen now. Undefined where that takes too long. */
export async function countPostgresView(session: PostgresSession, view: string): Promise<number | undefined> {
  await session.run(`SAVEPOINT counting; SET LOCAL statement_timeout = ${mostSeconds * 1000}`);
  try {
    const [row] = await session.query<{ count: number }>(
      `SELECT pg_catalog.count((v.*)::text) AS count FROM ${view} v`,
    );
    return row?.count;
  } catch (error) {
    if (sqlState(error) !== canceled) throw error;
    return undefined;
  } finally {
    await session.run("ROLLBACK TO SAVEPOINT counting").catch(() => undefined);
  }
}

/** A statement that took too long. */
const slow = new Set([1317, 1969, 3024]);

/** `select`: a query without its SELECT. Undefined where it takes too long. */
export async function quickMysqlRows(session: MysqlSession, select: string) {
  try {
    return await session.query(
      session.server.maria
        ? `SET STATEMENT max_statement_time = ${mostSeconds} FOR SELECT ${select}`
        : `SELECT /*+ MAX_EXECUTION_TIME(${mostSeconds * 1000}) */ ${select}`,
    );
  } catch (error) {
    if (!slow.has(errorNumber(error) ?? 0)) throw error;
    return undefined;
  }
}
