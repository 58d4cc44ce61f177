import { refuse } from "./refusal.ts";
import type { Combined, From, FunctionCall, Node, Query } from "./tree.ts";

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

export interface QueryTranslation<Term> {
  sql: string;
  columns: { name: string; term: Term }[];
}

interface Frame<Term> {
  /** Columns by the names in WITH; those of this query are added. */
  results: Map<string, QueryTranslation<Term>["columns"]>;
  translate(query: Query): QueryTranslation<Term>;
  quoted(name: string): string;
  /** LIMIT where only an offset is written. */
  unlimited?: string;
  body(): QueryTranslation<Term>;
}

/** A query's WITH and LIMIT around its body. */
export function framed<Term>(query: Query, frame: Frame<Term>): QueryTranslation<Term> {
  if (query.recursive) refuse("recursive queries are not translated");
  const withs = query.with.map(({ name, columns, query: inner }) => {
    if (columns !== undefined) refuse("WITH with a list of columns is not translated");
    const found = frame.translate(inner);
    frame.results.set(name, found.columns);
    return `${frame.quoted(name)} AS (${found.sql})`;
  });
  const { sql, columns } = frame.body();
  const before = withs.length === 0 ? "" : `WITH ${withs.join(", ")} `;
  const most = query.limit === undefined ? query.offset && frame.unlimited : amount(query.limit);
  const limit = most === undefined ? "" : ` LIMIT ${most}`;
  const offset = query.offset === undefined ? "" : ` OFFSET ${amount(query.offset)}`;
  return { sql: `${before}${sql}${limit}${offset}`, columns };
}

const amount = (node: Node): string =>
  node.is === "number" && /^\d{1,18}$/.test(node.text) ? node.text : refuse("LIMIT by what is no number");

/** `both`: a column of the result, by its name and the terms of both sides. */
export function combine<Term>(
  { op, all, left, right }: Combined,
  translate: (query: Query) => QueryTranslation<Term>,
  both: (name: string, term: Term, other: Term) => Term,
): QueryTranslation<Term> {
  const [a, b] = [translate(left), translate(right)];
  if (a.columns.length !== b.columns.length) refuse("a union of different columns");
  const others = b.columns.map(({ term }) => term);
  const columns = a.columns.map(({ name, term }, at) => ({ name, term: both(name, term, others[at] as Term) }));
  return { sql: `(${a.sql}) ${op}${all ? " ALL" : ""} (${b.sql})`, columns };
}

interface Surroundings<Term> {
  query?: ((query: Query) => QueryTranslation<Term>) | undefined;
}

export const subquery = <Term>(context: Surroundings<Term>, query: Query): QueryTranslation<Term> =>
  context.query === undefined ? refuse("a query is not translated there") : context.query(query);

export function singleColumn<Term>(context: Surroundings<Term>, query: Query): { sql: string; column: Term } {
  const { sql, columns } = subquery(context, query);
  const [column] = columns;
  if (column === undefined || columns.length !== 1) return refuse("a query of several columns is not translated there");
  return { sql, column: column.term };
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

type Sources<Term> = readonly { columns: Map<string, Term> }[];

/** A join's SQL. Its optional side may be NULL to what comes after. `from` adds to `sources`; `on` gets each side's. */
export function joined<Term extends { nullable: boolean }>(
  { how, left, right }: Extract<From, { is: "join" }>,
  sources: Sources<Term>,
  from: (item: From) => string,
  on: (left: Sources<Term>, right: Sources<Term>) => string | undefined,
): string {
  const start = sources.length;
  const first = from(left);
  const middle = sources.length;
  const second = from(right);
  const sides = [sources.slice(start, middle), sources.slice(middle)] as const;
  const condition = on(...sides);
  const optional = how === "LEFT" ? sides[1] : how === "RIGHT" ? sides[0] : [];
  for (const { columns } of optional)
    for (const [name, term] of columns) columns.set(name, { ...term, nullable: true });
  if (condition === undefined)
    return how === "INNER" || how === "CROSS" ? `(${first} CROSS JOIN ${second})` : refuse("an outer join without ON");
  return `(${first} ${how === "CROSS" ? "INNER" : how} JOIN ${second} ON ${condition})`;
}
