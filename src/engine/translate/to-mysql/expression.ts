import { refuse } from "../refusal.ts";
import type { Node, TypeName } from "../tree.ts";
import { int, least64, most64, type Type, typeWords } from "../types.ts";
import { compare } from "./comparisons.ts";
import { callFunction } from "./functions.ts";
import { type Context, made, type Term, textLiteral } from "./term.ts";

/** PostgreSQL's expressions in MySQL's words: what is not known to be the same is refused. */

export function translate(context: Context, node: Node): Term {
  const term = (inner: Node): Term => translate(context, inner);
  switch (node.is) {
    case "null":
      return { sql: "NULL", type: { kind: "null" }, nullable: true };
    case "boolean":
      return { sql: node.value ? "TRUE" : "FALSE", type: { kind: "boolean" }, nullable: false, bare: true };
    case "number":
      return number(node.text);
    case "string":
      return {
        sql: textLiteral(node.text),
        type: { kind: "text", collation: undefined, ascii: false },
        nullable: false,
        constant: node.text,
      };
    case "column":
      return { ...context.resolve(node.path), bare: true };
    case "unary":
      if (node.op === "NOT") {
        const operand = boolean(term(node.operand));
        return made(`(NOT ${operand.sql})`, { kind: "boolean" }, [operand]);
      }
      if (node.op === "-" && node.operand.is === "number") return number(`-${node.operand.text}`);
      return refuse(`the operator ${node.op} is not translated`);
    case "binary":
      return binary(context, node.op, term(node.left), term(node.right));
    case "test": {
      const operand = term(node.operand);
      if (node.what !== "NULL") boolean(operand);
      return {
        ...made(`(${operand.sql} IS ${node.not ? "NOT " : ""}${node.what})`, { kind: "boolean" }, [operand]),
        nullable: false,
      };
    }
    case "quantified": {
      const operand = term(node.operand);
      const { array } = node;
      const items = array.is === "cast" && array.operand.is === "array" ? array.operand : array;
      if (items.is !== "array" || items.items.length === 0) return refuse("an array that is not written out");
      const wanted =
        node.how === "ANY" && node.op === "="
          ? " OR "
          : node.how === "ALL" && (node.op === "<>" || node.op === "!=")
            ? " AND "
            : undefined;
      if (wanted === undefined) return refuse(`${node.op} ${node.how} is not translated`);
      const each = items.items.map((item) => compare(context, wanted === " OR " ? "=" : "<>", operand, term(item)));
      return made(`(${each.map(({ sql }) => sql).join(wanted)})`, { kind: "boolean" }, each);
    }
    case "case": {
      const operand = node.operand === undefined ? undefined : term(node.operand);
      const whens = node.whens.map(({ when }) =>
        operand === undefined ? boolean(term(when)) : compare(context, "=", operand, term(when)),
      );
      const thens = node.whens.map(({ then }) => term(then));
      const otherwise = node.otherwise === undefined ? undefined : term(node.otherwise);
      const results = otherwise === undefined ? thens : [...thens, otherwise];
      const type = unify(results);
      const arms = whens.map(({ sql }, index) => `WHEN ${sql} THEN ${thens[index]?.sql}`).join(" ");
      const last = otherwise === undefined ? "" : ` ELSE ${otherwise.sql}`;
      return {
        ...made(`(CASE ${arms}${last} END)`, type, [...whens, ...results]),
        nullable: otherwise === undefined || results.some(({ nullable }) => nullable),
      };
    }
    case "cast":
      return cast(term(node.operand), node.type);
    case "extract":
      return extract(node.field, term(node.operand));
    case "call":
      if (node.over !== undefined || node.distinct || node.star || node.filter !== undefined || node.order.length > 0)
        return refuse(`${node.name}() is not translated there`);
      if (node.schema !== undefined && node.schema !== "pg_catalog")
        return refuse(`the function ${node.schema}.${node.name} is the source's own`);
      return callFunction(context, node.name, node.args.map(term));
    case "collate": {
      const operand = term(node.operand);
      if (operand.type.kind !== "text") return refuse("COLLATE of what is no text");
      return { ...operand, type: { ...operand.type, collation: node.collation } };
    }
    default:
      return refuse(`${node.is} is not translated`);
  }
}

function number(digits: string): Term {
  if (/e/i.test(digits)) return refuse("a number with an exponent");
  const written = digits.startsWith("-") ? `(${digits})` : digits;
  if (!digits.includes(".")) {
    const value = BigInt(digits);
    if (value < least64 || value > most64) return refuse("a number above bigint's");
    return { sql: written, type: int(value, value), nullable: false, constant: digits };
  }
  const [whole = "", fraction = ""] = digits.replace("-", "").split(".");
  if (fraction.length > 30 || whole.length + fraction.length > 65)
    return refuse("a decimal of more digits than MySQL holds");
  return {
    sql: written,
    type: { kind: "decimal", precision: whole.length + fraction.length, scale: fraction.length },
    nullable: false,
    constant: digits,
  };
}

