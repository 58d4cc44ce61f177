/** What an assessment and a verification see of the plans from MySQL to MySQL: the same planners that a copy runs. */

export { readSequences } from "./copy/sequences.ts";
export { readSource } from "./copy/source.ts";
export { readAccounts, readTarget } from "./copy/target.ts";
export { readCode, type SourceCode } from "./finish/code-source.ts";
export { drawsNumbers, exactBody, inDatabase, noSequences, statementOf } from "./finish/code-sql.ts";
export { planGrants } from "./finish/grants.ts";
export { wantedNames } from "./tables/claims.ts";
export { nearestCollation } from "./tables/collations.ts";
export { comparable } from "./tables/compare-definitions.ts";
export { refuseLostParts } from "./tables/complete.ts";
export { checkPresent } from "./tables/data-only.ts";
export { type Definition, optionText, outside, parseDefinition, piecesOf } from "./tables/definition.ts";
export { endOfDefault, positionOf, type Traits, type TranslatedTable, translate } from "./tables/dialect.ts";
export { withExactBytes } from "./tables/exact-text.ts";
export { charsetsOf } from "./tables/existing-columns.ts";
export { planOf } from "./tables/plan-tables.ts";
export { inventoryOf, type TablePlanning } from "./tables/table-plan.ts";
