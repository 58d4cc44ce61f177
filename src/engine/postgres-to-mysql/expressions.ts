import type { SourceTable } from "./catalogue.ts";
import type { ColumnPlan } from "./plan.ts";

/** Expressions of the source as MySQL's, where they are proven to mean the same. */
export interface Expressions {
  translate(
    table: SourceTable,
    columns: readonly ColumnPlan[],
    expression: string,
    use: "check" | "default" | "generated",
  ): { sql: string; note?: string } | { reason: string };
}

/** None is proven. */
export const noExpressions: Expressions = { translate: () => ({ reason: "its expression is not translated" }) };