export function boolean(term: Term): Term {
  if (term.type.kind === "boolean") return term;
  return refuse(`${typeWords(term.type)} where a boolean is needed`);
}

/** One type for all branches; MySQL would mix others in its own way. */
export function unify(terms: readonly Term[]): Type {
  const real = terms.filter(({ type }) => type.kind !== "null");
  const [first] = real;
  if (first === undefined) return refuse("only NULL in all branches");
  const { type } = first;
  if (real.some((term) => term.type.kind !== type.kind)) return refuse("branches of different types");
  if (type.kind === "int") {
    const types = real.map((term) => term.type as typeof type);
    return int(
      types.reduce((a, { min }) => (a < min ? a : min), type.min),
      types.reduce((a, { max }) => (a > max ? a : max), type.max),
    );
  }
  if (type.kind === "text") {
    const collations = new Set(
      real.flatMap((term) =>
        term.type.kind === "text" && term.type.collation !== undefined ? [term.type.collation] : [],
      ),
    );
    if (collations.size > 1) return refuse("text of several collations");
    return { kind: "text", collation: [...collations][0], ascii: false };
  }
  if (type.kind === "boolean" || type.kind === "date" || type.kind === "bytes") return type;
  const same = real.every((term) => JSON.stringify(term.type) === JSON.stringify(type));
  if (!same || type.kind === "other" || type.kind === "enum") return refuse("branches of different types");
  return type;
}

function binary(context: Context, op: string, a: Term, b: Term): Term {
  switch (op) {
    case "AND":
    case "OR":
      boolean(a);
      boolean(b);
      return made(`(${a.sql} ${op} ${b.sql})`, { kind: "boolean" }, [a, b]);
    case "=":
    case "<>":
    case "<":
    case "<=":
    case ">":
    case ">=":
    case "IS DISTINCT FROM":
    case "IS NOT DISTINCT FROM":
      return compare(context, op, a, b);
    case "~~":
    case "!~~":
      return like(context, op === "!~~", a, b);
    case "||": {
      if (a.type.kind !== "text" || b.type.kind !== "text") return refuse("|| of what is no text");
      return made(`CONCAT(${a.sql}, ${b.sql})`, unify([a, b]), [a, b]);
    }
    case "+":
    case "-":
    case "*":
    case "/":
    case "%":
      return arithmetic(op, a, b);
    default:
      return refuse(`the operator ${op} is not translated`);
  }
}

function arithmetic(op: string, a: Term, b: Term): Term {
  if (a.type.kind === "int" && b.type.kind === "int") {
    const [x, y] = [a.type, b.type];
    if (op === "/" || op === "%") {
      if (b.constant === undefined || BigInt(b.constant) < 1n)
        return refuse(`${op} by what is no literal above zero, where PostgreSQL may fail`);
      return made(`(${a.sql} ${op === "/" ? "DIV" : "%"} ${b.sql})`, x, [a, b]);
    }
    const corners = [x.min, x.max].flatMap((left) =>
      [y.min, y.max].map((right) => (op === "+" ? left + right : op === "-" ? left - right : left * right)),
    );
    const min = corners.reduce((m, value) => (value < m ? value : m));
    const max = corners.reduce((m, value) => (value > m ? value : m));
    // PostgreSQL counts in the wider side's type and fails beyond it; MySQL counts on in 64 bits.
    const widest = [x, y].some(({ min: low, max: high }) => low < -(2n ** 31n) || high >= 2n ** 31n)
      ? 64n
      : [x, y].every(
            ({ min: low, max: high }) =>
              low >= -32768n && high <= 32767n && a.constant === undefined && b.constant === undefined,
          )
        ? 16n
        : 32n;
    if (widest < 64n && (min < -(2n ** (widest - 1n)) || max >= 2n ** (widest - 1n)))
      return refuse(`${op} of whole numbers, where PostgreSQL fails beyond its type and MySQL counts on`);
    return made(`(${a.sql} ${op} ${b.sql})`, int(min < least64 ? least64 : min, max > most64 ? most64 : max), [a, b]);
  }
  if (op === "/" || op === "%") return refuse(`${op} of decimals, which have other digits`);
  const [x, y] = [digits(a), digits(b)];
  const scale = op === "*" ? x.scale + y.scale : Math.max(x.scale, y.scale);
  const precision =
    op === "*" ? x.precision + y.precision : Math.max(x.precision - x.scale, y.precision - y.scale) + 1 + scale;
  if (precision > 65 || scale > 30) return refuse("a decimal of more digits than MySQL holds");
  return made(`(${a.sql} ${op} ${b.sql})`, { kind: "decimal", precision, scale }, [a, b]);
}

function digits(term: Term): { precision: number; scale: number } {
  const { type } = term;
  if (type.kind === "int") return { precision: String(type.max > -type.min ? type.max : -type.min).length, scale: 0 };
  if (type.kind === "decimal" && type.scale !== undefined) return { precision: type.precision, scale: type.scale };
  return refuse(`arithmetic of ${typeWords(type)}`);
}

