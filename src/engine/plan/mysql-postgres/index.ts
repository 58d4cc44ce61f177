/** What an assessment and a verification see of the plans from MySQL to PostgreSQL: the same planners that a copy runs. */

export { checkEntry } from "./columns/checks.ts";
export { columnKey, type Scheme } from "./columns/column-plan.ts";
export { readOverrides, refuseMoneyTypes } from "./columns/overrides.ts";
export type { ObservedType } from "./columns/types.ts";
export { filledTables, refuseReferred } from "./copy/data-only.ts";
export { lostKeys, othersLeft, othersReported, withoutPostgis } from "./copy/report.ts";
export { readExtensions, readNames } from "./copy/target.ts";
export { plannedGrants } from "./finish/grants.ts";
export { refuseTogether, targetSchema, zeroDates } from "./options.ts";
export { wantedNames } from "./tables/claims.ts";
export { planDataOnly } from "./tables/data-only-plan.ts";
export { type ExistingTable, readThere } from "./tables/existing-tables.ts";
export { planForeignKeys } from "./tables/foreign-keys.ts";
export { doubtfulIndexes } from "./tables/indexes.ts";
export { createNames } from "./tables/names.ts";
export { createRemade } from "./tables/remade-plan.ts";
export { createScheme } from "./tables/scheme.ts";
export { doubtsOf, planTable, type TablePlan } from "./tables/table-plan.ts";
export { planViews } from "./tables/views.ts";
