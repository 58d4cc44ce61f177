import { type CopyReport, EngineError } from "../contract/index.ts";

/** Ends a run whose report has differences of values. Errors: `verification_failed` names the tables that differ, and carries the report. */
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
