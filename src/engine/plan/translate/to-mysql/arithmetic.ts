import { digitsIn, larger, resultDigits, resultRange, smaller } from "../numbers.ts";
import { refuse } from "../refusal.ts";
import { formatType, least64, most64, type Type } from "../types.ts";
import { type MysqlContext, type MysqlTerm, made } from "./term.ts";

/** Numbers. PostgreSQL counts whole numbers in the wider side's type and fails beyond it; MySQL counts on in 64 bits. */

type Int = Extract<Type, { kind: "int" }>;
type Decimal = Extract<Type, { kind: "decimal" }>;

const written = (digits: string): string => (digits.startsWith("-") ? `(${digits})` : digits);

export function number(digits: string): MysqlTerm {
  if (/e/i.test(digits)) return refuse("a number with an exponent");
  if (digits.includes(".")) return decimalNumber(digits);
  const value = BigInt(digits);
  if (value < least64 || value > most64) return refuse("a number above bigint's");
  const bits = value >= -(2n ** 31n) && value < 2n ** 31n ? 32n : 64n;
  return { sql: written(digits), type: heldIn(bits, value, value), nullable: false, constant: digits };
}

/** A literal of the type numeric: without a point MySQL would take it for a whole number. */
export function decimalNumber(digits: string): MysqlTerm {
  const [whole = "", fraction = ""] = digits.replace("-", "").split(".");
  if (fraction.length > 30 || whole.length + fraction.length > 65)
    return refuse("a decimal of more digits than MySQL holds");
  const type: Decimal = { kind: "decimal", precision: whole.length + fraction.length, scale: fraction.length };
  const sql = fraction === "" ? decimal(digits, type) : written(digits);
  return { sql, type, nullable: false, constant: digits };
}

const decimal = (sql: string, { precision, scale }: Decimal): string =>
  `CAST(${sql} AS DECIMAL(${precision},${scale}))`;

/** A whole number as PostgreSQL's numeric, which divides with a fraction and ends beyond 64 bits. */
export function asDecimal(term: MysqlTerm): MysqlTerm {
  const type: Decimal = { kind: "decimal", ...digitsOf(term) };
  return made(decimal(term.sql, type), type, [term]);
}

/** A literal as it is written, where what it meets tells MySQL that it is no whole number, or where that is all the same. */
export const plainly = ({ type, constant, sql }: MysqlTerm): string =>
  type.kind === "decimal" && constant !== undefined ? written(constant) : sql;

/** A whole number of a type of PostgreSQL's, with less than its range. */
export const heldIn = (bits: bigint, min: bigint, max: bigint): Int => ({
  kind: "int",
  min,
  max,
  unsigned: false,
  bits,
});

/** Of the type that PostgreSQL holds it in. */
export function bitsOf({ min, max, bits }: Int): bigint {
  if (bits !== undefined) return bits;
  if (min < -(2n ** 31n) || max >= 2n ** 31n) return 64n;
  return min >= -32768n && max <= 32767n ? 16n : 32n;
}

export function arithmetic(context: MysqlContext, op: string, a: MysqlTerm, b: MysqlTerm): MysqlTerm {
  if (a.type.kind === "int" && b.type.kind === "int") {
    if (op === "/" || op === "%") return divided(op, [a, a.type], [b, b.type]);
    return whole(context, op, [a, a.type], [b, b.type]);
  }
  if (op === "/" || op === "%") return refuse(`${op} of decimals, which have other digits`);
  const type = resultDigits(op, digitsOf(a), digitsOf(b));
  const beside = (term: MysqlTerm, { type, constant }: MysqlTerm) =>
    type.kind === "decimal" && constant === undefined ? plainly(term) : term.sql;
  return made(`(${beside(a, b)} ${op} ${beside(b, a)})`, type, [a, b]);
}

function divided(op: "/" | "%", [a, x]: [MysqlTerm, Int], [b, y]: [MysqlTerm, Int]): MysqlTerm {
  if (b.constant === undefined || BigInt(b.constant) < 1n)
    return refuse(`${op} by what is no literal above zero, where PostgreSQL may fail`);
  return made(`(${a.sql} ${op === "/" ? "DIV" : "%"} ${b.sql})`, heldIn(larger(bitsOf(x), bitsOf(y)), x.min, x.max), [
    a,
    b,
  ]);
}

function whole(context: MysqlContext, op: string, [a, x]: [MysqlTerm, Int], [b, y]: [MysqlTerm, Int]): MysqlTerm {
  const { min, max } = resultRange(op, x, y);
  const bits = larger(bitsOf(x), bitsOf(y));
  const [least, most] = [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  if (bits < 64n && (min < least || max > most))
    context.beyond(`${op} of whole numbers, where PostgreSQL fails beyond its type and MySQL counts on`);
  return made(`(${a.sql} ${op} ${b.sql})`, heldIn(bits, larger(min, least), smaller(max, most)), [a, b]);
}

/** Digits that a number has at most. Errors: Refusal where that is not known. */
export const digitsOf = ({ type }: MysqlTerm): { precision: number; scale: number } =>
  digitsIn(type) ?? refuse(`arithmetic of ${formatType(type)}`);
