/** What an assessment and a verification see of the plans from PostgreSQL to MySQL: the same planners that a copy runs. */

export { createNames } from "./columns/names.ts";
export { createScheme, inNamingOrder, prefixOf } from "./columns/scheme.ts";
export { readSrids } from "./columns/shapes.ts";
export { isLostKey, objectEntries, sequenceEntries } from "./copy/report.ts";
export { refuseOldTarget } from "./copy/target.ts";
export { type ViewOutcomes, withView } from "./finish/create-views.ts";
export { type Chosen, choose, mostColumns } from "./tables/choose-tables.ts";
export { relationNames } from "./tables/claims.ts";
export { type ExistingTables, usePresent } from "./tables/existing-tables.ts";
export { foreignKeyName, keyOutcome, planForeignKeys } from "./tables/foreign-keys.ts";
export { planAll } from "./tables/plan-tables.ts";
export { readSequences, type SourceSequence } from "./tables/sequences.ts";
export type { Plans, TablePlan } from "./tables/table-plan.ts";
export { planViews, type Readables, readViews, type SourceView, type Viewed } from "./tables/views.ts";
