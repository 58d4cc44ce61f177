import type { CopyOptions, Verification } from "../../../contract/index.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import type { Session as Writer } from "../../../postgres/driver/connection.ts";
import type { ProgressAccount } from "../../../run/progress.ts";
import type { Throttle } from "../../../run/throttle.ts";
import { compareTables } from "../../../verify/checksum/index.ts";
import type { Scheme } from "../columns/column-plan.ts";
import { all } from "../copy/sessions.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/** Compares the values of both sides, the source's inside its snapshot. */
export interface ChecksumRun {
  scheme: Scheme;
  readers: readonly Reader[];
  open(): Promise<Writer>;
  throttle: Throttle;
  progress: Pick<ProgressAccount, "compared">;
  signal: AbortSignal;
  options: Pick<CopyOptions, "zero_dates">;
}

export async function compareValues(
  { scheme, readers, open, throttle, progress, signal, options }: ChecksumRun,
  plans: readonly TablePlan[],
): Promise<Verification> {
  const writers: Writer[] = [];
  try {
    await all(readers.map(async () => writers.push(await open())));
    return await compareTables(
      { engine: "mysql", sessions: readers },
      { engine: "postgres", sessions: writers },
      plans.map((plan) => ({
        source: [scheme.database, plan.source.name],
        target: [scheme.schema, plan.name],
        columns: plan.columns.map(({ source, name }) => ({ source: source.name, target: name })),
      })),
      {
        jobs: readers.length,
        ...{ signal, throttle, rules: options },
        progress: (_table, rows) => progress.compared(rows),
      },
    );
  } finally {
    await all(writers.map((writer) => writer.end()));
  }
}
