import { renamed } from "../../../contract/known.ts";
import { mysqlEngine } from "../../../contract/text/engine-name.ts";
import { unseenText } from "../../../mysql/catalogue/hidden-objects.ts";
import type { SourceObject } from "../../../mysql/catalogue/objects.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import type { ColumnMeaning } from "../../translate/index.ts";
import { type ReadableRelation, translateViews } from "../../translate/views.ts";
import type { Scheme } from "../columns/column-plan.ts";
import { meaningOf } from "../columns/expressions.ts";
import { nameFor } from "./scheme.ts";
import type { TablePlan } from "./table-plan.ts";

/** What becomes of the source's views: PostgreSQL's statements in the order of their dependence, or why there is none. Pure. */

export interface ViewPlan {
  /** In the source. */
  source: string;
  name: string;
  create: string;
  /** Tables that it reads, through other views too; names of the source. */
  tables: ReadonlySet<string>;
  /** For the report. */
  notes: string[];
}

interface ViewPlans {
  plans: ViewPlan[];
  /** By the source's name: why the view is not translated. */
  refused: Map<string, string>;
}

/** `except`: views that the target refused, and that no other can stand on. */
export function planViews(
  scheme: Scheme,
  others: readonly SourceObject[],
  tables: readonly TablePlan[],
  except: ReadonlySet<string> = new Set(),
): ViewPlans {
  const plans: ViewPlan[] = [];
  const views = others
    .filter(({ kind, name }) => kind === "view" && !except.has(name))
    .map(({ name, view }) => ({ name, view, query: view?.query ?? "", columns: view?.columns ?? [] }));
  const refused = translateViews(views, {
    known: new Map(tables.map((plan) => [plan.source.name, relationOf(scheme, plan)])),
    from: { engine: mysqlEngine(scheme), version: scheme.sourceVersion },
    to: { engine: "postgres", version: scheme.targetVersion },
    nameOf(path) {
      const [name = "", database = scheme.database] = [...path].reverse();
      return database === scheme.database ? name : undefined;
    },
    refusal({ query, view }) {
      if (query === "") return unseenText;
      if (view?.invoker && scheme.targetVersion < 150_000)
        return "it has the invoker's rights, which PostgreSQL's views have from version 15 on";
      return undefined;
    },
    plan({ name: source, view }, { sql, notes }, reads) {
      const name = nameFor(scheme, `view ${source}`, source);
      const rights = view?.invoker ? " WITH (security_invoker = true)" : "";
      const check = view === undefined || view.checkOption === "NONE" ? "" : ` WITH ${view.checkOption} CHECK OPTION`;
      plans.push({
        ...{ source, name, tables: reads },
        create: `CREATE VIEW ${qualified(scheme.schema, name)}${rights} AS ${sql}${check}`,
        notes: [...(name === source ? [] : [renamed(name)]), ...notes],
      });
      return [scheme.schema, name];
    },
  });
  return { plans, refused };
}

function relationOf(scheme: Scheme, { source, name, columns }: TablePlan): ReadableRelation<string> {
  const of = new Map<string, ColumnMeaning>(columns.map((column) => [column.source.name, meaningOf(column)]));
  const keys = source.indexes
    .filter(({ unique, parts }) => unique && parts.every(({ column, prefix }) => column !== null && prefix === null))
    .map(({ parts }) => parts.map(({ column }) => column as string))
    .filter((key) => key.every((column) => of.get(column)?.nullable === false));
  return { target: [scheme.schema, name], columns: of, keys, tables: new Set([source.name]) };
}
