import { fullName, namesOf } from "../../../contract/text/full-name.ts";
import type { SourceObject } from "../../../mysql/catalogue/objects.ts";
import { type NameClaim, partKinds } from "../../../run/fence/claims.ts";
import type { OthersClaim } from "../../../run/fence/fence.ts";
import type { Scheme } from "../columns/column-plan.ts";
import type { TablePlan } from "./table-plan.ts";

/** Names that a copy from MySQL or MariaDB gives in the target, for the fence. */

/** The schema with its tables and views, before anything is planned. */
export const wantedNames = (
  schema: string,
  tables: readonly string[],
  others: readonly SourceObject[],
): NameClaim[] => [
  { kind: "schema", name: fullName(schema) },
  ...tables.map((name) => ({ kind: "table", name: fullName(schema, name) })),
  ...others.flatMap(({ kind, name }) => (kind === "view" ? [{ kind, name: fullName(schema, name) }] : [])),
];

/** Of tables that are there, nothing else is claimed. */
export const filledNames = (schema: string, plans: readonly Pick<TablePlan, "name">[]): NameClaim[] =>
  plans.map(({ name }) => ({ kind: "table", name: fullName(schema, name) }));

export function plannedNames(
  { schema, shared }: Pick<Scheme, "schema" | "shared">,
  plans: readonly TablePlan[],
  others: readonly SourceObject[],
): NameClaim[] {
  const made = [
    ...plans.flatMap((plan) => [...plan.made, ...plan.madeAfter]),
    ...[...shared.values()].map((one) => one.made),
  ];
  const indexes = plans.flatMap((plan) =>
    plan.indexes.flatMap(({ name, folded, apart, hashed }) => [
      name,
      ...(folded === undefined ? [] : [folded.name]),
      ...(apart === undefined ? [] : [apart.name]),
      ...(hashed === undefined ? [] : [hashed.name]),
    ]),
  );
  return [
    ...wantedNames(schema, [], others),
    ...filledNames(schema, plans),
    ...made.flatMap(({ kind, name }) => (partKinds.has(kind) ? [] : [{ kind, name: nameOf(kind, name) }])),
    ...indexes.map((name) => ({ kind: "index", name: fullName(schema, name) })),
  ];
}

/** Those made here take no arguments. */
const nameOf = (kind: string, name: readonly string[]) => `${fullName(...name)}${kind === "function" ? "()" : ""}`;

/** Names that others have claimed in the schema, so that this run chooses none of them where it is free to choose. */
export function takenNames(schema: string, claims: readonly OthersClaim[], wanted: readonly string[]): string[] {
  const start = fullName(schema, "");
  const free = new Set(wanted.map((name) => fullName(name)));
  return claims.flatMap(({ kind, name }) => {
    const own = name.startsWith(start) ? name.slice(start.length).replace(/\([^()]*\)$/, "") : "";
    return own === "" || (kind !== "index" && free.has(own)) ? [] : [namesOf(own)[0] ?? own];
  });
}
