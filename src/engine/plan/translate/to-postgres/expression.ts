import { literal } from "../../../postgres/driver/names.ts";
import { isAscii } from "../collation.ts";
import { singleColumn, subquery } from "../queries.ts";
import { refuse } from "../refusal.ts";
import { type Node, type NodeRules, ruleFor } from "../tree.ts";
import { int, type Type, text } from "../types.ts";
import { castTo } from "./casts.ts";
import { choice } from "./choices.ts";
import { type ComparisonOperator, compare } from "./comparisons.ts";
import { datePart, momentLiteral, present, shifted } from "./dates.ts";
import { callFunction } from "./functions.ts";
import { arithmetic, bitwise, negated } from "./numbers.ts";
import {
  asCondition,
  condition,
  integerForm,
  made,
  type PostgresContext,
  type PostgresTerm,
  textLiteral,
} from "./term.ts";
import { like } from "./texts.ts";

/** MySQL's expressions in PostgreSQL's words: one case for each node, refusing what is not known to be the same. */

type ContextOptions = Omit<PostgresContext, "term">;

export function createContext(surroundings: ContextOptions): PostgresContext {
  const context: PostgresContext = { ...surroundings, term: (node) => translate(context, node) };
  return context;
}

const nothing = (
  sql: string,
  type: Type,
  form: PostgresTerm["form"],
  constant?: PostgresTerm["constant"],
): PostgresTerm => made(sql, type, form, [], constant === undefined ? {} : { constant });

function numberTerm(digits: string): PostgresTerm {
  if (/e/i.test(digits))
    return nothing(`${literal(digits)}::double precision`, { kind: "float", bits: 64 }, "double", { number: digits });
  const [whole = "", fraction] = digits.split(".");
  if (fraction === undefined) {
    const value = BigInt(digits);
    if (value < 2n ** 64n) {
      const form = integerForm(value, value);
      return nothing(form === "numeric" ? `${value}::numeric` : `${value}`, int(value, value), form, {
        number: `${value}`,
      });
    }
  }
  const scale = fraction?.length ?? 0;
  const precision = whole.replace(/^0+/, "").length + scale;
  if (precision > 65 || scale > 30) refuse("a decimal of more digits than MySQL holds");
  return nothing(`${literal(digits)}::numeric`, { kind: "decimal", precision, scale }, "numeric", { number: digits });
}

function translate(context: PostgresContext, node: Node): PostgresTerm {
  const rule = ruleFor(rules, node) ?? refuse(`${node.is} is not translated there`);
  return rule(context, node);
}

