import { foldingName } from "./collation.ts";
import type { Cursor } from "./cursor.ts";
import { parseCall, parseSpecial } from "./parse-call.ts";
import { typeName } from "./parse-type.ts";
import { refuse } from "./refusal.ts";
import type { Node } from "./tree.ts";

/**
 * Expressions by precedence, as each server parses its own printed form. node-sql-parser takes `a--1` for a comment and
 * fails on MEMBER OF, on CHARSET in CAST and on MySQL's own \'; @polyglot-sql/sdk weighs 23 MB and rewrites `||` and
 * division by itself; libpg-query (1.8 MB, PostgreSQL only) would still need all rules below. What decides here is which
 * forms are proven, and whatever this grammar does not know is refused.
 */

/** Binding powers; a higher one binds stronger. */
const postgresPowers: Record<string, number> = {
  OR: 1,
  AND: 3,
  "=": 6,
  ">=": 6,
  ">": 6,
  "<=": 6,
  "<": 6,
  "<>": 6,
  "!=": 6,
  "+": 10,
  "-": 10,
  "*": 11,
  "/": 11,
  "%": 11,
  "^": 12,
};
const mysqlPowers: Record<string, number> = {
  ...postgresPowers,
  ...{ XOR: 2, "<=>": 6, "|": 7, "&": 8, "<<": 9, ">>": 9, DIV: 11, MOD: 11 },
};
const power = { not: 4, is: 5, comparison: 6, other: 9, unary: 13, collate: 14 } as const;
/** Operands of BETWEEN and LIKE bind stronger than any comparison. */
const operandPower = 7;

export function parseExpression(cursor: Cursor, least: number): Node {
  let left = parsePrefix(cursor);
  for (;;) {
    const extended = parseInfix(cursor, left, least);
    if (extended === undefined) return left;
    left = extended;
  }
}

function parsePrefix(cursor: Cursor): Node {
  const token = cursor.peek();
  if (cursor.took("NOT")) return { is: "unary", op: "NOT", operand: cursor.expression(power.not) };
  if (token.is === "symbol" && ["-", "+", "~", "!"].includes(token.text)) {
    if (token.text === "!" && cursor.dialect === "postgres") refuse("the operator ! is not understood");
    cursor.next();
    const op = token.text === "!" ? "NOT" : token.text;
    return { is: "unary", op, operand: cursor.expression(power.unary) };
  }
  return parsePostfix(cursor, parsePrimary(cursor));
}

/** What stands right behind a value: `::type`, `->`, and PostgreSQL's subscripts and fields, which are refused. */
function parsePostfix(cursor: Cursor, value: Node): Node {
  let node = value;
  for (;;) {
    if (cursor.tookSymbol("::")) node = { is: "cast", operand: node, type: typeName(cursor) };
    else if (cursor.dialect === "mysql" && (cursor.seesSymbol("->") || cursor.seesSymbol("->>")))
      node = { is: "binary", op: cursor.next().text, left: node, right: parsePrimary(cursor) };
    else if (cursor.seesSymbol("[")) refuse("array subscripts are not translated");
    else if (cursor.seesSymbol(".")) refuse("fields of composite values are not translated");
    else return node;
  }
}

function parsePrimary(cursor: Cursor): Node {
  const token = cursor.peek();
  if (cursor.seesSymbol("("))
    return cursor.inParentheses((): Node => {
      if (seesQuery(cursor) || cursor.sees("VALUES")) return { is: "subquery", query: cursor.query() };
      const items = cursor.list(cursor.expression);
      return items.length === 1 ? (items[0] as Node) : { is: "row", items };
    });
  switch (token.is) {
    case "number":
    case "hex":
    case "bits":
      cursor.next();
      return { is: token.is, text: token.text };
    case "string":
      cursor.next();
      return { is: "string", text: token.text, ...(token.charset === undefined ? {} : { charset: token.charset }) };
    case "name":
      return parseCall(cursor);
    case "word":
      return parseSpecial(cursor) ?? parseCall(cursor);
    default:
      return refuse(token.is === "end" ? "its text ends too early" : `${JSON.stringify(token.text)} is not understood`);
  }
}

