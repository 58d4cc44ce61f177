import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { refuseLostParts } from "../../../mysql/definitions/complete.ts";
import { type Item, parseDefinition } from "../../../mysql/definitions/definition.ts";
import { exactDefinition } from "../../../mysql/definitions/exact-text.ts";
import { withMovedDefaults } from "../../../mysql/definitions/moved-defaults.ts";
import { checkNamesOf } from "../../../mysql/definitions/named-checks.ts";
import { knowsMinusZero } from "../../../mysql/driver/changed-numbers.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { SourceTexts } from "../copy/source.ts";
import type { TargetDatabase } from "../copy/target.ts";
import { planTable, type TablePlan, type TablePlanning } from "./table-plan.ts";

export type DefinedTable = Pick<ReturnType<typeof planDefinition>, "plan" | "without">;

/** What all tables' plans are made by. */
export async function readPlanning(
  from: Session,
  to: Session,
  {
    database,
    prefix,
    target,
    tables,
  }: Pick<TablePlanning, "database" | "prefix"> & { target: TargetDatabase; tables: readonly SourceTable[] },
): Promise<TablePlanning> {
  return {
    ...{ database, server: from.server, target, targetDatabase: target.database, prefix },
    unsigns: (await knowsMinusZero(from)) && !(await knowsMinusZero(to)),
    checkNames: checkNamesOf(tables),
  };
}

/** Plans of one table, all of the same items. */
export function planDefinition(planning: TablePlanning, table: SourceTable, { shown }: Pick<SourceTexts, "shown">) {
  const text = shown.get(table.name) ?? "";
  const parsed = parseDefinition(text, table.foreignKeys);
  refuseLostParts(parsed, table);
  const { database, targetDatabase, server, target } = planning;
  const definition = withMovedDefaults(
    exactDefinition(parsed, table, server, target.server),
    database,
    server.maria && target.server.maria ? targetDatabase : database,
  );
  const plan = (items: ReadonlySet<Item>) => planTable(planning, table, text, definition, items);
  const without = (undone: (item: Item) => boolean) => plan(new Set(definition.items.filter(undone)));
  /** Without the items at these places. */
  const at = (undone: (place: number) => boolean) =>
    plan(new Set(definition.items.filter((_, place) => undone(place))));
  return { plan, without, at };
}

/** What gives a plan equal to `plan`, which is of these. */
export function again(
  planning: TablePlanning,
  table: SourceTable,
  source: SourceTexts,
  plan: TablePlan,
): () => TablePlan {
  const places = [...plan.without].map((item) => plan.definition.items.indexOf(item));
  // A function keeps all that is captured beside it: those that are returned are made where no plan is to be seen.
  const present = planning.present?.get(table.name);
  if (present !== undefined) return present;
  if (places.includes(-1)) return always(plan);
  return remade(planning, table, source, new Set(places));
}

const always = (plan: TablePlan) => () => plan;

const noPlaces: ReadonlySet<number> = new Set();

function remade(planning: TablePlanning, table: SourceTable, source: SourceTexts, without: ReadonlySet<number>) {
  const places = without.size === 0 ? noPlaces : without;
  return () => planDefinition(planning, table, source).at((place) => places.has(place));
}
