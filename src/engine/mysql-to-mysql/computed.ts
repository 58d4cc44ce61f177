import { type CompareOptions, compareTables, type Side } from "../checksum/index.ts";
import { isGenerated, type TablePlan } from "./plan.ts";

/**
 * Generated columns between two kinds of servers: both take the same expression and may compute other values by it (a
 * date of a time with a fraction: one rounds, the other cuts). Their values are compared, whatever the verify level.
 */

/** The columns that the target computes. */
const computedOf = ({ source, columns }: TablePlan): string[] => {
  const loaded = new Set(columns.map(({ name }) => name));
  return source.columns.flatMap((column) => (isGenerated(column) && !loaded.has(column.name) ? [column.name] : []));
};

/** So that a row's values are compared with those of the same row. */
const keyOf = ({ source }: TablePlan): string[] =>
  source.indexes.find(({ name }) => name === "PRIMARY")?.parts.flatMap(({ column }) => column ?? []) ?? [];

export interface Comparing {
  source: Extract<Side, { engine: "mysql" }>;
  target: Extract<Side, { engine: "mysql" }>;
  /** The databases. */
  from: string;
  to: string;
  options: CompareOptions;
}

/** Table → columns whose values differ, by the source's names. Period columns and versions of rows are not looked at. */
export async function differingColumns(
  plans: readonly TablePlan[],
  { source, target, from, to, options }: Comparing,
): Promise<Map<string, Set<string>>> {
  const pair = (plan: TablePlan, columns: readonly string[]) => ({
    source: [from, plan.source.name] as const,
    target: [to, plan.name] as const,
    columns: [...new Set([...keyOf(plan), ...columns])].map((name) => ({ source: name, target: name })),
  });
  const differ = async (pairs: readonly ReturnType<typeof pair>[]) => {
    const { differences } = await compareTables(source, target, pairs, { ...options, maxKeys: 0 });
    return differences.length > 0;
  };
  const found = new Map<string, Set<string>>();
  const doubtful = plans.filter((plan) => !plan.history && computedOf(plan).length > 0);
  if (doubtful.length === 0 || !(await differ(doubtful.map((plan) => pair(plan, computedOf(plan)))))) return found;
  for (const plan of doubtful) {
    const columns = new Set<string>();
    for (const column of computedOf(plan)) if (await differ([pair(plan, [column])])) columns.add(column);
    if (columns.size > 0) found.set(plan.source.name, columns);
  }
  return found;
}