/** The operator that comes next, if it binds at least as strong as `least`, with its right side. */
function parseInfix(cursor: Cursor, left: Node, least: number): Node | undefined {
  const token = cursor.peek();
  if (token.is === "symbol") return parseSymbol(cursor, token.text, left, least);
  if (token.is !== "word") return undefined;
  const { upper } = token;
  const binds = (cursor.dialect === "mysql" ? mysqlPowers : postgresPowers)[upper];
  if (binds !== undefined) {
    if (binds < least) return undefined;
    cursor.next();
    return { is: "binary", op: upper === "MOD" ? "%" : upper, left, right: cursor.expression(binds + 1) };
  }
  if (upper === "COLLATE") return power.collate < least ? undefined : parseCollate(cursor, left);
  if (upper === "AT" && cursor.dialect === "postgres") {
    if (power.unary < least) return undefined;
    cursor.expect("AT", "TIME", "ZONE");
    return { is: "binary", op: "AT TIME ZONE", left, right: cursor.expression(power.collate) };
  }
  if (upper === "IS") return power.is < least ? undefined : parseIs(cursor, left);
  return power.comparison < least ? undefined : parseNegatable(cursor, left);
}

function parseSymbol(cursor: Cursor, text: string, left: Node, least: number): Node | undefined {
  const mysql = cursor.dialect === "mysql";
  if (mysql && (text === "||" || text === "&&")) refuse(`what ${text} means depends on sql_mode`);
  const binds = mysql ? mysqlPowers[text] : (postgresPowers[text] ?? otherOperator(text));
  if (binds === undefined || binds < least) return undefined;
  cursor.next();
  if (cursor.sees("ANY") || cursor.sees("ALL") || cursor.sees("SOME")) return quantified(cursor, left, text);
  return { is: "binary", op: text === "!=" ? "<>" : text, left, right: cursor.expression(binds + 1) };
}

function parseCollate(cursor: Cursor, operand: Node): Node {
  cursor.next();
  let schema: string | undefined;
  let collation = cursor.name();
  while (cursor.tookSymbol(".")) [schema, collation] = [collation, cursor.name()];
  // A user's own: whether it is deterministic is not told.
  if (schema !== undefined && schema !== "pg_catalog") collation = foldingName(collation);
  return { is: "collate", operand, collation };
}

/** BETWEEN, IN and LIKE, before which NOT may stand. */
function parseNegatable(cursor: Cursor, left: Node): Node | undefined {
  const not = cursor.sees("NOT");
  const word = cursor.peek(not ? 1 : 0);
  if (word.is !== "word" || !/^(BETWEEN|IN|LIKE|ILIKE|REGEXP|RLIKE)$/.test(word.upper)) return undefined;
  if (not) cursor.next();
  cursor.next();
  if (word.upper === "IN") return parseIn(cursor, left, not);
  const first = cursor.expression(operandPower);
  if (word.upper === "BETWEEN") {
    cursor.expect("AND");
    return { is: "between", operand: left, low: first, high: cursor.expression(operandPower), not };
  }
  const how = word.upper === "RLIKE" ? "REGEXP" : (word.upper as "LIKE" | "ILIKE" | "REGEXP");
  const like = { is: "like" as const, operand: left, pattern: first, not, how };
  return cursor.took("ESCAPE") ? { ...like, escape: cursor.expression(operandPower) } : like;
}

const otherOperator = (text: string): number | undefined =>
  /^[~!@#%^&|`?<>=*/+-]+$/.test(text) ? power.other : undefined;

function parseIs(cursor: Cursor, operand: Node): Node {
  cursor.expect("IS");
  const not = cursor.took("NOT");
  if (cursor.took("DISTINCT", "FROM")) {
    const right = cursor.expression(operandPower);
    return { is: "binary", op: not ? "IS NOT DISTINCT FROM" : "IS DISTINCT FROM", left: operand, right };
  }
  for (const what of ["NULL", "TRUE", "FALSE", "UNKNOWN"] as const) {
    if (cursor.took(what)) return { is: "test", operand, what, not };
  }
  return refuse(`IS ${cursor.peek().text} is not translated`);
}

function parseIn(cursor: Cursor, operand: Node, not: boolean): Node {
  return cursor.inParentheses(() =>
    seesQuery(cursor)
      ? { is: "in query", operand, query: cursor.query(), not }
      : { is: "in", operand, list: cursor.list(cursor.expression), not },
  );
}

const seesQuery = (cursor: Cursor): boolean => cursor.sees("SELECT") || cursor.sees("WITH");

function quantified(cursor: Cursor, operand: Node, op: string): Node {
  const how = cursor.took("ALL") ? "ALL" : "ANY";
  if (how === "ANY") cursor.next();
  return cursor.inParentheses((): Node => {
    if (!seesQuery(cursor)) return { is: "quantified", op, how, operand, array: cursor.expression() };
    const query = cursor.query();
    if (op === "=" && how === "ANY") return { is: "in query", operand, query, not: false };
    if ((op === "<>" || op === "!=") && how === "ALL") return { is: "in query", operand, query, not: true };
    return refuse(`${op} ${how} of a query is not translated`);
  });
}
