import { refuse } from "../refusal.ts";
import type { Call } from "../tree.ts";
import { int, least64, type Type } from "../types.ts";
import { chosen, coalesced, extreme, nullIf } from "./choices.ts";
import { dateFunction, formatted, present } from "./dates.ts";
import { arithmetic, decimalOf } from "./numbers.ts";
import { asNumber, asText, type Context, condition, made, type Term, worst } from "./term.ts";
import { constantText, searchable } from "./texts.ts";

/** MySQL's functions. What is not here is refused by name. */

const unlimited = 2n ** 32n - 1n;

export function callFunction(context: Context, call: Call): Term {
  if (call.schema !== undefined && call.schema.toLowerCase() !== "sys")
    return refuse(`the function ${call.schema}.${call.name} is the source's own`);
  const args = call.args.map((arg) => context.term(arg));
  const found =
    logic(context, call.name, args) ??
    ofText(context, call.name, args) ??
    ofNumbers(call.name, args) ??
    ofTime(call.name, args);
  return found ?? refuse(`the function ${call.name}() is not translated`);
}

function logic(context: Context, name: string, args: readonly Term[]): Term | undefined {
  const [a, b, c] = args as [Term, Term, Term];
  switch (args.length === 0 ? "" : name) {
    case "IF":
      return args.length === 3 ? chosen([a], [b], c) : undefined;
    case "IFNULL":
    case "COALESCE":
      return coalesced(args);
    case "NULLIF":
      return nullIf(context, a, b);
    case "ISNULL":
      return condition(`(${a.sql} IS NULL)`, [a], { nullable: false });
    case "GREATEST":
    case "LEAST":
      return extreme(context, name as "GREATEST" | "LEAST", args);
    default:
      return undefined;
  }
}

/** Text made of texts; literals take the others' collation. */
function textOf(sql: string, parts: readonly Term[], more: Partial<Term> = {}): Term {
  const texts = parts.filter(({ type }) => type.kind === "text");
  let collation: string | undefined;
  let mixed = false;
  for (const { type } of texts) {
    const own = type.kind === "text" ? type.collation : undefined;
    mixed ||= collation !== undefined && own !== undefined && own !== collation;
    collation ??= own;
  }
  const ascii = texts.every(({ type }) => type.kind === "text" && type.ascii);
  return made(sql, { kind: "text", collation: mixed ? "a mix of collations" : collation, ascii }, "text", parts, more);
}

const constantNumber = (term: Term | undefined): number | undefined =>
  term?.constant !== undefined && "number" in term.constant && /^-?\d{1,9}$/.test(term.constant.number)
    ? Number(term.constant.number)
    : undefined;

const lengthOf = (sql: string, part: Term): Term => made(sql, int(0n, unlimited), "integer", [part]);

function onlyText(name: string, term: Term): Term {
  if (term.type.kind === "text" || term.type.kind === "enum") return asText(term);
  return refuse(`${name}() of what is no text`);
}

