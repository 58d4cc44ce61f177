import { singleColumn, subquery } from "../queries.ts";
import { refuse } from "../refusal.ts";
import { type Node, type NodeRules, ruleFor } from "../tree.ts";
import { formatType, int } from "../types.ts";
import { arithmetic, asDecimal, number } from "./arithmetic.ts";
import { cast } from "./casts.ts";
import { boolean, choice, unify } from "./choices.ts";
import { compare, equalText } from "./comparisons.ts";
import { callFunction } from "./functions.ts";
import { asBytes, isPlainText, type MysqlContext, type MysqlTerm, made, textLiteral } from "./term.ts";

/** PostgreSQL's expressions in MySQL's words: what is not known to be the same is refused. */

export function createContext(surroundings: Omit<MysqlContext, "term">): MysqlContext {
  const context: MysqlContext = { ...surroundings, term: (node) => translate(context, node) };
  return context;
}

function translate(context: MysqlContext, node: Node): MysqlTerm {
  const rule = ruleFor(rules, node) ?? refuse(`${node.is} is not translated`);
  return rule(context, node);
}

const truth = { kind: "boolean" } as const;

const rules: NodeRules<MysqlContext, MysqlTerm> = {
  null: () => ({ sql: "NULL", type: { kind: "null" }, nullable: true }),
  boolean: (_, { value }) => ({ sql: value ? "TRUE" : "FALSE", type: truth, nullable: false, bare: true }),
  number: (_, { text }) => number(text),
  string: (_, { text }) => ({
    sql: textLiteral(text),
    type: { kind: "text", collation: undefined, ascii: false },
    nullable: false,
    constant: text,
  }),
  column: (context, { path }) => ({ ...context.resolve(path), bare: true }),
  unary(context, { op, operand }) {
    if (op === "-" && operand.is === "number") return number(`-${operand.text}`);
    if (op !== "NOT") return refuse(`the operator ${op} is not translated`);
    const value = boolean(context.term(operand));
    return made(`(NOT ${value.sql})`, truth, [value]);
  },
  binary: (context, { op, left, right }) => binary(context, op, context.term(left), context.term(right)),
  test(context, { operand, what, not }) {
    const value = context.term(operand);
    if (what !== "NULL") boolean(value);
    return made(`(${value.sql} IS ${not ? "NOT " : ""}${what})`, truth, [value], { nullable: false });
  },
  quantified,
  case: choice,
  cast: (context, { operand, type }) => cast(context, context.term(operand), type),
  extract: (context, { field, operand }) => extract(field, context.term(operand)),
  call(context, node) {
    const { over, distinct, star, filter, order, schema, name } = node;
    const aggregate = schema === undefined || schema === "pg_catalog" ? context.call?.(node) : undefined;
    if (aggregate !== undefined) return aggregate;
    if (schema !== undefined && schema !== "pg_catalog")
      return refuse(`the function ${schema}.${name} is the source's own`);
    if (over !== undefined || distinct || star || filter !== undefined || order.length > 0)
      return refuse(`${name}() is not translated there`);
    return callFunction(context, name, node.args.map(context.term));
  },
  collate(context, node) {
    const operand = context.term(node.operand);
    if (operand.type.kind !== "text") return refuse("COLLATE of what is no text");
    return { ...operand, type: { ...operand.type, collation: node.collation } };
  },
  exists: (context, { query }) => made(`EXISTS (${subquery(context, query).sql})`, truth, []),
  subquery(context, { query }) {
    const { sql, column } = singleColumn(context, query);
    const { constant: _, aggregate: __, bare: ___, ...rest } = column;
    return { ...rest, sql: `(${sql})`, nullable: true };
  },
  "in query"(context, node) {
    const operand = context.term(node.operand);
    const { sql, column } = singleColumn(context, node.query);
    compare(context, "=", operand, column);
    const value = operand.type.kind === "text" ? asBytes(context, operand) : operand.sql;
    return made(`(${value} ${node.not ? "NOT IN" : "IN"} (${sql}))`, truth, [operand, column]);
  },
};

/** `= ANY (ARRAY[…])` and `<> ALL (ARRAY[…])`, which is how PostgreSQL prints IN. */
function quantified(
  context: MysqlContext,
  { array, how, op, operand }: Extract<Node, { is: "quantified" }>,
): MysqlTerm {
  const value = context.term(operand);
  const items = array.is === "cast" && array.operand.is === "array" ? array.operand : array;
  if (items.is !== "array" || items.items.length === 0) return refuse("an array that is not written out");
  const any = how === "ANY" && op === "=";
  if (!any && !(how === "ALL" && (op === "<>" || op === "!="))) return refuse(`${op} ${how} is not translated`);
  const each = items.items.map((item) => compare(context, any ? "=" : "<>", value, context.term(item)));
  return made(`(${each.map(({ sql }) => sql).join(any ? " OR " : " AND ")})`, truth, each);
}

const comparisons = new Set(["=", "<>", "<", "<=", ">", ">=", "IS DISTINCT FROM", "IS NOT DISTINCT FROM"]);

function binary(context: MysqlContext, op: string, a: MysqlTerm, b: MysqlTerm): MysqlTerm {
  if (op === "AND" || op === "OR") return made(`(${boolean(a).sql} ${op} ${boolean(b).sql})`, truth, [a, b]);
  if (comparisons.has(op)) return compare(context, op, a, b);
  if (op === "~~" || op === "!~~") return like(context, op === "!~~", a, b);
  if (op === "||") {
    if (a.type.kind !== "text" || b.type.kind !== "text") return refuse("|| of what is no text");
    return made(`CONCAT(${a.sql}, ${b.sql})`, unify([a, b]), [a, b]);
  }
  const days = op === "-" && a.type.kind === "date" && b.type.kind === "date";
  if (days) return made(`DATEDIFF(${a.sql}, ${b.sql})`, int(-3652424n, 3652424n), [a, b]);
  return /^[-+*/%]$/.test(op) ? arithmetic(context, op, a, b) : refuse(`the operator ${op} is not translated`);
}

function like(context: MysqlContext, not: boolean, a: MysqlTerm, b: MysqlTerm): MysqlTerm {
  if (!isPlainText(a) || b.constant === undefined) return refuse("LIKE with a pattern that is no literal");
  if (/(^|[^\\])(\\\\)*\\$/.test(b.constant)) return refuse("LIKE with a pattern that ends with its escape");
  if (a.type.kind === "text") equalText(context, a.type.collation);
  return made(`(${asBytes(context, a)} ${not ? "NOT " : ""}LIKE ${textLiteral(b.constant)})`, truth, [a]);
}

const fields: Record<string, [bigint, bigint]> = {
  year: [1n, 9999n],
  quarter: [1n, 4n],
  month: [1n, 12n],
  day: [1n, 31n],
  hour: [0n, 23n],
  minute: [0n, 59n],
};

function extract(field: string, term: MysqlTerm): MysqlTerm {
  const range = fields[field];
  const { type } = term;
  if (range === undefined) return refuse(`EXTRACT(${field})`);
  const dated = type.kind === "date" ? !/hour|minute/.test(field) : type.kind === "datetime" && !type.zoned;
  if (!dated) return refuse(`EXTRACT(${field}) of ${formatType(type)}`);
  // PostgreSQL's is a numeric, MySQL's a whole number.
  return asDecimal(made(`EXTRACT(${field.toUpperCase()} FROM ${term.sql})`, int(range[0], range[1]), [term]));
}
