import { type CopyReport, EngineError, type Verification } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { printable } from "../../contract/text/printable.ts";

/** What a run says of a comparison of values, and when it fails by it. */

/** A table as a comparison calls it, its schema (MySQL: database) first; no two tables are called so. */
export const formatTable = (name: readonly string[]): string => printable(fullName(...name));

/** Words for each difference and each column that was not compared. */
export function verificationMessages({ differences, uncompared }: Verification): string[] {
  return [
    ...differences.map(({ source, target, keys, differing }) => {
      const which = keys.map(({ key, what }) => `${key} (${what})`).join(", ");
      return `table ${source}: its values differ from those of ${target}${differing === undefined ? "" : ` in ${differing} rows`}${which === "" ? "" : `, as in ${which}`}`;
    }),
    ...uncompared.map((words) => `not compared: ${words}`),
  ];
}

/** Errors: `verification_failed` names the tables that differ, and carries the report. */
export function refuseDifferences(report: CopyReport): void {
  const differences = report.verification?.differences ?? [];
  if (differences.length === 0) return;
  const names = differences.slice(0, 20).map(({ source }) => source);
  throw new EngineError(
    "verification_failed",
    `the values of ${differences.length} tables differ between source and target: ${names.join(", ")}${differences.length > 20 ? ", …" : ""}; the log names rows by their keys`,
    { report },
  );
}
