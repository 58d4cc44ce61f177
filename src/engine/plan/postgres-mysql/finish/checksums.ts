import type { Verification } from "../../../contract/index.ts";
import type { Session as Writer } from "../../../mysql/driver/session.ts";
import type { Session as Reader } from "../../../postgres/driver/connection.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import type { Throttle } from "../../../run/throttle.ts";
import { compareTables, type TablePair } from "../../../verify/checksum/index.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** Compares the values of both sides, the source's inside its snapshot. A column that the target makes itself counts too. */
export function compareValues(
  workers: readonly { source: Reader; target: Writer }[],
  database: string,
  plans: Iterable<TablePlan>,
  {
    signal,
    throttle,
    progress,
  }: { signal: AbortSignal; throttle: Throttle; progress: Pick<ProgressAccount, "compared"> },
): Promise<Verification> {
  return compareTables(
    { engine: "postgres", sessions: workers.map(({ source }) => source) },
    { engine: "mysql", sessions: workers.map(({ target }) => target) },
    [...comparedTables(plans, database)],
    { jobs: workers.length, signal, throttle, progress: (_table, rows) => progress.compared(rows) },
  );
}

function* comparedTables(plans: Iterable<TablePlan>, database: string): Generator<TablePair> {
  for (const plan of plans) {
    // What was never populated cannot be read, and has no rows in the target.
    if (!plan.source.populated) continue;
    yield {
      source: [plan.source.schema, plan.source.name],
      target: [database, plan.name],
      columns: plan.columns.map(({ source, name }) => ({ source: source.name, target: name })),
    };
  }
}
