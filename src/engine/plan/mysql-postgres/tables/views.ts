import { mysqlEngine } from "../../../contract/text/engine-name.ts";
import { unseenText } from "../../../mysql/catalogue/hidden-objects.ts";
import type { SourceObject } from "../../../mysql/catalogue/objects.ts";
import type { ColumnMeaning } from "../../translate/index.ts";
import { type ReadableRelation, translateViews, type ViewPlan, type ViewPlans } from "../../translate/views.ts";
import type { Scheme } from "../columns/column-plan.ts";
import { meaningOf } from "../columns/expressions.ts";
import { nameFor } from "./scheme.ts";
import type { TablePlan } from "./table-plan.ts";

/** What becomes of the source's views: PostgreSQL's queries in the order of their dependence, or why there is none. Pure. */

/** Tables by their names in the source. */
type PostgresViewPlan = ViewPlan<
  { name: string; view: string; query: string; columns: string[]; shown: SourceObject["view"] },
  string
>;

/** `except`: views that the target refused, and that no other can stand on. */
export function planViews(
  scheme: Scheme,
  others: readonly SourceObject[],
  tables: readonly TablePlan[],
  except: ReadonlySet<string> = new Set(),
): ViewPlans<PostgresViewPlan> {
  const views = others
    .filter(({ kind, name }) => kind === "view" && !except.has(name))
    .map(({ name, view }) => ({
      ...{ name, view: name, shown: view },
      ...{ query: view?.query ?? "", columns: view?.columns ?? [] },
    }));
  return translateViews(views, {
    known: new Map(tables.map((plan) => [plan.source.name, relationOf(scheme, plan)])),
    from: { engine: mysqlEngine(scheme), version: scheme.sourceVersion },
    to: { engine: "postgres", version: scheme.targetVersion },
    nameOf(path) {
      const [name = "", database = scheme.database] = [...path].reverse();
      return database === scheme.database ? name : undefined;
    },
    refusal({ query, shown }) {
      if (query === "") return unseenText;
      if (shown?.invoker && scheme.targetVersion < 150_000)
        return "it has the invoker's rights, which PostgreSQL's views have from version 15 on";
      return undefined;
    },
    schema: scheme.schema,
    nameIn: ({ name }) => nameFor(scheme, `view ${name}`, name),
  });
}

function relationOf(scheme: Scheme, { source, name, columns }: TablePlan): ReadableRelation<string> {
  const of = new Map<string, ColumnMeaning>(columns.map((column) => [column.source.name, meaningOf(column)]));
  const keys = source.indexes
    .filter(({ unique, parts }) => unique && parts.every(({ column, prefix }) => column !== null && prefix === null))
    .map(({ parts }) => parts.map(({ column }) => column as string))
    .filter((key) => key.every((column) => of.get(column)?.nullable === false));
  return { target: [scheme.schema, name], columns: of, keys, tables: new Set([source.name]) };
}
