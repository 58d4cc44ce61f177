/** What an assessment and a verification see of the plans from MySQL to PostgreSQL: the same planners that a copy runs. */

export { columnKey } from "./columns/column-plan.ts";
export { readOverrides, refuseMoneyTypes } from "./columns/overrides.ts";
export type { ObservedType } from "./columns/types.ts";
export { filledTables, refuseReferred } from "./copy/data-only.ts";
export { othersLeft, readAsUtcWarnings } from "./copy/report.ts";
export { readNames, readTraits } from "./copy/target.ts";
export { refuseTogether, targetSchema } from "./options.ts";
export { planCopy } from "./plan-copy.ts";
export { wantedNames } from "./tables/claims.ts";
export { type ExistingTable, readThere } from "./tables/existing-tables.ts";
export { createNames } from "./tables/names.ts";
export { planSource } from "./tables/plan-tables.ts";
export { type MysqlSource, type PlanOptions, schemeFor } from "./tables/scheme.ts";
export { doubtsOf, type TablePlan } from "./tables/table-plan.ts";
