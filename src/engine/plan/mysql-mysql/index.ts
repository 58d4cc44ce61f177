/** What an assessment and a verification see of the plans from MySQL to MySQL: the same planners that a copy runs. */

export { readSequences } from "./copy/sequences.ts";
export { readAccounts, readTarget } from "./copy/target.ts";
export { definerMissing, definerNotAllowed, definerRequested } from "./finish/create-code.ts";
export { type MysqlPlan, planCopy } from "./plan-copy.ts";
export { wantedNames, withoutKey } from "./tables/claims.ts";
export { checkPresent } from "./tables/data-only.ts";
export { charsetsOf } from "./tables/existing-columns.ts";
export { refuseMerged } from "./tables/row-sizes.ts";
