import { refuse } from "./refusal.ts";
import type { Query } from "./tree.ts";

/** What the translations of queries share, whatever a `Term` is on their side. */

interface Level<Term> {
  sources: readonly { alias: string; columns: ReadonlyMap<string, Term> }[];
  parent: Level<Term> | undefined;
}

/** `column`: the path's last name, in the case of the sources' columns. */
export function resolveColumn<Term>(scope: Level<Term>, path: readonly string[], column: string): Term {
  const table = path.at(-2);
  for (let at: Level<Term> | undefined = scope; at !== undefined; at = at.parent) {
    const found = at.sources.filter(
      (source) => (table === undefined || source.alias === table) && source.columns.has(column),
    );
    if (found.length > 1) refuse(`the column ${path.join(".")} is ambiguous`);
    const term = found[0]?.columns.get(column);
    if (term !== undefined) return term;
  }
  return refuse(`the column ${path.join(".")} is not known`);
}

interface Surroundings<Term> {
  query?: ((query: Query) => { sql: string; columns: Term[] }) | undefined;
}

export const subquery = <Term>(context: Surroundings<Term>, query: Query): { sql: string; columns: Term[] } =>
  context.query === undefined ? refuse("a query is not translated there") : context.query(query);

export function singleColumn<Term>(context: Surroundings<Term>, query: Query): { sql: string; column: Term } {
  const { sql, columns } = subquery(context, query);
  const [column] = columns;
  if (column === undefined || columns.length !== 1) return refuse("a query of several columns is not translated there");
  return { sql, column };
}

/** `list`, `from`, `group` and `order` are translated items; `where` and `having` whole clauses, or empty. */
export const selectText = (select: {
  distinct: boolean;
  list: readonly string[];
  from: readonly string[];
  where: string;
  group: readonly string[];
  having: string;
  order: readonly string[];
}): string =>
  [
    `SELECT ${select.distinct ? "DISTINCT " : ""}${select.list.join(", ")}`,
    select.from.length === 0 ? "" : ` FROM ${select.from.join(", ")}`,
    select.where,
    select.group.length === 0 ? "" : ` GROUP BY ${select.group.join(", ")}`,
    select.having,
    select.order.length === 0 ? "" : ` ORDER BY ${select.order.join(", ")}`,
  ].join("");
