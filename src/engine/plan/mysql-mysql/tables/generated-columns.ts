import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import type { Computing } from "../../../verify/checksum/generated-columns.ts";
import { isPeriod } from "./row-times.ts";
import { isGenerated, type TablePlan } from "./table-plan.ts";

/**
 * Generated columns between two kinds of servers: both take the same expression and may compute other values by it (a
 * date of a time with a fraction: one rounds, the other cuts).
 */

const isComputed = (column: SourceTable["columns"][number]): boolean => isGenerated(column) && !isPeriod(column);

/** Their values depend on a session's div_precision_increment, default_week_format or lc_time_names. */
const bySettings = /\/|\b(?:week|date_format|dayname|monthname)\b/i;

/** Of one kind of servers: stored values that were computed under other settings, and would be computed anew. */
const dependsOnSettings = ({ source }: TablePlan): boolean =>
  source.columns.some(({ extra, generation }) => /stored|persistent/.test(extra) && bySettings.test(generation));

/**
 * Plans of those tables whose generated columns the target may compute otherwise. `planOf` makes a plan anew each time.
 * `crossing`: MySQL to MariaDB or back.
 */
export const computingTables = (
  tables: readonly SourceTable[],
  planOf: (name: string) => TablePlan | undefined,
  crossing: boolean,
): TablePlan[] =>
  tables.flatMap(({ name, columns }) => {
    const plan = columns.some(isComputed) ? planOf(name) : undefined;
    return plan !== undefined && (crossing || dependsOnSettings(plan)) ? [plan] : [];
  });

/** Columns that the target computes too. */
export const computedOf = ({ source, columns }: TablePlan): string[] => {
  const loaded = new Set(columns.map(({ name }) => name));
  return source.columns.flatMap((column) => (isComputed(column) && !loaded.has(column.name) ? [column.name] : []));
};

/** Else all that is loaded. */
const keyOf = ({ source, columns }: TablePlan): string[] => {
  const key = source.indexes.find(({ name }) => name === "PRIMARY")?.parts.flatMap(({ column }) => column ?? []);
  return key ?? columns.map(({ name }) => name);
};

const both = (names: readonly string[]) => names.map((name) => ({ source: name, target: name }));

/** What is to be compared. Period columns and versions of rows are not looked at. `from`, `to`: the databases. */
export const computingOf = (
  plans: readonly TablePlan[],
  from: string,
  to: string,
  columns: (plan: TablePlan) => Computing["columns"] = (plan) => both(computedOf(plan)),
): Computing[] =>
  plans
    .filter(({ history }) => !history)
    .map((plan) => ({
      source: [from, plan.source.name],
      target: [to, plan.name],
      columns: columns(plan),
      beside: both(keyOf(plan)),
    }));
