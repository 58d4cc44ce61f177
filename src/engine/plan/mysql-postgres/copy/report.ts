import type { InventoryEntry } from "../../../contract/index.ts";
import type { KnownEntry } from "../../../contract/known.ts";
import { printable } from "../../../contract/text/printable.ts";
import { shortList } from "../../../contract/text/short-list.ts";
import { unseenText } from "../../../mysql/catalogue/hidden-objects.ts";
import type { SourceObject } from "../../../mysql/catalogue/objects.ts";
import { kind } from "../../../rows/mysql-to-copy/fields.ts";
import type { PlanWarning } from "../../types.ts";
import type { ViewOutcomes } from "../../views.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { TableState } from "./copy-tables.ts";

/** What the values of the tables had to give up, in words for the report. */
export function dataWarnings(states: readonly TableState[], zeroDates = "null"): string[] {
  return states.flatMap((state) =>
    state.plan.copied.flatMap((column, index) => {
      const name = `${state.plan.source.name}.${column.source.name}`;
      const nuls = state.nuls[index] ?? 0;
      const dates = state.dates[index] ?? 0;
      const srids = state.srids[index] ?? 0;
      const merged = state.merged[index] ?? 0;
      return [
        ...(nuls > 0 ? [`column ${name}: ${nuls} NUL bytes were removed, which PostgreSQL cannot store in text`] : []),
        ...(dates > 0
          ? [
              `column ${name}: ${dates} dates that do not exist (as 0000-00-00) became ${zeroDates === "null" ? "NULL" : zeroDates}`,
            ]
          : []),
        ...(merged > 0
          ? [
              column.source.dataType === "enum"
                ? `column ${name}: ${merged} values outside of the list of its ENUM became its empty label, whose text they have`
                : `column ${name}: ${merged} values of the empty member alone became those of no member, whose text they have`,
            ]
          : []),
        ...(srids > 0
          ? [
              `column ${name}: ${srids} geometries have an SRID other than 0 (as ${state.srid[index]}), which the well-known binary in bytea does not carry`,
            ]
          : []),
      ];
    }),
  );
}

/** What geometry loses in a target without PostGIS, and the fix. */
export function withoutPostgis(postgis: string | undefined, plans: readonly TablePlan[]): string[] {
  const names = plans.flatMap(({ source, columns }) =>
    columns.flatMap((column) =>
      column.type.field.kind === kind.geometry && !column.forced ? [`${source.name}.${column.source.name}`] : [],
    ),
  );
  if (postgis !== undefined || names.length === 0) return [];
  const list = shortList(names, 10);
  return [
    `the target database has no PostGIS that its user may use: geometry becomes bytea with well-known binary, without SRIDs and spatial indexes (${list}); run CREATE EXTENSION postgis there before the copy and it stays geometry`,
  ];
}

/** Times of which only one side has a time zone, in types that are named or that are there. */
export function readAsUtc(plans: readonly TablePlan[]): string[] {
  const names = plans.flatMap(({ source, copied }) =>
    copied.flatMap(({ source: { name }, type: { asUtc } }) =>
      asUtc === undefined ? [] : [`${source.name}.${name} (${asUtc.join(" → ")})`],
    ),
  );
  if (names.length === 0) return [];
  const list = shortList(names, 10);
  return [`times are read as UTC where only one side has a time zone: ${list}`];
}

export const readAsUtcWarnings = (plans: readonly TablePlan[]): PlanWarning[] =>
  readAsUtc(plans).map((reason) => ({
    ...{ severity: "warning", code: "read_as_utc", object: "time zones", reason },
    fix: "give the target's columns a type that has a time zone only where the source's has one, unless the source's times are UTC",
  }));

const reasons: Record<Exclude<SourceObject["kind"], "sequence">, string> = {
  view: "a view's query is not translated",
  function: "a routine's code is not translated",
  procedure: "a routine's code is not translated",
  package: "a routine's code is not translated",
  trigger: "a trigger's code is not translated",
  event: "PostgreSQL has no events",
};

/** What is not a table nor a sequence. */
export const othersReported = (others: readonly SourceObject[], views: ViewOutcomes): KnownEntry[] =>
  others.flatMap(({ kind, name, definition, view: shown }): KnownEntry[] => {
    if (kind === "sequence") return [];
    const view = kind === "view" ? views.get(printable(name)) : undefined;
    const { outcome, note } = view ?? { outcome: "reported", note: reasons[kind] };
    if (outcome === "converted") return [{ kind, name, ...view, outcome }];
    if (definition !== undefined) return [{ kind, name, outcome, note: `${note}`, definition }];
    const isSaid = view !== undefined && !shown?.query;
    return [{ kind, name, outcome, note: isSaid ? `${note}` : `${note}; ${unseenText}`, unseen: true }];
  });

/** With content `data`. */
export const othersLeft = (others: readonly SourceObject[]): InventoryEntry[] =>
  others.map(({ kind, name }) => ({ kind, name, outcome: "not_applicable", note: "options.content is data" }));
