import { refuse } from "./refusal.ts";
import type { From, FunctionCall, Node, Query } from "./tree.ts";

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

/** Paths of columns outside of aggregates; what is grouped as it stands is passed over. Queries within are not looked into: refused. */
export function columnsOutside(
  node: Node,
  grouped: ReadonlySet<string>,
  isAggregate: (call: FunctionCall) => boolean,
): string[][] {
  if (grouped.has(JSON.stringify(node))) return [];
  if (node.is === "column") return [node.path];
  if (node.is === "call" && isAggregate(node)) return [];
  if (node.is === "exists" || node.is === "subquery" || node.is === "in query")
    return refuse("a query beside aggregates is not translated");
  const found: string[][] = [];
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) for (const each of value) visit(each);
    else if (typeof value === "object" && value !== null) {
      if ("is" in value) found.push(...columnsOutside(value as Node, grouped, isAggregate));
      else for (const each of Object.values(value)) visit(each);
    }
  };
  for (const [name, value] of Object.entries(node)) if (name !== "is") visit(value);
  return found;
}

interface Join<Term> {
  how: Extract<From, { is: "join" }>["how"];
  left: string;
  right: string;
  on: string | undefined;
  /** Of each side. */
  sources: readonly [left: Sources<Term>, right: Sources<Term>];
}

type Sources<Term> = readonly { columns: Map<string, Term> }[];

/** A join's SQL. Its optional side may be NULL to what comes after. */
export function joined<Term extends { nullable: boolean }>({ how, left, right, on, sources }: Join<Term>): string {
  const optional = how === "LEFT" ? sources[1] : how === "RIGHT" ? sources[0] : [];
  for (const { columns } of optional)
    for (const [name, term] of columns) columns.set(name, { ...term, nullable: true });
  if (on === undefined)
    return how === "INNER" || how === "CROSS" ? `(${left} CROSS JOIN ${right})` : refuse("an outer join without ON");
  return `(${left} ${how === "CROSS" ? "INNER" : how} JOIN ${right} ON ${on})`;
}
