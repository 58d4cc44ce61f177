import type { InventoryEntry } from "../../../contract/index.ts";
import { literal } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { filter } from "../../../run/memory/iterators.ts";
import { differingText, differingThere } from "../../../verify/checksum/generated-columns.ts";
import type { CopyRun } from "../copy/run.ts";
import type { TargetDatabase } from "../copy/target.ts";
import { computedOf, computingOf } from "../tables/generated-columns.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** Content `data`: the columns that source and target both compute, each by its own expression. */

/** Of a plan, by the names of both sides; `gone`: those that the target's table has not at all. */
export type ComputedThere = (plan: TablePlan) => { both: { source: string; target: string }[]; gone: string[] };

/** MySQL's names of columns know no case. */
const fold = (name: string) => name.toLowerCase();

export async function readComputedThere(session: Session, database: string): Promise<ComputedThere> {
  const tables = new Map<string, Map<string, string>>();
  const rows = await session.query(
    `SELECT TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ${literal(database)}`,
  );
  for (const [table = "", column] of rows) {
    const own = tables.get(table ?? "") ?? new Map<string, string>();
    tables.set(table ?? "", own.set(fold(column ?? ""), column ?? ""));
  }
  return (plan) => {
    const there = tables.get(plan.name);
    const found = computedOf(plan).map((column) => ({ source: column, target: there?.get(fold(column)) }));
    return {
      both: found.flatMap(({ source, target }) => (target === undefined ? [] : [{ source, target }])),
      gone: found.flatMap(({ source, target }) => (target === undefined ? [source] : [])),
    };
  };
}

/** Says which of them are not the source's. */
export async function tellComputedThere(
  { snapshot, writers, signal, throttle, progress, request }: CopyRun,
  all: Iterable<TablePlan>,
  computed: ComputedThere,
  target: TargetDatabase,
  { put, warn }: { put(entries: readonly InventoryEntry[]): void; warn(words: string): void },
): Promise<void> {
  // Few have such columns: plans of all tables are never in memory together.
  const plans = [
    ...filter(all, (plan) => {
      const { both, gone } = computed(plan);
      return both.length + gone.length > 0;
    }),
  ];
  put(
    plans.flatMap((plan) =>
      computed(plan).gone.map((column) => ({
        kind: "column",
        name: `${plan.source.name}.${column}`,
        outcome: "not_applicable" as const,
        note: "generated in the source, and not in the target",
      })),
    ),
  );
  const differing = await differingThere(
    { engine: "mysql", sessions: snapshot.readers },
    { engine: "mysql", sessions: writers },
    computingOf(plans, request.source.database, target.database, (plan) => computed(plan).both),
    { jobs: snapshot.readers.length, signal, throttle, progress: () => progress.touch() },
  );
  put(differing);
  for (const entry of differing) warn(differingText(entry));
}
