import { literal } from "../../postgres/names.ts";
import { isAscii } from "../collation.ts";
import { refuse } from "../refusal.ts";
import type { Node } from "../tree.ts";
import { int, type Type, text } from "../types.ts";
import { castTo } from "./casts.ts";
import { choice } from "./choices.ts";
import { compare } from "./comparisons.ts";
import { datePart, momentLiteral, present, shifted } from "./dates.ts";
import { callFunction } from "./functions.ts";
import { arithmetic, bitwise, negated } from "./numbers.ts";
import { asCondition, type Context, condition, integerForm, type Term, textLiteral } from "./term.ts";
import { like } from "./texts.ts";

/** MySQL's expressions in PostgreSQL's words: one case for each node, refusing what is not known to be the same. */

export type Surroundings = Omit<Context, "term">;

export function createContext(surroundings: Surroundings): Context {
  const context: Context = { ...surroundings, term: (node) => translate(context, node) };
  return context;
}

const nothing = (sql: string, type: Type, form: Term["form"], constant?: Term["constant"]): Term => ({
  sql,
  type,
  form,
  nullable: false,
  stability: "immutable",
  ...(constant === undefined ? {} : { constant }),
});

export function numberTerm(digits: string): Term {
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

function translate(context: Context, node: Node): Term {
  switch (node.is) {
    case "null":
      return { ...nothing("NULL", { kind: "null" }, "other"), nullable: true };
    case "boolean":
      return nothing(String(node.value), int(node.value ? 1n : 0n, node.value ? 1n : 0n), "boolean", {
        number: node.value ? "1" : "0",
      });
    case "number":
      return numberTerm(node.text);
    case "string":
      if (context.catalogue && !isAscii(node.text))
        return refuse("a literal beyond ASCII, which the catalogue may show wrongly");
      if (node.text.includes("?"))
        return refuse("a literal with ?, which the catalogue also shows for other characters");
      return stringTerm(node.text, node.charset);
    case "bits": {
      if (!/^[01]{1,63}$/.test(node.text)) return refuse("a bit literal that long");
      const value = BigInt(`0b${node.text}`);
      return numberTerm(String(value));
    }
    case "hex":
      return refuse("a hexadecimal literal, whose meaning depends on what stands beside it");
    case "column":
      return context.resolve(node.path);
    case "unary":
      if (node.op === "NOT") {
        const operand = context.term(node.operand);
        return condition(`(NOT ${asCondition(operand)})`, [operand]);
      }
      if (node.op === "-") return negated(context.term(node.operand));
      if (node.op === "+") return context.term(node.operand);
      return refuse(`${node.op} gives an unsigned 64-bit number`);
    case "binary":
      return binary(context, node.op, node.left, node.right);
    case "test":
      return test(context.term(node.operand), node.what, node.not);
    case "between": {
      const operand = context.term(node.operand);
      const low = compare(context, ">=", operand, context.term(node.low));
      const high = compare(context, "<=", operand, context.term(node.high));
      return condition(`(${node.not ? "NOT " : ""}(${low.sql} AND ${high.sql}))`, [low, high]);
    }
    case "in": {
      const operand = context.term(node.operand);
      const each = node.list.map((item) => compare(context, "=", operand, context.term(item)));
      return condition(`(${node.not ? "NOT " : ""}(${each.map(({ sql }) => sql).join(" OR ")}))`, each);
    }
    case "like":
      return like(context, node);
    case "case":
      return choice(context, node);
    case "cast":
      return castTo(context.term(node.operand), node.type);
    case "collate": {
      const operand = context.term(node.operand);
      if (operand.type.kind !== "text") return refuse("COLLATE of what is no text");
      return { ...operand, type: { ...operand.type, collation: node.collation.toLowerCase() } };
    }
    case "extract": {
      const name = {
        day: "DAY",
        month: "MONTH",
        year: "YEAR",
        quarter: "QUARTER",
        hour: "HOUR",
        minute: "MINUTE",
        second: "SECOND",
      }[node.field];
      const found = name === undefined ? undefined : datePart(name, context.term(node.operand));
      return found ?? refuse(`EXTRACT(${node.field})`);
    }
    case "temporal": {
      const found = momentLiteral(node.text);
      const wanted = node.type === "timestamp" ? "datetime" : node.type;
      if (found?.type.kind !== wanted) return refuse(`${node.type} ${JSON.stringify(node.text)}`);
      return found;
    }
    case "now":
      if (node.what === "time") return refuse("CURRENT_TIME");
      return present(node.what === "date" ? "date" : "timestamp", Math.max(0, node.digits));
    case "call": {
      const aggregate = context.call?.(node);
      if (aggregate !== undefined) return aggregate;
      if (
        node.over !== undefined ||
        node.distinct ||
        node.star ||
        node.order.length > 0 ||
        node.separator !== undefined
      )
        return refuse(`${node.name}() is not translated there`);
      return callFunction(context, node);
    }
    case "exists": {
      if (context.query === undefined) return refuse("a query is not translated there");
      return condition(`EXISTS (${context.query(node.query).sql})`, [], { stability: "stable", nullable: false });
    }
    case "subquery": {
      if (context.query === undefined) return refuse("a query is not translated there");
      const { sql, columns } = context.query(node.query);
      const [only] = columns;
      if (only === undefined || columns.length !== 1)
        return refuse("a query of several columns is not translated there");
      const { constant: _, unrounded, aggregate: __, ...rest } = only;
      if (unrounded !== undefined) refuse("a query whose result is a quotient is not translated there");
      return { ...rest, sql: `(${sql})`, nullable: true };
    }
    case "in query": {
      if (context.query === undefined) return refuse("a query is not translated there");
      const operand = context.term(node.operand);
      const { sql, columns } = context.query(node.query);
      const [only] = columns;
      if (only === undefined || columns.length !== 1) return refuse("IN with a query of several columns");
      // Proves that both sides compare alike as they stand: nothing may be wrapped around the query's own column.
      const probe: Term = { ...only, sql: "\u0001" };
      const { constant: _, ...bare } = probe;
      const compared = compare(context, "=", { ...operand, sql: "\u0002" }, bare);
      if (compared.sql !== "(\u0002 = \u0001)") return refuse("IN with a query whose values are of another type");
      return condition(`(${operand.sql} ${node.not ? "NOT IN" : "IN"} (${sql}))`, [operand, only]);
    }
    case "interval":
      return refuse("an interval is not translated there");
    default:
      return refuse(`${node.is} is not translated`);
  }
}

function stringTerm(value: string, charset: string | undefined): Term {
  if (charset === "binary")
    return nothing(`'\\x${Buffer.from(value).toString("hex")}'::bytea`, { kind: "bytes" }, "bytea");
  const ascii = isAscii(value);
  if (charset !== undefined && !/^utf8(mb[34])?$/.test(charset) && !ascii)
    return refuse(`a literal of the character set ${charset}`);
  return nothing(textLiteral(value), text(undefined, ascii), "text", { text: value });
}

function binary(context: Context, op: string, left: Node, right: Node): Term {
  if ((op === "+" || op === "-") && right.is === "interval") return shifted(context, op, left, right);
  if (op === "+" && left.is === "interval") return shifted(context, op, right, left);
  const a = context.term(left);
  const b = context.term(right);
  switch (op) {
    case "AND":
    case "OR":
      return condition(`(${asCondition(a)} ${op} ${asCondition(b)})`, [a, b]);
    case "XOR":
      return condition(`(${asCondition(a)} <> ${asCondition(b)})`, [a, b]);
    case "=":
    case "<>":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "<=>":
      return compare(context, op, a, b);
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
    case "DIV":
      return arithmetic(op, a, b);
    case "&":
    case "|":
    case "^":
    case "<<":
    case ">>":
      return bitwise(op, a, b);
    default:
      return refuse(`the operator ${op} is not translated`);
  }
}

function test(operand: Term, what: "NULL" | "TRUE" | "FALSE" | "UNKNOWN", not: boolean): Term {
  const no = not ? "NOT " : "";
  const sure = { nullable: false };
  if (what === "NULL") return condition(`(${operand.sql} IS ${no}NULL)`, [operand], sure);
  return condition(`(${asCondition(operand)} IS ${no}${what})`, [operand], sure);
}
