import type { CopyOptions } from "../../../contract/index.ts";
import { namesOf } from "../../../contract/text/full-name.ts";
import { constraintKind, mysqlClaim } from "../../../mysql/fence/taken-names.ts";
import type { NameClaim } from "../../../run/fence/claims.ts";
import type { OthersClaim } from "../../../run/fence/fence.ts";
import { createSelection } from "../../../run/selection.ts";
import { prefixOf, type Scheme } from "../columns/scheme.ts";
import type { SourceView } from "./views.ts";

/** Names that a copy from PostgreSQL gives in a MySQL or MariaDB target, for the fence. Pure. */

/** The names of tables, and those that views have if nothing else does. */
export const relationNames = (
  tables: readonly string[],
  views: readonly Pick<SourceView, "schema" | "view">[],
  options: CopyOptions,
  exact: boolean,
): NameClaim[] => {
  const selection = createSelection(options);
  const made = options.content === "data" ? [] : views.filter(({ schema, view }) => selection.has(schema, view));
  return [
    ...tables.map((name) => mysqlClaim("table", name, exact)),
    ...made.map(({ schema, view }) => mysqlClaim("view", `${prefixOf(schema, options.schemas)}${view}`, exact)),
  ];
};

/** Of all constraints that were planned so far. */
export const constraintNames = ({ given }: Pick<Scheme, "given">): NameClaim[] =>
  [...given.values()].map((name) => mysqlClaim(constraintKind, name, false));

/** Names that other runs have claimed, so that this one chooses none of them where it is free to choose. */
export const takenNames = (claims: readonly OthersClaim[], isOf: (kind: string) => boolean): string[] =>
  claims.flatMap(({ kind, name }) => (isOf(kind) ? (namesOf(name)[0] ?? name) : []));
