import type { SourceObject } from "../../../mysql/catalogue/objects.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { inOrder } from "../../translate/in-order.ts";
import { type ColumnMeaning, type SourceRelation, translateView } from "../../translate/index.ts";
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

export interface ViewPlans {
  plans: ViewPlan[];
  /** By the source's name: why the view is not translated. */
  refused: Map<string, string>;
}

interface Known extends SourceRelation {
  tables: ReadonlySet<string>;
}

/** `except`: views that the target refused, and that no other can stand on. */
export function planViews(
  scheme: Scheme,
  others: readonly SourceObject[],
  tables: readonly TablePlan[],
  except: ReadonlySet<string> = new Set(),
): ViewPlans {
  const known = new Map<string, Known>(tables.map((plan) => [plan.source.name, relationOf(scheme, plan)]));
  const plans: ViewPlan[] = [];
  const refused = new Map<string, string>();
  const views = others.filter(({ kind, name }) => kind === "view" && !except.has(name));
  const circle = inOrder(views, (view, pending) => {
    const found = planView(scheme, view, known, pending);
    if (found === "later") return found;
    if ("reason" in found) refused.set(view.name, found.reason);
    else {
      plans.push(found.plan);
      known.set(view.name, found.relation);
    }
    return "done";
  });
  for (const { name } of circle) refused.set(name, "it and another view stand on each other");
  return { plans, refused };
}

type Found = { plan: ViewPlan; relation: Known } | { reason: string } | "later";

function planView(
  scheme: Scheme,
  { name: source, view }: SourceObject,
  known: ReadonlyMap<string, Known>,
  pending: ReadonlySet<string>,
): Found {
  if (view === undefined || view.query === "") return { reason: "its text cannot be seen with the user's rights" };
  const { invoker, checkOption } = view;
  if (invoker && scheme.targetVersion < 150_000)
    return { reason: "it has the invoker's rights, which PostgreSQL's views have from version 15 on" };
  const tables = new Set<string>();
  let later = false;
  const translated = translateView(view.query, {
    from: { engine: scheme.maria ? "mariadb" : "mysql", version: scheme.sourceVersion },
    to: { engine: "postgres", version: scheme.targetVersion },
    relation(path) {
      const [name = "", database = scheme.database] = [...path].reverse();
      if (database !== scheme.database) return undefined;
      later ||= name !== source && pending.has(name);
      const found = known.get(name);
      for (const table of found?.tables ?? []) tables.add(table);
      return found;
    },
  });
  if (later) return "later";
  if ("reason" in translated) {
    const { reason, draft } = translated;
    return { reason: draft === undefined ? reason : `${reason}; but for that it would be: ${draft.slice(0, 16_384)}` };
  }
  const columns = [...translated.columns.keys()];
  if (columns.join("\0") !== view.columns.join("\0"))
    return { reason: "its columns are called otherwise in its query" };
  const name = nameFor(scheme, `view ${source}`, source);
  const rights = invoker ? " WITH (security_invoker = true)" : "";
  const check = checkOption === "NONE" ? "" : ` WITH ${checkOption} CHECK OPTION`;
  return {
    plan: {
      source,
      name,
      create: `CREATE VIEW ${qualified(scheme.schema, name)}${rights} AS ${translated.sql}${check}`,
      tables,
      notes: [...(name === source ? [] : [`as ${name}`]), ...translated.notes],
    },
    relation: { target: [scheme.schema, name], columns: translated.columns, keys: [], tables },
  };
}

function relationOf(scheme: Scheme, { source, name, columns }: TablePlan): Known {
  const of = new Map<string, ColumnMeaning>(columns.map((column) => [column.source.name, meaningOf(column)]));
  const keys = source.indexes
    .filter(({ unique, parts }) => unique && parts.every(({ column, prefix }) => column !== null && prefix === null))
    .map(({ parts }) => parts.map(({ column }) => column as string))
    .filter((key) => key.every((column) => of.get(column)?.nullable === false));
  return { target: [scheme.schema, name], columns: of, keys, tables: new Set([source.name]) };
}
