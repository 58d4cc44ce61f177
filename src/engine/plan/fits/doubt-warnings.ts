import type { PlanWarning } from "../types.ts";
import { reason } from "./types.ts";
import type { Doubt } from "./values.ts";

/** Columns of the target whose type may not take every value: only the copy reads them all. */
export const doubtWarnings = (table: string, doubts: readonly Doubt[]): PlanWarning[] =>
  doubts.flatMap(({ column, types, misfits: all }) => {
    // The others are copied, counted and named.
    const misfits = all.filter(({ check: { check } }) => check !== "written");
    if (misfits.length === 0) return [];
    return {
      severity: "warning",
      code: "values_may_not_fit",
      object: `${table}.${column}`,
      reason: `${types.join(" → ")}: the copy checks each value before it writes, and fails if one does not fit (${misfits.map(({ check }) => reason(check)).join("; ")})`,
      fix: "widen the target's type, or correct such values in the source",
    };
  });
