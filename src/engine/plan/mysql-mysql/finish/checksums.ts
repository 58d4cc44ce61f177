import type { Verification } from "../../../contract/index.ts";
import { compareTables } from "../../../verify/checksum/index.ts";
import type { CopyRun } from "../copy/run.ts";
import type { TargetDatabase } from "../copy/target.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { ComputedThere } from "./read-generated-columns.ts";

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