function ofText(context: Context, name: string, args: readonly Term[]): Term | undefined {
  if (args.length === 0) return undefined;
  const [a, b, c] = args as [Term, Term | undefined, Term | undefined];
  switch (name) {
    case "CONCAT": {
      const texts = args.map(asText);
      return textOf(`(${texts.map(({ sql }) => sql).join(" || ")})`, texts);
    }
    case "CONCAT_WS": {
      const texts = args.map(asText);
      const [separator] = texts as [Term];
      return textOf(`concat_ws(${texts.map(({ sql }) => sql).join(", ")})`, texts, {
        nullable: separator.nullable,
        stability: worst(...texts, { stability: "stable" }),
      });
    }
    case "CHAR_LENGTH":
    case "CHARACTER_LENGTH": {
      const value = onlyText(name, a);
      return lengthOf(`char_length(${value.sql})`, value);
    }
    case "LENGTH":
    case "OCTET_LENGTH": {
      if (a.type.kind === "bytes") return lengthOf(`octet_length(${a.sql})`, a);
      const value = onlyText(name, a);
      return lengthOf(`octet_length(${inUtf8(name, value).sql})`, value);
    }
    case "UPPER":
    case "UCASE":
    case "LOWER":
    case "LCASE": {
      const value = onlyText(name, a);
      const word = /^(U|UCASE)/.test(name) ? "upper" : "lower";
      if (value.type.kind === "text" && !value.type.ascii)
        context.doubt(`${name}() of text that is not known to be ASCII: the engines know different letters`);
      return textOf(`${word}(${value.sql})`, [value]);
    }
    case "LEFT":
    case "RIGHT": {
      const count = constantNumber(b);
      if (count === undefined || count < 0) return refuse(`${name}() by what is no literal`);
      const value = onlyText(name, a);
      return textOf(`"${name.toLowerCase()}"(${value.sql}, ${count})`, [value]);
    }
    case "SUBSTR":
    case "SUBSTRING":
    case "MID":
      return substring(onlyText(name, a), b, c);
    case "TRIM":
    case "LTRIM":
    case "RTRIM":
    case "TRIM BOTH":
    case "TRIM LEADING":
    case "TRIM TRAILING":
      return trimmed(name, onlyText(name, a), b);
    case "REPLACE": {
      const texts = args.map((arg) => onlyText(name, arg));
      if (texts.length !== 3) return undefined;
      return textOf(`replace(${texts.map(({ sql }) => sql).join(", ")})`, texts);
    }
    case "REVERSE": {
      const value = onlyText(name, a);
      return textOf(`reverse(${value.sql})`, [value]);
    }
    case "REPEAT": {
      const count = constantNumber(b);
      if (count === undefined || count < 0 || count > 10_000) return refuse("REPEAT() by what is no small literal");
      const value = onlyText(name, a);
      return textOf(`repeat(${value.sql}, ${count})`, [value]);
    }
    case "LPAD":
    case "RPAD": {
      const count = constantNumber(b);
      const fill = c === undefined ? undefined : constantText(c);
      if (count === undefined || count < 0 || c === undefined || fill === undefined || fill === "")
        return refuse(`${name}() by what are no literals`);
      const value = asText(a);
      return textOf(`${name.toLowerCase()}(${value.sql}, ${count}, ${c.sql})`, [value]);
    }
    case "INSTR":
    case "LOCATE":
    case "POSITION": {
      if (b === undefined || c !== undefined) return refuse(`${name}() from a place on`);
      const [value, part] =
        name === "INSTR" ? [onlyText(name, a), onlyText(name, b)] : [onlyText(name, b), onlyText(name, a)];
      searchable(context, value, part);
      return made(`strpos(${value.sql}, ${part.sql})`, int(0n, unlimited), "integer", [value, part]);
    }
    case "MD5": {
      const value = inUtf8(name, onlyText(name, a));
      return made(`md5(${value.sql})`, { kind: "text", collation: undefined, ascii: true }, "text", [value]);
    }
    case "CONVERT USING":
      return /^utf8(mb[34])?$/.test(b === undefined ? "" : (constantText(b) ?? ""))
        ? { ...asText(a) }
        : refuse("CONVERT to another character set");
    default:
      return undefined;
  }
}

/** Bytes are counted alike where the source holds UTF-8, or nothing but ASCII. */
function inUtf8(name: string, term: Term): Term {
  const { type } = term;
  if (type.kind !== "text" || type.ascii || (type.collation !== undefined && /^utf8/i.test(type.collation)))
    return term;
  return refuse(`${name}() counts the bytes of a character set that is not UTF-8`);
}

function substring(value: Term, from: Term | undefined, length: Term | undefined): Term {
  const start = constantNumber(from);
  if (start === undefined || start < 1) return refuse("SUBSTRING from what is no literal above zero");
  if (length === undefined) return textOf(`substr(${value.sql}, ${start})`, [value]);
  const count = asNumber(length);
  if (count.type.kind !== "int" || count.type.min < 0n) return refuse("SUBSTRING of a length that may be below zero");
  return textOf(`substr(${value.sql}, ${start}, (${count.sql})::integer)`, [value, count]);
}

