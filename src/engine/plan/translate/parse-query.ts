import type { Cursor } from "./cursor.ts";
import { parseOrder } from "./parse-order.ts";
import { refuse } from "./refusal.ts";
import type { Combined, From, Query, Select } from "./tree.ts";

/** Queries, as the servers print the bodies of views. */

export function parseQuery(cursor: Cursor): Query {
  const query: Query = { with: [], recursive: false, body: undefined as never, order: [] };
  if (cursor.took("WITH")) {
    query.recursive = cursor.took("RECURSIVE");
    query.with = cursor.list(() => {
      const name = cursor.name();
      const columns = cursor.seesSymbol("(") ? names(cursor) : undefined;
      cursor.expect("AS");
      if (cursor.sees("MATERIALIZED") || cursor.sees("NOT", "MATERIALIZED")) {
        cursor.took("NOT");
        cursor.took("MATERIALIZED");
      }
      const inner = cursor.inParentheses(() => cursor.query());
      return { name, query: inner, ...(columns === undefined ? {} : { columns }) };
    });
  }
  let left = parseTerm(cursor);
  for (;;) {
    const op = (["UNION", "EXCEPT", "INTERSECT"] as const).find((word) => cursor.took(word));
    if (op === undefined) break;
    const all = cursor.took("ALL");
    if (!all) cursor.took("DISTINCT");
    // INTERSECT binds stronger than the others; the servers print parentheses, so that a mix without them is not met.
    if ("is" in left && left.is === "combined" && left.op !== op) refuse("a mix of UNION, EXCEPT and INTERSECT");
    const combined: Combined = { is: "combined", op, all, left: asQuery(left), right: asQuery(parseTerm(cursor)) };
    left = combined;
  }
  if ("is" in left) query.body = left;
  else {
    if (query.with.length > 0 || cursor.sees("ORDER") || cursor.sees("LIMIT")) refuse("a query within parentheses");
    return left;
  }
  if (cursor.sees("ORDER", "BY")) query.order = parseOrder(cursor);
  parseLimit(cursor, query);
  if (cursor.sees("FOR") || cursor.sees("LOCK") || cursor.sees("WINDOW") || cursor.sees("FETCH"))
    refuse(`${cursor.peek().text} is not translated`);
  return query;
}

const asQuery = (part: Select | Combined | Query): Query =>
  "is" in part ? { with: [], recursive: false, body: part, order: [] } : part;

function parseTerm(cursor: Cursor): Select | Combined | Query {
  if (cursor.seesSymbol("(")) return cursor.inParentheses(() => cursor.query());
  return parseSelect(cursor);
}

function parseLimit(cursor: Cursor, query: Query): void {
  for (;;) {
    if (cursor.took("LIMIT")) {
      const first = cursor.expression();
      if (cursor.tookSymbol(",")) {
        query.offset = first;
        query.limit = cursor.expression();
      } else query.limit = first;
    } else if (cursor.took("OFFSET")) query.offset = cursor.expression();
    else return;
  }
}

const names = (cursor: Cursor): string[] => cursor.inParentheses(() => cursor.list(cursor.name));

function parseSelect(cursor: Cursor): Select {
  cursor.expect("SELECT");
  for (const word of [
    "STRAIGHT_JOIN",
    "SQL_SMALL_RESULT",
    "SQL_BIG_RESULT",
    "SQL_BUFFER_RESULT",
    "HIGH_PRIORITY",
    "SQL_NO_CACHE",
  ])
    cursor.took(word);
  const select: Select = { is: "select", distinct: cursor.took("DISTINCT"), items: [], from: [], group: [] };
  if (select.distinct && cursor.sees("ON")) refuse("DISTINCT ON is not translated");
  cursor.took("STRAIGHT_JOIN");
  if (cursor.seesSymbol("*")) refuse("* in place of columns is not translated");
  select.items = cursor.list(() => {
    const value = cursor.expression();
    return cursor.took("AS") ? { value, alias: cursor.name() } : { value };
  });
  if (cursor.took("FROM") && !cursor.took("DUAL")) select.from = cursor.list(() => parseFrom(cursor));
  if (cursor.took("WHERE")) select.where = cursor.expression();
  if (cursor.took("GROUP", "BY")) {
    if (cursor.sees("ROLLUP") || cursor.sees("CUBE") || cursor.sees("GROUPING") || cursor.sees("DISTINCT"))
      refuse("grouping sets are not translated");
    select.group = cursor.list(cursor.expression);
    if (cursor.sees("WITH")) refuse("WITH ROLLUP is not translated");
  }
  if (cursor.took("HAVING")) select.having = cursor.expression();
  return select;
}

