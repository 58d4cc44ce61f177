import { compareTables } from "../checksum/index.ts";
import { type CopyOptions, EngineError, type Verification } from "../contract.ts";
import type { Session as Reader } from "../mysql/session.ts";
import type { Session as Writer } from "../postgres/connection.ts";
import type { Throttle } from "../throttle.ts";
import { all } from "./finishing.ts";
import type { TablePlan } from "./plan.ts";
import type { Scheme } from "./scheme.ts";

/** Compares the values of both sides, the source's inside its snapshot. */
export interface Comparing {
  scheme: Scheme;
  readers: readonly Reader[];
  open(): Promise<Writer>;
  throttle: Throttle;
  signal: AbortSignal;
  options: Pick<CopyOptions, "zero_dates">;
}

export async function compareValues(
  { scheme, readers, open, throttle, signal, options }: Comparing,
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
      { jobs: readers.length, signal, throttle, rules: options },
    );
  } finally {
    await all(writers.map((writer) => writer.end()));
  }
}

/** Words for each difference and each column that was not compared. */
export function verificationWords({ differences, uncompared }: Verification): string[] {
  return [
    ...differences.map(({ source, target, keys, differing }) => {
      const which = keys.map(({ key, what }) => `${key} (${what})`).join(", ");
      return `table ${source}: its values differ from those of ${target}${differing === undefined ? "" : ` in ${differing} rows`}${which === "" ? "" : `, as in ${which}`}`;
    }),
    ...uncompared.map((words) => `not compared: ${words}`),
  ];
}

/** Errors: `verification_failed` names the tables that differ. */
export function refuseDifferences({ differences }: Verification): void {
  if (differences.length === 0) return;
  const names = differences.slice(0, 20).map(({ source }) => source);
  throw new EngineError(
    "verification_failed",
    `the values of ${differences.length} tables differ between source and target: ${names.join(", ")}${differences.length > 20 ? ", …" : ""}; the log names rows by their keys`,
  );
}
