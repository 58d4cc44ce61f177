import { identifier, qualified } from "../../../postgres/driver/names.ts";
import type { SourceRelation } from "../meaning.ts";
import { larger, smaller } from "../numbers.ts";
import { combine, framed, joined, type QueryTranslation, resolveColumn, selectText } from "../queries.ts";
import { refuse } from "../refusal.ts";
import type { Combined, From, Node, Query, Select } from "../tree.ts";
import { int, isBit } from "../types.ts";
import { aggregate, distinguished, ordered } from "./aggregates.ts";
import { createContext } from "./expression.ts";
import { groupColumns, type PostgresFromItem } from "./grouping.ts";
import { columnTerm } from "./index.ts";
import { hasFixedDigits } from "./numbers.ts";
import { asCondition, type PostgresContext, type PostgresTerm } from "./term.ts";

/** Queries of views: MySQL's printed SELECT in PostgreSQL's words. */

interface PostgresViews {
  /** [database, name] or [name]. */
  relation(path: readonly string[]): SourceRelation | { reason: string } | undefined;
  doubt(reason: string): void;
  /** The source is MariaDB. */
  maria: boolean;
  notes: Set<string>;
}

type PostgresTranslation = QueryTranslation<PostgresTerm>;
type PostgresOutputColumn = PostgresTranslation["columns"][number];

interface Scope {
  sources: PostgresFromItem[];
  with: Map<string, PostgresOutputColumn[]>;
  parent: Scope | undefined;
}

export function translateQuery(views: PostgresViews, query: Query, parent?: Scope): PostgresTranslation {
  const scope: Scope = { sources: [], with: new Map(parent?.with), parent };
  const { body } = query;
  return framed(query, {
    results: scope.with,
    translate: (inner) => translateQuery(views, inner, scope),
    quoted: (name) => identifier(name),
    body: () =>
      body.is === "combined" ? combined(views, scope, body, query) : translateSelect(views, scope, body, query),
  });
}

function combined(views: PostgresViews, scope: Scope, body: Combined, query: Query): PostgresTranslation {
  const context = createContext(surroundings(views, scope));
  const translate = (inner: Query) => translateQuery(views, inner, scope);
  const found = combine(body, translate, (name, term, other) => {
    if (!alike(term, other)) refuse(`the column ${name} has different types in a ${body.op}`);
    if (!body.all) for (const each of [term, other]) distinguished(context, each, body.op);
    return {
      ...term,
      ...widened(term, other),
      nullable: term.nullable || other.nullable,
      fixedDigits: hasFixedDigits(term) && hasFixedDigits(other),
      minusZero: term.minusZero === true || other.minusZero === true,
      unsigned: term.unsigned === true || other.unsigned === true,
      belowUnsigned: term.belowUnsigned === true || other.belowUnsigned === true,
      branchDigits: term.branchDigits === true || other.branchDigits === true,
      zerofill: term.zerofill === true || other.zerofill === true,
    };
  });
  if (query.order.length > 0) refuse("an ordered union is not translated");
  return found;
}

/** What holds the numbers of both sides of a union. */
function widened(a: PostgresTerm, b: PostgresTerm): Partial<PostgresTerm> {
  if (a.type.kind !== "int" || b.type.kind !== "int" || isBit(a.type)) return {};
  const min = smaller(a.type.min, b.type.min);
  const type = int(min, larger(a.type.max, b.type.max), min >= 0n && (a.type.unsigned || b.type.unsigned));
  return { type, form: a.form === "smallint" ? b.form : a.form };
}

const alike = (a: PostgresTerm, b: PostgresTerm): boolean => {
  const shape = ({ type, form }: PostgresTerm) =>
    `${type.kind} ${form === "smallint" ? "integer" : form} ${type.kind === "decimal" ? type.scale : ""} ${isBit(type)} ${type.kind === "text" ? (type.collation ?? "") : ""}`;
  return shape(a) === shape(b) && a.unrounded === undefined && b.unrounded === undefined;
};

function surroundings(views: PostgresViews, scope: Scope): Omit<PostgresContext, "term"> {
  return {
    catalogue: false,
    maria: views.maria,
    doubt: views.doubt,
    resolve: (path) => resolveColumn(scope, path, (path.at(-1) ?? "").toLowerCase()),
    query: (query) => translateQuery(views, query, scope),
  };
}