/** One item of FROM with its joins; MySQL's and PostgreSQL's printed joins are nested by parentheses. */
function parseFrom(cursor: Cursor): From {
  let left = parseSource(cursor);
  for (;;) {
    const natural = cursor.took("NATURAL");
    const how = joinKind(cursor);
    if (how === undefined) {
      if (natural) refuse("NATURAL is not understood there");
      return left;
    }
    const right = parseSource(cursor);
    const on = cursor.took("ON") ? cursor.expression() : undefined;
    const using = on === undefined && cursor.took("USING") ? names(cursor) : undefined;
    if (using !== undefined && cursor.sees("AS")) refuse("an alias of JOIN USING is not translated");
    left = {
      is: "join",
      how,
      left,
      right,
      natural,
      ...(on === undefined ? {} : { on }),
      ...(using === undefined ? {} : { using }),
    };
  }
}

type How = Extract<From, { is: "join" }>["how"];

function joinKind(cursor: Cursor): How | undefined {
  if (cursor.took("JOIN") || cursor.took("INNER", "JOIN") || cursor.took("STRAIGHT_JOIN")) return "INNER";
  if (cursor.took("CROSS", "JOIN")) return "CROSS";
  for (const how of ["LEFT", "RIGHT", "FULL"] as const) {
    if (cursor.took(how, "OUTER", "JOIN") || cursor.took(how, "JOIN")) return how;
  }
  return undefined;
}

/** Words that come after a table and are no alias. */
const notAlias = new Set(
  "JOIN INNER CROSS LEFT RIGHT FULL NATURAL STRAIGHT_JOIN ON USING WHERE GROUP HAVING ORDER LIMIT OFFSET UNION EXCEPT INTERSECT WINDOW FOR LOCK FETCH USE FORCE IGNORE PARTITION TABLESAMPLE".split(
    " ",
  ),
);

function parseSource(cursor: Cursor): From {
  const lateral = cursor.took("LATERAL");
  if (cursor.tookSymbol("(")) {
    if (holdsQuery(cursor)) {
      const query = cursor.query();
      cursor.expectSymbol(")");
      const alias = aliasOf(cursor);
      if (alias === undefined) refuse("a derived table without a name");
      return { is: "derived", query, lateral, ...alias };
    }
    const inner = parseFrom(cursor);
    if (cursor.seesSymbol(",")) refuse("a list of tables within parentheses is not translated");
    cursor.expectSymbol(")");
    return inner;
  }
  if (lateral) refuse("LATERAL is translated only before a subquery");
  cursor.took("ONLY");
  const path = [cursor.name()];
  while (cursor.tookSymbol(".")) path.push(cursor.name());
  if (cursor.seesSymbol("(")) refuse(`${path.join(".")}() as a table is not translated`);
  const alias = aliasOf(cursor);
  if (cursor.sees("TABLESAMPLE") || cursor.sees("PARTITION")) refuse(`${cursor.peek().text} is not translated`);
  const hint = ["USE", "FORCE", "IGNORE"].find((word) => cursor.sees(word, "INDEX") || cursor.sees(word, "KEY"));
  if (hint !== undefined) skipHint(cursor);
  return { is: "table", path, ...(alias ?? {}) };
}

/** Whether the parentheses that open here lead to a query rather than to a join. */
function holdsQuery(cursor: Cursor): boolean {
  for (let ahead = 0; ; ahead++) {
    const token = cursor.peek(ahead);
    if (token.is === "symbol" && token.text === "(") continue;
    return token.is === "word" && (token.upper === "SELECT" || token.upper === "WITH");
  }
}

function skipHint(cursor: Cursor): void {
  cursor.next();
  cursor.next();
  cursor.inParentheses(() => {
    while (!cursor.seesSymbol(")")) {
      if (cursor.next().is === "end") refuse("its text ends too early");
    }
  });
}

function aliasOf(cursor: Cursor): { alias: string; columns?: string[] } | undefined {
  const token = cursor.peek();
  const written = cursor.took("AS");
  if (!written && !(token.is === "name" || (token.is === "word" && !notAlias.has(token.upper)))) return undefined;
  const alias = cursor.name();
  return cursor.seesSymbol("(") ? { alias, columns: names(cursor) } : { alias };
}