function like(context: Context, not: boolean, a: Term, b: Term): Term {
  if (a.type.kind !== "text" || a.type.fixed === true || b.constant === undefined)
    return refuse("LIKE with a pattern that is no literal");
  if (/(^|[^\\])(\\\\)*\\$/.test(b.constant)) return refuse("LIKE with a pattern that ends with its escape");
  const escaped = textLiteral(b.constant);
  return made(`((${a.sql} COLLATE ${context.binary}) ${not ? "NOT " : ""}LIKE ${escaped})`, { kind: "boolean" }, [a]);
}

/** Casts that change no value, and literals of a type. */
function cast(term: Term, type: TypeName): Term {
  if (type.array) return refuse("arrays are not translated");
  const { kind } = term.type;
  const literal = kind === "text" && term.constant !== undefined ? term.constant : undefined;
  switch (type.name) {
    case "text":
    case "character varying":
      if (type.arguments.length > 0) return refuse("a cast that cuts text");
      if (kind === "text")
        return term.type.kind === "text" && term.type.fixed === true
          ? refuse("character(n), whose trailing spaces do not count")
          : term;
      if (kind === "enum") return term;
      if (kind === "null") return { ...term, type: { kind: "text", collation: undefined, ascii: true } };
      return refuse(`a cast of ${typeWords(term.type)} to text`);
    case "smallint":
    case "integer":
    case "bigint": {
      if (literal !== undefined && /^-?\d{1,18}$/.test(literal)) return number(literal);
      const bits = { smallint: 16n, integer: 32n, bigint: 64n }[type.name];
      if (term.type.kind !== "int") return refuse(`a cast of ${typeWords(term.type)} to ${type.name}`);
      if (term.type.min < -(2n ** (bits - 1n)) || term.type.max >= 2n ** (bits - 1n))
        return refuse(`a cast to ${type.name} that may fail`);
      // PostgreSQL counts on in the type that is cast to.
      return { ...term, type: int(-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n) };
    }
    case "numeric":
      if (type.arguments.length > 0) return refuse("a cast that rounds");
      if (literal !== undefined && /^-?\d{1,30}(\.\d{1,30})?$/.test(literal)) return number(literal);
      if (kind === "int" || kind === "decimal") return term;
      return refuse(`a cast of ${typeWords(term.type)} to numeric`);
    case "date":
      if (literal !== undefined && realDate(literal))
        return { sql: `DATE'${literal}'`, type: { kind: "date" }, nullable: false, constant: literal };
      if (kind === "date") return term;
      if (term.type.kind === "datetime" && !term.type.zoned)
        return made(`CAST(${term.sql} AS DATE)`, { kind: "date" }, [term]);
      return refuse(`a cast of ${typeWords(term.type)} to date`);
    case "timestamp without time zone": {
      const [, day = "", fraction = ""] =
        /^(\d{4}-\d\d-\d\d) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,6}))?$/.exec(literal ?? "") ?? [];
      if (literal !== undefined && realDate(day))
        return {
          sql: `TIMESTAMP'${literal}'`,
          type: { kind: "datetime", digits: fraction.length, zoned: false },
          nullable: false,
          constant: literal,
        };
      if (term.type.kind === "datetime" && !term.type.zoned && type.arguments.length === 0) return term;
      return refuse(`a cast of ${typeWords(term.type)} to timestamp`);
    }
    case "boolean":
      if (kind === "boolean") return term;
      return refuse(`a cast of ${typeWords(term.type)} to boolean`);
    default:
      // An enum's literal: MySQL compares it with the labels.
      if (literal !== undefined && /^[\w.]+$/.test(type.name))
        return { ...term, type: { kind: "enum", labels: [literal], collation: undefined, name: type.name } };
      return refuse(`a cast to ${type.name}`);
  }
}

function realDate(text: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text) ?? [];
  if (year === undefined || Number(year) < 1) return false;
  return (
    Number(day) >= 1 &&
    Number(month) >= 1 &&
    Number(month) <= 12 &&
    Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate()
  );
}

function extract(field: string, term: Term): Term {
  const ranges: Record<string, [bigint, bigint]> = {
    year: [1n, 9999n],
    quarter: [1n, 4n],
    month: [1n, 12n],
    day: [1n, 31n],
    hour: [0n, 23n],
    minute: [0n, 59n],
  };
  const range = ranges[field];
  const { type } = term;
  if (range === undefined) return refuse(`EXTRACT(${field})`);
  const dated = type.kind === "date" ? !/hour|minute/.test(field) : type.kind === "datetime" && !type.zoned;
  if (!dated) return refuse(`EXTRACT(${field}) of ${typeWords(type)}`);
  return made(`EXTRACT(${field.toUpperCase()} FROM ${term.sql})`, int(range[0], range[1]), [term]);
}