const rules: NodeRules<PostgresContext, PostgresTerm> = {
  null: () => ({ ...nothing("NULL", { kind: "null" }, "other"), nullable: true }),
  boolean: (_, { value }) => {
    const one = value ? 1n : 0n;
    return nothing(String(value), int(one, one), "boolean", { number: String(one) });
  },
  number: (_, { text }) => numberTerm(text),
  string: (context, { text, charset }) => {
    if (context.catalogue && !isAscii(text))
      return refuse("a literal beyond ASCII, which the catalogue may show wrongly");
    if (text.includes("?")) return refuse("a literal with ?, which the catalogue also shows for other characters");
    return stringTerm(text, charset);
  },
  bits: (_, { text }) => {
    if (!/^[01]{1,63}$/.test(text)) return refuse("a bit literal that long");
    return numberTerm(String(BigInt(`0b${text}`)));
  },
  // Bytes, unless it is counted with, which is refused of bytes.
  hex: (_, { text: digits }) =>
    digits.length % 2 === 0
      ? { ...nothing(`'\\x${digits.toLowerCase()}'::bytea`, { kind: "bytes" }, "bytea"), length: digits.length / 2 }
      : refuse("a hexadecimal literal of half a byte"),
  column: (context, { path }) => context.resolve(path),
  unary: (context, { op, operand }) => {
    const value = context.term(operand);
    if (op === "NOT") return condition(`(NOT ${asCondition(value)})`, [value]);
    if (op === "-") return negated(value);
    return op === "+" ? value : refuse(`${op} gives an unsigned 64-bit number`);
  },
  binary: (context, { op, left, right }) => binary(context, op, left, right),
  test: (context, { operand, what, not }) => test(context.term(operand), what, not),
  between: (context, node) => {
    const operand = context.term(node.operand);
    const low = compare(context, ">=", operand, context.term(node.low));
    const high = compare(context, "<=", operand, context.term(node.high));
    return condition(`(${node.not ? "NOT " : ""}(${low.sql} AND ${high.sql}))`, [low, high]);
  },
  in: (context, node) => {
    const operand = context.term(node.operand);
    const each = node.list.map((item) => compare(context, "=", operand, context.term(item)));
    return condition(`(${node.not ? "NOT " : ""}(${each.map(({ sql }) => sql).join(" OR ")}))`, each);
  },
  like,
  case: choice,
  cast: (context, { operand, type }) => castTo(context.term(operand), type),
  collate: (context, node) => {
    const operand = context.term(node.operand);
    if (operand.type.kind !== "text") return refuse("COLLATE of what is no text");
    return { ...operand, type: { ...operand.type, collation: node.collation.toLowerCase() } };
  },
  extract: (context, { field, operand }) => {
    const plain = /^(day|month|year|quarter|hour|minute|second)$/.test(field);
    const found = plain ? datePart(field.toUpperCase(), context.term(operand)) : undefined;
    return found ?? refuse(`EXTRACT(${field})`);
  },
  temporal: (_, { type, text }) => {
    const found = momentLiteral(text);
    const wanted = type === "timestamp" ? "datetime" : type;
    return found?.type.kind === wanted ? found : refuse(`${type} ${JSON.stringify(text)}`);
  },
  now: (_, { what, digits }) => {
    if (what === "time") return refuse("CURRENT_TIME");
    return present(what === "date" ? "date" : "timestamp", Math.max(0, digits));
  },
  call: (context, node) => {
    const aggregate = context.call?.(node);
    if (aggregate !== undefined) return aggregate;
    const { over, distinct, star, order, separator } = node;
    if (over !== undefined || distinct || star || order.length > 0 || separator !== undefined)
      return refuse(`${node.name}() is not translated there`);
    return callFunction(context, node);
  },
  exists: (context, { query }) =>
    condition(`EXISTS (${subquery(context, query).sql})`, [], { stability: "stable", nullable: false }),
  subquery: (context, { query }) => {
    const { sql, column } = singleColumn(context, query);
    const { constant: _, unrounded, aggregate: __, ...rest } = column;
    if (unrounded !== undefined) refuse("a query whose result is a quotient is not translated there");
    return { ...rest, sql: `(${sql})`, nullable: true };
  },
  "in query": (context, node) => {
    const operand = context.term(node.operand);
    const { sql, column } = singleColumn(context, node.query);
    // Proves that both sides compare alike as they stand: nothing may be wrapped around the query's own column.
    const { constant: _, ...bare }: PostgresTerm = { ...column, sql: "\u0001" };
    const compared = compare(context, "=", { ...operand, sql: "\u0002" }, bare);
    if (compared.sql !== "(\u0002 = \u0001)") return refuse("IN with a query whose values are of another type");
    return condition(`(${operand.sql} ${node.not ? "NOT IN" : "IN"} (${sql}))`, [operand, column]);
  },
};

function stringTerm(value: string, charset: string | undefined): PostgresTerm {
  if (charset === "binary")
    return nothing(`'\\x${Buffer.from(value).toString("hex")}'::bytea`, { kind: "bytes" }, "bytea");
  const ascii = isAscii(value);
  if (charset !== undefined && !/^utf8(mb[34])?$/.test(charset) && !ascii)
    return refuse(`a literal of the character set ${charset}`);
  return nothing(textLiteral(value), text(undefined, ascii), "text", { text: value });
}

const comparisons = new Set(["=", "<>", "<", "<=", ">", ">=", "<=>"]);

function binary(context: PostgresContext, op: string, left: Node, right: Node): PostgresTerm {
  if ((op === "+" || op === "-") && right.is === "interval") return shifted(context, op, left, right);
  if (op === "+" && left.is === "interval") return shifted(context, op, right, left);
  const a = context.term(left);
  const b = context.term(right);
  if (op === "AND" || op === "OR") return condition(`(${asCondition(a)} ${op} ${asCondition(b)})`, [a, b]);
  if (op === "XOR") return condition(`(${asCondition(a)} <> ${asCondition(b)})`, [a, b]);
  if (comparisons.has(op)) return compare(context, op as ComparisonOperator, a, b);
  if (/^([-+*/%]|DIV)$/.test(op)) return arithmetic(op, a, b);
  return /^([&|^]|<<|>>)$/.test(op) ? bitwise(op, a, b) : refuse(`the operator ${op} is not translated`);
}

function test(operand: PostgresTerm, what: "NULL" | "TRUE" | "FALSE" | "UNKNOWN", not: boolean): PostgresTerm {
  const no = not ? "NOT " : "";
  const sure = { nullable: false };
  if (what === "NULL") return condition(`(${operand.sql} IS ${no}NULL)`, [operand], sure);
  return condition(`(${asCondition(operand)} IS ${no}${what})`, [operand], sure);
}
