import { EngineError, type Verification } from "../../../contract/index.ts";
import { compareTables } from "../../../verify/checksum/index.ts";
import type { DoneTable } from "../copy/copy-tables.ts";
import type { CopyRun } from "../copy/run.ts";
import type { TargetDatabase } from "../copy/target.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { ComputedThere } from "./computed-there.ts";

/** Compares what is in both databases after the copy: numbers of rows, and values. */

/** Errors: `row_count_mismatch` with every table that differs. */
export function refuseCounts(done: ReadonlyMap<string, DoneTable>): void {
  const different = [...done].filter(([, { rows }]) => rows.source !== rows.target);
  if (different.length === 0) return;
  const words = different
    .slice(0, 20)
    .map(([table, { rows }]) => `${table} has ${rows.source} rows in the source and ${rows.target} in the target`);
  const more = different.length > 20 ? `; and ${different.length - 20} more tables` : "";
  throw new EngineError("row_count_mismatch", `${words.join("; ")}${more}`);
}

/** The values of both sides, the source's inside its snapshot. `computed`: content `data`. */
export async function compareValues(
  run: Pick<CopyRun, "request" | "snapshot" | "writers" | "signal" | "throttle" | "progress">,
  plans: Iterable<TablePlan>,
  target: TargetDatabase,
  computed?: ComputedThere,
): Promise<Verification> {
  const { database } = run.request.source;
  return compareTables(
    { engine: "mysql", sessions: run.snapshot.readers },
    { engine: "mysql", sessions: run.writers },
    Array.from(plans, (plan) => ({
      source: [database, plan.source.name] as const,
      target: [target.database, plan.name] as const,
      columns: [
        ...plan.source.columns
          .filter(({ name }) => plan.columns.some((column) => column.name === name))
          .map(({ name }) => ({ source: name, target: name })),
        ...(computed?.(plan).both ?? []),
      ],
    })),
    {
      jobs: run.snapshot.readers.length,
      signal: run.signal,
      throttle: run.throttle,
      progress: (_table, rows) => run.progress.compared(rows),
    },
  );
}