function trimmed(name: string, value: Term, what: Term | undefined): Term {
  const word = /LTRIM|LEADING/.test(name) ? "ltrim" : /RTRIM|TRAILING/.test(name) ? "rtrim" : "btrim";
  const removed = what === undefined ? " " : constantText(what);
  // PostgreSQL removes any of the characters, MySQL the whole.
  if (removed === undefined || [...removed].length !== 1) return refuse("TRIM of what is no single character");
  return textOf(`${word}(${value.sql}, ${what?.sql ?? "' '::text"})`, [value]);
}

function ofNumbers(name: string, args: readonly Term[]): Term | undefined {
  if (args.length === 0) return undefined;
  const [first, second] = args as [Term, Term | undefined];
  switch (name) {
    case "MOD":
      return second === undefined ? undefined : arithmetic("%", first, second);
    case "ABS": {
      const a = asNumber(first);
      if (a.type.kind !== "int") return made(`abs(${a.sql})`, a.type, a.form, [a]);
      if (a.type.min === least64) return refuse("ABS() of a bigint, which may be out of range");
      const most = a.type.max > -a.type.min ? a.type.max : -a.type.min;
      return made(
        `abs(${a.form === "integer" ? `(${a.sql})::bigint` : a.sql})`,
        int(0n, most, a.type.unsigned),
        a.form === "integer" ? "bigint" : a.form,
        [a],
      );
    }
    case "SIGN": {
      const a = asNumber(first);
      return made(
        `(sign((${a.sql})::${a.type.kind === "float" ? "double precision" : "numeric"}))::integer`,
        int(-1n, 1n),
        "integer",
        [a],
      );
    }
    case "CEIL":
    case "CEILING":
    case "FLOOR": {
      const a = asNumber(first);
      if (a.type.kind === "int") return a;
      if (a.type.kind === "float") return refuse(`${name}() of a floating-point number, which may be minus zero`);
      const { precision, scale } = decimalOf(a.type);
      if (precision - scale > 17) return refuse(`${name}() of so many digits`);
      const most = 10n ** BigInt(precision - scale);
      return made(`(${name === "FLOOR" ? "floor" : "ceil"}(${a.sql}))::bigint`, int(-most, most), "bigint", [a]);
    }
    case "ROUND":
    case "TRUNCATE":
      return rounded(name, first, second);
    default:
      return undefined;
  }
}

function rounded(name: "ROUND" | "TRUNCATE", first: Term, second: Term | undefined): Term {
  const digits = second === undefined ? 0 : constantNumber(second);
  if (digits === undefined || digits < 0 || digits > 30) return refuse(`${name}() to what is no literal from 0 to 30`);
  if (name === "ROUND" && first.unrounded !== undefined && first.type.kind === "decimal") {
    const shown = first.type.scale ?? 0;
    if (digits > shown) return refuse("ROUND() of a quotient to more digits than it shows");
    return made(first.unrounded(digits), { ...first.type, scale: digits }, "numeric", [first], { nullable: true });
  }
  const a = asNumber(first);
  if (a.type.kind === "int") return a;
  if (a.type.kind === "float") return refuse(`${name}() of a floating-point number`);
  const { precision, scale } = decimalOf(a.type);
  const kept = Math.min(digits, scale);
  const type: Type = { kind: "decimal", precision: precision - scale + 1 + kept, scale: kept };
  return made(`${name === "ROUND" ? "round" : "trunc"}(${a.sql}, ${kept})`, type, "numeric", [a]);
}

function ofTime(name: string, args: readonly Term[]): Term | undefined {
  switch (name) {
    case "NOW":
    case "SYSDATE":
      if (name === "SYSDATE") return refuse("SYSDATE() changes within a statement");
      return present("timestamp", constantNumber(args[0]) ?? 0);
    case "CURDATE":
      return present("date", 0);
    case "DATE_FORMAT":
      return args.length === 2 ? formatted(args[0] as Term, args[1] as Term) : undefined;
    case "JSON_OBJECT":
    case "JSON_ARRAY":
      if (args.length > 0) return refuse(`${name}() with values`);
      return {
        sql: name === "JSON_OBJECT" ? "'{}'::jsonb" : "'[]'::jsonb",
        type: { kind: "json" },
        form: "jsonb",
        nullable: false,
        stability: "immutable",
      };
    default:
      return args.length === 0 ? undefined : dateFunction(name, args);
  }
}
