import { reason } from "../plan/fits/types.ts";
import type { Doubt } from "../plan/fits/values.ts";
import type { ReportFinding } from "./finding.ts";

/** Columns of the target whose type may not take every value: only the copy reads them all. */
export function reportDoubts(table: string, doubts: readonly Doubt[], report: ReportFinding): void {
  for (const { column, types, misfits: all } of doubts) {
    // The others are copied, counted and named.
    const misfits = all.filter(({ check: { check } }) => check !== "written");
    if (misfits.length === 0) continue;
    report(
      "warning",
      "values_may_not_fit",
      `${table}.${column}`,
      `${types.join(" → ")}: the copy checks each value before it writes, and fails if one does not fit (${misfits.map(({ check }) => reason(check)).join("; ")})`,
      "widen the target's type, or correct such values in the source",
    );
  }
}
