import { fullName } from "../../contract/text/full-name.ts";
import { type NameClaim, relationKinds } from "../../run/fence/claims.ts";
import { foldName } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/**
 * Names that a copy into MySQL or MariaDB takes in the target's database, for the fence: as that server tells names apart, so
 * that two which it takes for one are one claim.
 */

/** A foreign key or check: names of either are unique in a database on one server or another. */
export const constraintKind = "constraint";

/** `exact`: lower_case_table_names is 0. Only relations are ever told apart by case. */
export const mysqlClaim = (kind: string, name: string, exact: boolean): NameClaim => ({
  kind,
  name: fullName(relationKinds.has(kind) ? foldName(name, { exact }) : foldName(name, { accents: true })),
});

/** Of a list of made objects, whose names are [database, name]: rows are those of a table. */
export const mysqlClaimsOf = (
  made: readonly { kind: string; name: readonly string[] }[],
  exact: boolean,
): NameClaim[] => made.map(({ kind, name }) => mysqlClaim(kind === "rows" ? "table" : kind, name.at(-1) ?? "", exact));

/** Whether the server tells the names of tables apart by case. */
export async function tellsCase(session: Session): Promise<boolean> {
  const [[folding] = []] = await session.query("SELECT @@lower_case_table_names");
  return folding === "0";
}
