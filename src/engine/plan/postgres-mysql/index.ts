/** What an assessment and a verification see of the plans from PostgreSQL to MySQL: the same planners that a copy runs. */

export { createNames } from "./columns/names.ts";
export { inNamingOrder, prefixOf } from "./columns/scheme.ts";
export { refuseOldTarget } from "./copy/target.ts";
export { planCopy, planTables, readPlanTarget } from "./plan-copy.ts";
export { type Chosen, choose, mostColumns } from "./tables/choose-tables.ts";
export { relationNames } from "./tables/claims.ts";
export { type ExistingTables, usePresent } from "./tables/existing-tables.ts";
export { readThings } from "./tables/read-source.ts";
export type { Plans } from "./tables/table-plan.ts";
