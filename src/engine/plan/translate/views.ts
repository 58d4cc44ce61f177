import { renamed } from "../../contract/known.ts";
import { translateView, type ViewOptions } from "./index.ts";
import type { SourceRelation } from "./meaning.ts";

/** A relation that views read, with the tables below it; or why no view can. `Table`: what identifies one. */
export type ReadableRelation<Table> = (SourceRelation & { tables: ReadonlySet<Table> }) | { reason: string };

interface ReadView {
  name: string;
  /** Its name without the schema. */
  view: string;
  query: string;
  columns: readonly string[];
}

export interface ViewPlan<View extends ReadView = ReadView, Table = unknown> {
  source: View;
  /** In the target. */
  name: string;
  /** Its query in the target's words. */
  sql: string;
  /** Tables that it reads, through other views too. */
  tables: ReadonlySet<Table>;
  /** For the report. */
  notes: string[];
}

export interface ViewPlans<Plan = ViewPlan> {
  /** In the order of their dependence. */
  plans: Plan[];
  /** By the source's name: why the view is not translated. */
  refused: Map<string, string>;
}

interface ViewTranslation<View, Table> extends Pick<ViewOptions, "from" | "to"> {
  /** By the source's names; translated views are added. */
  known: Map<string, ReadableRelation<Table>>;
  /** The source's name of what a query reads; undefined: of another database. */
  nameOf(path: readonly string[]): string | undefined;
  /** Why a view is not translated, whatever its query. */
  refusal?(view: View): string | undefined;
  /** In the target: the database or schema of all views, and the name of one. */
  schema: string;
  nameIn(view: View): string;
}

/** Translates views, each after those that it reads. */
export function translateViews<View extends ReadView, Table>(
  views: readonly View[],
  translation: ViewTranslation<View, Table>,
): ViewPlans<ViewPlan<View, Table>> {
  const plans: ViewPlan<View, Table>[] = [];
  const refused = new Map<string, string>();
  let left = views;
  for (let size = -1; size !== left.length; ) {
    size = left.length;
    const pending = new Set(left.map(({ name }) => name));
    left = left.filter((view) => {
      const outcome = translateOne(view, pending, translation);
      if (outcome === "later") return true;
      if ("reason" in outcome) refused.set(view.name, outcome.reason);
      else plans.push(outcome);
      pending.delete(view.name);
      return false;
    });
  }
  for (const { name } of left) refused.set(name, "it and another view depend on each other");
  return { plans, refused };
}

function translateOne<View extends ReadView, Table>(
  view: View,
  pending: ReadonlySet<string>,
  { from, to, known, nameOf, refusal, schema, nameIn }: ViewTranslation<View, Table>,
): ViewPlan<View, Table> | "later" | { reason: string } {
  const reason = refusal?.(view);
  if (reason !== undefined) return { reason };
  const tables = new Set<Table>();
  let later = false;
  const found = translateView(view.query, {
    from,
    to,
    relation(path) {
      const name = nameOf(path);
      if (name === undefined) return undefined;
      later ||= name !== view.name && pending.has(name);
      const relation = known.get(name);
      if (relation !== undefined && "tables" in relation) for (const table of relation.tables) tables.add(table);
      return relation;
    },
  });
  if (later) return "later";
  if ("reason" in found) {
    const { draft } = found;
    return {
      reason: draft === undefined ? found.reason : `${found.reason}; draft: ${draft.slice(0, 16_384)}`,
    };
  }
  const { sql, columns, notes } = found;
  if ([...columns.keys()].join("\0") !== view.columns.join("\0"))
    return { reason: "its columns are called otherwise in its query" };
  const name = nameIn(view);
  known.set(view.name, { target: [schema, name], columns, keys: [], tables });
  return { source: view, name, sql, tables, notes: [...(name === view.view ? [] : [renamed(name)]), ...notes] };
}