function translateSelect(views: PostgresViews, scope: Scope, select: Select, query: Query): PostgresTranslation {
  const limited = query.limit !== undefined || query.offset !== undefined;
  const from = select.from.map((item) => translateFrom(views, scope, item));
  const plain = createContext(surroundings(views, scope));
  const where = select.where === undefined ? "" : ` WHERE ${asCondition(plain.term(select.where))}`;
  const context: PostgresContext = createContext({
    ...surroundings(views, scope),
    call: (call) => aggregate(plain, call, views.notes),
  });
  const terms = select.items.map(({ value }) => context.term(value));
  const columns = select.items.map(({ value, alias }, at): PostgresOutputColumn => {
    const name = alias ?? (value.is === "column" ? (value.path.at(-1) as string) : `column ${at + 1}`);
    const term = terms[at] as PostgresTerm;
    if (term.type.kind === "null" || term.type.kind === "other")
      refuse(`the column ${name} has a type that is not translated`);
    if (select.distinct) distinguished(context, term, "DISTINCT");
    const { constant: _, aggregate: __, ...rest } = term;
    // A comparison's 0 or 1 is a number in MySQL; a boolean is one only where the copy made the column one.
    if (term.form === "boolean" && value.is !== "column")
      return { name, term: { ...rest, sql: `(${term.sql})::integer`, form: "integer" } };
    return { name, term: rest };
  });
  const folded = columns.map(({ name }) => name.toLowerCase());
  if (new Set(folded).size < folded.length) refuse("two columns of one name");
  for (const { name } of columns)
    if (Buffer.byteLength(name) > 63) refuse(`the column's name ${name} is longer than 63 bytes`);

  // MySQL prints a name without its table where HAVING means a column of the result.
  const having = select.having === undefined ? undefined : withAliases(select.having, select);
  const aliased = (node: Node): number =>
    node.is === "column" && node.path.length === 1 ? columns.findIndex(({ name }) => name === node.path[0]) : -1;
  const grouped = select.group.length > 0 || terms.some((term) => term.aggregate === true) || having !== undefined;
  const orderNodes = query.order.map(({ by }) => by).filter((by) => aliased(by) < 0);
  const group = grouped
    ? groupColumns(
        scope.sources,
        select,
        [...select.items.map(({ value }) => value), ...(having === undefined ? [] : [having]), ...orderNodes],
        context,
      )
    : [];
  const kept = having === undefined ? "" : ` HAVING ${asCondition(context.term(having))}`;
  const order = query.order.map((item) => {
    const at = aliased(item.by);
    if (at < 0) return ordered(context, item, limited);
    if (limited)
      ordered(createContext({ ...surroundings(views, scope), resolve: () => terms[at] as PostgresTerm }), item, true);
    return `${at + 1}${item.descending ? " DESC NULLS LAST" : " NULLS FIRST"}`;
  });
  if (order.length > 0 && !limited) views.notes.add("rows are ordered by PostgreSQL's collation");
  const list = columns.map(({ name, term }) => `${term.sql} AS ${identifier(name)}`);
  const { distinct } = select;
  return { sql: selectText({ distinct, list, from, where, group, having: kept, order }), columns };
}

function withAliases(node: Node, select: Select): Node {
  const replaced = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(replaced);
    if (typeof value !== "object" || value === null) return value;
    const inner = value as Node;
    if (inner.is === "column" && inner.path.length === 1) {
      const item = select.items.find(({ alias }) => alias === inner.path[0]);
      return item?.value ?? inner;
    }
    return Object.fromEntries(Object.entries(value).map(([name, part]) => [name, replaced(part)]));
  };
  return replaced(node) as Node;
}

function add(scope: Scope, source: PostgresFromItem): void {
  if (scope.sources.some(({ alias }) => alias === source.alias)) refuse(`two tables are called ${source.alias}`);
  if (Buffer.byteLength(source.alias) > 63) refuse(`the name ${source.alias} is longer than 63 bytes`);
  scope.sources.push(source);
}

function translateFrom(views: PostgresViews, scope: Scope, from: From): string {
  if (from.is === "join") return translateJoin(views, scope, from);
  if (from.columns !== undefined) return refuse("an alias with a list of columns is not translated");
  const local = from.is === "table" && from.path.length === 1 ? scope.with.get(from.path[0] as string) : undefined;
  const derived = from.is === "derived" ? translateQuery(views, from.query, { ...scope, sources: [] }) : undefined;
  const alias = from.alias ?? (from.is === "table" ? (from.path.at(-1) as string) : "");
  const quoted = identifier(alias);
  const found = derived?.columns ?? local;
  if (found !== undefined) {
    if (from.is === "derived" && from.lateral) return refuse("LATERAL is not translated");
    const columns = found.map(({ name, term: { unrounded, ...term } }): [string, PostgresTerm] => {
      if (unrounded !== undefined) refuse("a quotient that is counted on with");
      return [name.toLowerCase(), { ...term, sql: `${quoted}.${identifier(name)}`, stability: "immutable" }];
    });
    add(scope, { alias, columns: new Map(columns), keys: [] });
    return derived === undefined
      ? `${identifier((from as { path: string[] }).path[0] as string)} AS ${quoted}`
      : `(${derived.sql}) AS ${quoted}`;
  }
  const path = (from as { path: string[] }).path;
  const relation = views.relation(path);
  if (relation === undefined) return refuse(`${path.join(".")} is not copied`);
  if ("reason" in relation) return refuse(relation.reason);
  const columns = [...relation.columns].map(([name, column]): [string, PostgresTerm] => [
    name.toLowerCase(),
    columnTerm(column, `${quoted}.${identifier(column.name)}`),
  ]);
  add(scope, {
    alias,
    columns: new Map(columns),
    keys: relation.keys.map((key) => key.map((name) => name.toLowerCase())),
  });
  return `${qualified(...relation.target)} AS ${quoted}`;
}

function translateJoin(views: PostgresViews, scope: Scope, join: Extract<From, { is: "join" }>): string {
  if (join.using !== undefined || join.natural) return refuse("JOIN USING is not translated");
  if (join.how === "FULL") return refuse("FULL JOIN is not translated");
  const condition = (on: Node) => asCondition(createContext(surroundings(views, scope)).term(on));
  const from = (item: From) => translateFrom(views, scope, item);
  return joined(join, scope.sources, from, () => join.on && condition(join.on));
}
