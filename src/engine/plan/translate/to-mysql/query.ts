import { columnsOutside, combine, framed, resolveColumn, selectText } from "../queries.ts";
import { refuse } from "../refusal.ts";
import type { Combined, Node, OrderItem, Query, Select } from "../tree.ts";
import { aggregate, isAggregate, ordered, sorting } from "./aggregates.ts";
import { boolean, unify } from "./choices.ts";
import { distinguished, orderable } from "./comparisons.ts";
import { createContext } from "./expression.ts";
import { calledByWith, calledWithin, translateFrom } from "./from.ts";
import type { MysqlOutputColumn, MysqlTranslation, MysqlViews, Scope } from "./scope.ts";
import { asBytes, type MysqlContext, type MysqlTerm } from "./term.ts";

/** Queries of views: PostgreSQL's printed SELECT in MySQL's words. */

export function translateQuery(views: MysqlViews, query: Query, parent?: Scope): MysqlTranslation {
  const scope: Scope = {
    sources: [],
    with: new Map(parent?.with),
    parent,
    query: (inner, within) => translateQuery(views, inner, within),
    context: (within) => createContext(surroundings(views, within)),
  };
  const { body } = query;
  return framed(query, {
    results: scope.with,
    translate: (inner) => translateQuery(views, inner, scope),
    quoted: (name) => calledByWith(views, name),
    // MySQL's manual: a large number for all that follows an offset.
    unlimited: "18446744073709551615",
    body: () =>
      body.is === "combined" ? combined(views, scope, body, query) : translateSelect(views, scope, body, query),
  });
}

function surroundings(views: MysqlViews, scope: Scope): Omit<MysqlContext, "term"> {
  return {
    binary: views.binary,
    maria: views.maria,
    doubt: views.doubt,
    beyond: (words) => views.notes.add(words),
    resolve: (path) => resolveColumn(scope, path, path.at(-1) ?? ""),
    query: (query) => translateQuery(views, query, scope),
  };
}

/** EXCEPT and INTERSECT came late to MySQL. */
const setsFrom = 80_031;

function combined(views: MysqlViews, scope: Scope, body: Combined, query: Query): MysqlTranslation {
  const { op, all } = body;
  if (op !== "UNION" && ((!views.maria && views.version < setsFrom) || all))
    refuse(`${op}${all ? " ALL" : ""} is not translated`);
  const context = createContext(surroundings(views, scope));
  const translate = (inner: Query) => translateQuery(views, inner, scope);
  const { sql, columns } = combine(body, translate, (name, term, other) => {
    if (shape(term) !== shape(other)) refuse(`the column ${name} has different types in a ${op}`);
    if (!all) for (const each of [term, other]) distinguished(context, each, op);
    const type = term.type.kind === "int" ? unify([term, other]) : term.type;
    return { ...term, type, nullable: term.nullable || other.nullable };
  });
  const order = query.order.map((item) => {
    const column = item.by.is === "number" ? columns[Number(item.by.text) - 1] : named(columns, item.by);
    const place = column === undefined ? 0 : columns.indexOf(column) + 1;
    if (column === undefined || place === 0) return refuse("a union that is ordered by an expression");
    const parts = limited(query)
      ? sorting(orderable(context, column.term), column.term.nullable, item)
      : [`${place}${item.descending ? " DESC" : ""}`];
    if (parts.length > 1) refuse("a cut union that is ordered by a column with NULLs");
    return `${place}${item.descending ? " DESC" : ""}`;
  });
  if (order.length > 0 && !limited(query)) views.notes.add(orderNote);
  const by = order.length === 0 ? "" : ` ORDER BY ${order.join(", ")}`;
  return { sql: `${sql}${by}`, columns };
}

const shape = ({ type }: MysqlTerm): string =>
  `${type.kind} ${type.kind === "decimal" ? type.scale : ""} ${type.kind === "datetime" ? type.zoned : ""}${type.kind === "other" ? "never" : ""}`;

const named = (columns: readonly MysqlOutputColumn[], node: Node): MysqlOutputColumn | undefined =>
  node.is === "column" && node.path.length === 1 ? columns.find(({ name }) => name === node.path[0]) : undefined;

const limited = ({ limit, offset }: Query): boolean => limit !== undefined || offset !== undefined;

const orderNote = "rows are ordered by MySQL's collation, where they are ordered by text";

