import type { Computing } from "../checksum/computed.ts";
import { isGenerated, type TablePlan } from "./plan.ts";

/**
 * Generated columns between two kinds of servers: both take the same expression and may compute other values by it (a
 * date of a time with a fraction: one rounds, the other cuts).
 */

/** The columns that the target computes. */
const computedOf = ({ source, columns }: TablePlan): string[] => {
  const loaded = new Set(columns.map(({ name }) => name));
  return source.columns.flatMap((column) => (isGenerated(column) && !loaded.has(column.name) ? [column.name] : []));
};

/** Else all that is loaded. */
const keyOf = ({ source, columns }: TablePlan): string[] => {
  const key = source.indexes.find(({ name }) => name === "PRIMARY")?.parts.flatMap(({ column }) => column ?? []);
  return key ?? columns.map(({ name }) => name);
};

/** What is to be compared. Period columns and versions of rows are not looked at. `from`, `to`: the databases. */
export const computingOf = (plans: readonly TablePlan[], from: string, to: string): Computing[] =>
  plans
    .filter(({ history }) => !history)
    .map((plan) => {
      const both = (names: readonly string[]) => names.map((name) => ({ source: name, target: name }));
      return {
        source: [from, plan.source.name],
        target: [to, plan.name],
        columns: both(computedOf(plan)),
        beside: both(keyOf(plan)),
      };
    });
