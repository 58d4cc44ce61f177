import type { InventoryEntry } from "../../../contract/index.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import {
  type Computing,
  differingColumns,
  differingText,
  differingThere,
} from "../../../verify/checksum/generated-columns.ts";
import type { ColumnPlan } from "../columns/column-plan.ts";
import { isGenerated, mentions } from "../columns/expressions.ts";
import type { CopyRun } from "../copy/run.ts";
import type { Planned } from "../tables/plan-tables.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/**
 * Compares what the target computes by translated expressions with the snapshot's values, as soon as a table's rows are
 * there. Answers with another plan where they differ: those columns are plain, and have the source's values.
 */
export type VerifyExpressions = (reader: Reader, writer: Writer, plan: TablePlan) => Promise<TablePlan | undefined>;

/** `put`: entries of tables that were there before the copy, which keep what they compute. */
export const expressionVerifier =
  (
    { progress, signal, throttle, request: { options } }: CopyRun,
    { scheme, observedTypes, plan: replan }: Planned,
    { warn, put }: { warn(words: string): void; put(entry: InventoryEntry): void },
  ): VerifyExpressions =>
  async (reader, writer, plan) => {
    const computed = plan.columns.filter((column) => column.computed);
    if (computed.length === 0) return undefined;
    const { name } = plan.source;
    const comparing = [
      { engine: "mysql", sessions: [reader] },
      { engine: "postgres", sessions: [writer] },
      [computing(scheme.database, scheme.schema, plan, computed)],
      { jobs: 1, signal, throttle, indexless: true, rules: options, progress: () => progress.touch() },
    ] satisfies Parameters<typeof differingColumns>;
    if (options.content === "data") {
      for (const entry of await differingThere(...comparing)) {
        put(entry);
        warn(differingText(entry));
      }
      return undefined;
    }
    const found = await differingColumns(...comparing);
    const columns = found.get(name);
    if (columns === undefined) return undefined;
    for (const [column, why] of columns) {
      observedTypes.fill(name, column, why);
      warn(`table ${name} is copied again with the source's values in the generated column ${column}: ${why}`);
    }
    return replan(name);
  };

function computing(database: string, schema: string, plan: TablePlan, computed: readonly ColumnPlan[]): Computing {
  const key = plan.source.indexes.find(({ name }) => name === "PRIMARY")?.parts.map(({ column }) => column);
  const read = (column: ColumnPlan) =>
    computed.some(({ source }) => isGenerated(source) && mentions(source.generation, column.source));
  const both = (columns: readonly ColumnPlan[]) =>
    columns.map(({ source, name }) => ({ source: source.name, target: name }));
  return {
    source: [database, plan.source.name],
    target: [schema, plan.name],
    columns: both(computed),
    beside: both(plan.columns.filter((column) => key?.includes(column.source.name) ?? read(column))),
  };
}
