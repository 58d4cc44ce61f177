import { tableName } from "../../../postgres/catalogue/catalogue.ts";
import { differingColumns, differingText, differingThere } from "../../../verify/checksum/generated-columns.ts";
import type { ColumnPlan } from "../columns/column-plan.ts";
import type { CopyWorker } from "../copy/copy-part.ts";
import { fillColumn } from "../copy/observed-types.ts";
import type { CopyRun } from "../copy/run.ts";
import type { TableState } from "../copy/state.ts";

/**
 * Compares what the target computes by translated expressions with the snapshot's values, as soon as a table's rows are
 * there. True: they differ, and it has learnt which columns are to have the source's values instead.
 */
export type VerifyExpressions = (state: Pick<TableState, "plan" | "observe">, worker: CopyWorker) => Promise<boolean>;

export const expressionVerifier =
  ({ progress, throttle, signal, request }: CopyRun, warn: (words: string) => void): VerifyExpressions =>
  async (state, { source, target }) => {
    const { plan } = state;
    const generated = plan.columns.filter((column) => column.generated);
    if (generated.length === 0) return false;
    const primary = plan.source.indexes.find((index) => index.primary)?.keys.map(({ column }) => column);
    const read = ({ source: { name } }: ColumnPlan) =>
      generated.some((column) => column.source.default?.includes(name) === true);
    const both = (columns: readonly ColumnPlan[]) =>
      columns.map((column) => ({ source: column.source.name, target: column.name }));
    const comparing = [
      { engine: "postgres", sessions: [source] },
      { engine: "mysql", sessions: [target] },
      [
        {
          source: [plan.source.schema, plan.source.name],
          target: [request.target.database, plan.name],
          columns: both(generated),
          beside: both(plan.columns.filter((column) => primary?.includes(column.source.name) ?? read(column))),
        },
      ],
      { jobs: 1, signal, throttle, progress: () => progress.touch() },
    ] satisfies Parameters<typeof differingColumns>;
    if (request.options.content === "data") {
      const differing = await differingThere(...comparing);
      for (const entry of differing) warn(differingText(entry));
      // Set, so that it is not made anew without these.
      if (differing.length > 0) state.plan = { ...plan, inventory: [...plan.inventory, ...differing] };
      return false;
    }
    const found = await differingColumns(...comparing);
    const columns = found.get(plan.source.name);
    for (const [column, why] of columns ?? []) {
      fillColumn(state.observe(), column, why);
      warn(
        `table ${tableName(plan.source)} is copied again with the source's values in the generated column ${column}: ${why}`,
      );
    }
    return columns !== undefined;
  };
