/** What an assessment and a verification see of the plans from PostgreSQL to PostgreSQL: the same planners that a copy runs. */

export { checkDataOnly } from "./copy/data-only.ts";
export { filled, knownTables, namedTables } from "./copy/prepare-target.ts";
export { staleViews } from "./finish/stale-views.ts";
export { refuseUnknown } from "./options.ts";
export { planCopy } from "./plan-copy.ts";
export { collisions } from "./schema/compare-inventories.ts";
export { refuseForcedRows } from "./schema/forced-rows.ts";
export { codeWarnings } from "./schema/foreign-code.ts";
export { largeObjectsThere } from "./schema/large-object-names.ts";
export { loadedTables, withLeaves } from "./schema/loaded-tables.ts";
export { settleLost } from "./schema/lost-tables.ts";
export { readSkippedObjects } from "./schema/not-copied.ts";
export { readSkipped } from "./schema/plan.ts";
export { noneSkipped } from "./schema/selected-entries.ts";
