import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import { serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import { lockOwnRows, ownTransactions } from "../../../postgres/fence/own-rows.ts";
import { isNamed, refuseUnknownDrops } from "../../../run/fence/drop-option.ts";
import { giveBack } from "../../../run/fence/give-back.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { CopyRun } from "./run.ts";
import { readNames } from "./target.ts";

/** Content `data`: the tables are there; each must be empty, or be emptied where that is asked for by name or all rows are this run's own. */

const prefix = "filling:";
const markOf = ({ name }: TablePlan, schema: string): string => `${prefix}${JSON.stringify([schema, name])}`;

/**
 * Every table but the kept ones stands empty after it, and is marked as this run's to fill.
 * `keep`: marks of the fence that stay. Errors: `target_not_empty`; `option_unmatched`; `dependents_exist`.
 */
export async function emptyTables(
  { fence, schema, hooks, request }: CopyRun,
  session: Writer,
  plans: readonly TablePlan[],
  keep: (part: string) => boolean,
): Promise<void> {
  // Marks of parts tell which rows are ours for as long as these may stand.
  await fence.clean([], (part) => keep(part) || !part.startsWith("finished:"));
  const transactions = await ownTransactions(fence);
  const begun = new Set((await fence.parts()).map(({ part }) => part));
  const { drop = [] } = request.options;
  const isOwn = (plan: TablePlan) => begun.has(markOf(plan, schema));
  const filled = await filledTables(session, schema, plans, drop, isOwn).catch(giveBack(fence));
  const unnamed = filled.filter(({ name }) => !isNamed(drop, schema, name));
  await fenced(session, fence, async () => {
    await lockOwnRows(
      session,
      unnamed.map(({ name, partitioned }) => ({ schema, name, partitioned })),
      transactions,
    );
    await empty(session, schema, filled);
    for (const plan of plans)
      if (!begun.has(markOf(plan, schema))) await fence.partDone(session, markOf(plan, schema), 0);
  });
  if (filled.length > 0) hooks.log("info", `emptied in the target: ${names(filled)}`);
}

/** Those that hold rows; only reads. Errors: `option_unmatched`; `target_not_empty` for rows of others that `drop` does not name. */
export async function filledTables(
  session: Writer,
  schema: string,
  plans: readonly TablePlan[],
  drop: readonly string[],
  isOwn: (plan: TablePlan) => boolean,
): Promise<TablePlan[]> {
  const known = [...(await readNames(session, schema)), ...plans].map(({ name }) => ({ schema, name }));
  refuseUnknownDrops(drop, known);
  const filled: TablePlan[] = [];
  for (const plan of plans) {
    const [row] = await session.query<{ filled: boolean }>(
      `SELECT EXISTS (SELECT FROM ${qualified(schema, plan.name)}) AS filled`,
    );
    if (row?.filled === true) filled.push(plan);
  }
  const others = filled.filter((plan) => !isNamed(drop, schema, plan.name) && !isOwn(plan));
  if (others.length === 0) return filled;
  throw new EngineError(
    "target_not_empty",
    `the target has rows in ${names(others)} already: empty these tables, or name them in options.drop to have them emptied; nothing was written`,
  );
}

const names = (plans: readonly TablePlan[]): string =>
  `${plans
    .slice(0, 10)
    .map(({ name }) => printable(name))
    .join(", ")}${plans.length > 10 ? ` and ${plans.length - 10} more` : ""}`;

/** All at once, since they may refer to each other; one that another refers to is emptied row by row, which that one's rows may forbid. */
async function empty(session: Writer, schema: string, plans: readonly TablePlan[]): Promise<void> {
  if (plans.length === 0) return;
  const list = plans.map(({ name, partitioned }) => `${partitioned ? "" : "ONLY "}${qualified(schema, name)}`);
  await session.run("SAVEPOINT emptying");
  try {
    await session.run(`TRUNCATE ${list.join(", ")}`);
  } catch (error) {
    if (!["0A000", "42501"].includes(sqlState(error) ?? "")) throw error;
    await session.run("ROLLBACK TO SAVEPOINT emptying");
    await refuseReferred(session, schema, plans);
    for (const table of list) await session.run(`DELETE FROM ${table}`);
  }
}

/** A DELETE would go on into rows of others where their key cascades. Errors: `dependents_exist`. */
export async function refuseReferred(session: Writer, schema: string, plans: readonly TablePlan[]): Promise<void> {
  const rows = await session.query<{ table: string; by: string; schema: string }>(
    `SELECT r.relname AS table, n.nspname AS schema, c.relname AS by FROM pg_constraint o JOIN pg_class r ON r.oid = o.confrelid
       JOIN pg_class c ON c.oid = o.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
      WHERE o.contype = 'f' AND r.relnamespace = (SELECT oid FROM pg_namespace WHERE nspname = $1) AND r.relname = ANY($2::text[])
        AND NOT (c.relnamespace = r.relnamespace AND c.relname = ANY($2::text[]))`,
    [schema, plans.map(({ name }) => name)],
  );
  for (const { table, by, schema: of } of rows) {
    const [row] = await session
      .query<{ filled: boolean }>(`SELECT EXISTS (SELECT FROM ${qualified(of, by)}) AS filled`)
      .catch((error: unknown) => {
        throw new EngineError("dependents_exist", `${of}.${by} refers to ${table}: ${serverMessage(error)}`, {
          cause: error,
        });
      });
    if (row?.filled === true)
      throw new EngineError(
        "dependents_exist",
        `${printable(table)} cannot be emptied, since rows of ${printable(`${of}.${by}`)} may refer to it: empty that one too, or name it in options.drop where it is copied`,
      );
  }
}