function translateSelect(views: MysqlViews, scope: Scope, select: Select, query: Query): MysqlTranslation {
  const from = select.from.map((item) => translateFrom(views, scope, item));
  const plain = createContext(surroundings(views, scope));
  const where = select.where === undefined ? "" : ` WHERE ${boolean(plain.term(select.where)).sql}`;
  const windows = new Set<string>();
  const context: MysqlContext = createContext({
    ...surroundings(views, scope),
    call(call) {
      if (call.over === undefined) return aggregate(plain, call, views.notes);
      windows.add(JSON.stringify(call.over));
      // Seen in 10.11: one window's rows numbered in the order of another.
      if (views.maria && windows.size > 1) refuse("several windows in one query, which MariaDB mixes up");
      return aggregate(context, call, views.notes);
    },
  });
  const columns = select.items.map(({ value, alias }, at) =>
    output(context, value, alias ?? (value.is === "column" ? (value.path.at(-1) as string) : `column ${at + 1}`)),
  );
  if (select.distinct) for (const { term } of columns) distinguished(context, term, "DISTINCT");
  const folded = columns.map(({ name }) => name.toLowerCase());
  if (new Set(folded).size < folded.length) refuse("two columns of one name, which MySQL tells apart without case");
  const group = grouping(context, select, query);
  const kept = select.having === undefined ? "" : ` HAVING ${boolean(context.term(select.having)).sql}`;
  const order = query.order.flatMap((item) => ordering(context, item, columns, limited(query)));
  if (order.length > 0 && !limited(query)) views.notes.add(orderNote);
  const list = columns.map(({ name, term }) => `${term.sql} AS ${calledWithin(name)}`);
  const { distinct } = select;
  return { sql: selectText({ distinct, list, from, where, group, having: kept, order }), columns };
}

/** A column of the result. Its text has the collation of bytes, so that what reads the view compares as in PostgreSQL. */
function output(context: MysqlContext, value: Node, name: string): MysqlOutputColumn {
  const { constant: _, aggregate: __, bare: ___, ...term } = context.term(value);
  const { type } = term;
  if (type.kind === "null") return refuse(`the column ${name} is nothing but NULL`);
  // What is not understood is passed on as it is.
  const passed = value.is === "column" && (type.kind === "other" || type.kind === "enum");
  if (type.kind === "other" && !passed) return refuse(`the column ${name} has a type that is not translated`);
  if (type.kind !== "text") return { name, term };
  if (type.fixed === true) return value.is === "column" ? { name, term } : refuse("an expression of character(n)");
  return { name, term: { ...term, sql: asBytes(context, term), exact: true } };
}

/** PostgreSQL has proven that columns which are not grouped depend on the grouped ones: they are grouped too. */
function grouping(context: MysqlContext, select: Select, query: Query): string[] {
  if (select.group.length === 0) return [];
  const group = select.group.map((node) => {
    const place = node.is === "number" ? select.items[Number(node.text) - 1]?.value : node;
    return place ?? refuse("GROUP BY a column that is not there");
  });
  const list = new Set(group.map((node) => distinguished(context, context.term(node), "GROUP BY")));
  const same = new Set(group.map((node) => JSON.stringify(node)));
  const outside = [
    ...select.items.map(({ value }) => value),
    ...(select.having === undefined ? [] : [select.having]),
    ...query.order.map(({ by }) => by),
  ];
  for (const node of outside)
    for (const path of columnsOutside(node, same, isAggregate)) {
      const term = context.term({ is: "column", path });
      if (term.type.kind !== "other") list.add(distinguished(context, term, "GROUP BY"));
      else refuse(`the column ${path.join(".")} beside what is grouped`);
    }
  return [...list];
}

function ordering(
  context: MysqlContext,
  item: OrderItem,
  columns: readonly MysqlOutputColumn[],
  strictly: boolean,
): string[] {
  const place = item.by.is === "number" ? Number(item.by.text) : 0;
  const column = place > 0 ? columns[place - 1] : undefined;
  if (place > 0 && column === undefined) return refuse("ORDER BY a column that is not there");
  if (strictly)
    return column === undefined
      ? ordered(context, item)
      : sorting(orderable(context, column.term), column.term.nullable, item);
  // Only how the rows are shown: text may stand in another order.
  const term = column?.term ?? context.term(item.by);
  return sorting(term.sql, term.nullable, item);
}
