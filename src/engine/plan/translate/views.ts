import { type TranslatedView, translateView, type ViewOptions } from "./index.ts";
import type { SourceRelation } from "./meaning.ts";

/** A relation that views read, with the tables below it; or why no view can. `Table`: what identifies one. */
export type ReadableRelation<Table> = (SourceRelation & { tables: ReadonlySet<Table> }) | { reason: string };

interface ReadView {
  name: string;
  query: string;
  columns: readonly string[];
}

interface ViewTranslation<View, Table> extends Pick<ViewOptions, "from" | "to"> {
  /** By the source's names; translated views are added. */
  known: Map<string, ReadableRelation<Table>>;
  /** The source's name of what a query reads; undefined: of another database. */
  nameOf(path: readonly string[]): string | undefined;
  /** Why a view is not translated, whatever its query. */
  refusal?(view: View): string | undefined;
  /** Plans the view, and returns its path in the target. */
  plan(view: View, found: TranslatedView, tables: ReadonlySet<Table>): readonly string[];
}

/** Translates views, each after those that it reads. Returns by the source's name why one is not translated. */
export function translateViews<View extends ReadView, Table>(
  views: readonly View[],
  translation: ViewTranslation<View, Table>,
): Map<string, string> {
  const refused = new Map<string, string>();
  let left = views;
  for (let size = -1; size !== left.length; ) {
    size = left.length;
    const pending = new Set(left.map(({ name }) => name));
    left = left.filter((view) => {
      const outcome = translateOne(view, pending, translation);
      if (outcome === "later") return true;
      if (outcome !== "done") refused.set(view.name, outcome.reason);
      pending.delete(view.name);
      return false;
    });
  }
  for (const { name } of left) refused.set(name, "it and another view depend on each other");
  return refused;
}

function translateOne<View extends ReadView, Table>(
  view: View,
  pending: ReadonlySet<string>,
  { from, to, known, nameOf, refusal, plan }: ViewTranslation<View, Table>,
): "done" | "later" | { reason: string } {
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
  const { columns } = found;
  if ([...columns.keys()].join("\0") !== view.columns.join("\0"))
    return { reason: "its columns are called otherwise in its query" };
  known.set(view.name, { target: plan(view, found, tables), columns, keys: [], tables });
  return "done";
}
