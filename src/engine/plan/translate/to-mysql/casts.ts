import { named } from "../../../contract/text/own-property.ts";
import { refuse } from "../refusal.ts";
import type { TypeName } from "../tree.ts";
import { formatType } from "../types.ts";
import { asDecimal, decimalNumber, heldIn, number } from "./arithmetic.ts";
import { asBytes, isPlainText, type MysqlContext, type MysqlTerm, made } from "./term.ts";

/** Casts that change no value, and literals of a type. */

export function cast(context: MysqlContext, term: MysqlTerm, type: TypeName): MysqlTerm {
  if (type.array) return refuse("arrays are not translated");
  const rule = named(casts, type.name);
  if (rule !== undefined)
    return rule(context, term, type) ?? refuse(`a cast of ${formatType(term.type)} to ${type.name}`);
  // An enum's literal: MySQL compares it with the labels.
  const literal = literalOf(term);
  if (literal === undefined || !/^[\w.]+$/.test(type.name)) return refuse(`a cast to ${type.name}`);
  return { ...term, type: { kind: "enum", labels: [literal], collation: undefined, name: type.name } };
}

const literalOf = ({ type, constant }: MysqlTerm): string | undefined => (type.kind === "text" ? constant : undefined);

type Rule = (context: MysqlContext, term: MysqlTerm, type: TypeName) => MysqlTerm | undefined;

const text: Rule = (context, term, type) => {
  if (type.arguments.length > 0) return refuse("a cast that cuts text");
  if (isPlainText(term) || term.type.kind === "enum") return term;
  if (term.type.kind === "text") return refuse("character(n), whose trailing spaces do not count");
  if (term.type.kind === "null") return { ...term, type: { kind: "text", collation: undefined, ascii: true } };
  const exact = term.type.kind === "int" || (term.type.kind === "decimal" && term.type.scale !== undefined);
  if (!exact) return undefined;
  const written = asBytes(context, { sql: `CAST(${term.sql} AS CHAR CHARACTER SET utf8mb4)` });
  return made(written, { kind: "text", collation: undefined, ascii: true }, [term]);
};

const whole =
  (bits: bigint): Rule =>
  (_, term, type) => {
    const literal = literalOf(term);
    const [least, most] = [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
    if (literal !== undefined && /^-?\d{1,18}$/.test(literal))
      return { ...number(literal), type: heldIn(bits, BigInt(literal), BigInt(literal)) };
    const range = wholeRange(term);
    if (range === undefined) return undefined;
    if (range.min < least || range.max > most) return refuse(`a cast to ${type.name} that may fail`);
    // PostgreSQL counts on in the type that is cast to.
    const held = heldIn(bits, range.min, range.max);
    // Both round half away from zero.
    return term.type.kind === "int" ? { ...term, type: held } : made(`CAST(${term.sql} AS SIGNED)`, held, [term]);
  };

/** Of a number's whole part, rounded. */
function wholeRange({ type }: MysqlTerm): { min: bigint; max: bigint } | undefined {
  if (type.kind === "int") return type;
  if (type.kind !== "decimal" || type.scale === undefined) return undefined;
  const most = 10n ** BigInt(Math.max(0, type.precision - type.scale)) - (type.scale === 0 ? 1n : 0n);
  return { min: -most, max: most };
}

const numeric: Rule = (_, term, type) => {
  if (type.arguments.length > 0) return refuse("a cast that rounds");
  const literal = term.type.kind === "int" ? term.constant : literalOf(term);
  if (literal !== undefined && /^-?\d{1,30}(\.\d{1,30})?$/.test(literal)) return decimalNumber(literal);
  if (term.type.kind === "int") return asDecimal(term);
  return term.type.kind === "decimal" ? term : undefined;
};

const date: Rule = (_, term) => {
  const literal = literalOf(term);
  if (literal !== undefined && isRealDate(literal))
    return { sql: `DATE'${literal}'`, type: { kind: "date" }, nullable: false, constant: literal };
  if (term.type.kind === "date") return term;
  if (term.type.kind !== "datetime" || term.type.zoned) return undefined;
  return made(`CAST(${term.sql} AS DATE)`, { kind: "date" }, [term]);
};

const timestamp: Rule = (_, term, type) => {
  const literal = literalOf(term);
  const [, day = "", fraction = ""] =
    /^(\d{4}-\d\d-\d\d) (?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.(\d{1,6}))?$/.exec(literal ?? "") ?? [];
  if (literal !== undefined && isRealDate(day))
    return {
      sql: `TIMESTAMP'${literal}'`,
      type: { kind: "datetime", digits: fraction.length, zoned: false },
      nullable: false,
      constant: literal,
    };
  if (type.arguments.length > 0) return undefined;
  if (term.type.kind === "date")
    return made(`CAST(${term.sql} AS DATETIME)`, { kind: "datetime", digits: 0, zoned: false }, [term]);
  return term.type.kind === "datetime" && !term.type.zoned ? term : undefined;
};

const casts: Record<string, Rule> = {
  text,
  // What PostgreSQL prints for literals without a type.
  unknown: text,
  "character varying": text,
  smallint: whole(16n),
  integer: whole(32n),
  bigint: whole(64n),
  numeric,
  date,
  "timestamp without time zone": timestamp,
  boolean: (_, term) => (term.type.kind === "boolean" ? term : undefined),
};

function isRealDate(written: string): boolean {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(written) ?? [];
  if (year === undefined || Number(year) < 1 || Number(month) < 1 || Number(month) > 12 || Number(day) < 1)
    return false;
  return Number(day) <= new Date(Date.UTC(Number(year), Number(month), 0)).getUTCDate();
}
