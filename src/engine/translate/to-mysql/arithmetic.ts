import { larger, smaller } from "../numbers.ts";
import { refuse } from "../refusal.ts";
import { int, least64, most64, type Type, typeWords } from "../types.ts";
import { type Context, made, type Term } from "./term.ts";

/** Numbers. PostgreSQL counts whole numbers in the wider side's type and fails beyond it; MySQL counts on in 64 bits. */

type Int = Extract<Type, { kind: "int" }>;

export function number(digits: string): Term {
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
  const type: Type = { kind: "decimal", precision: whole.length + fraction.length, scale: fraction.length };
  return { sql: written, type, nullable: false, constant: digits };
}

export function arithmetic(context: Context, op: string, a: Term, b: Term): Term {
  if (a.type.kind === "int" && b.type.kind === "int") {
    if (op === "/" || op === "%") return divided(op, a, a.type, b);
    return whole(context, op, [a, a.type], [b, b.type]);
  }
  if (op === "/" || op === "%") return refuse(`${op} of decimals, which have other digits`);
  const [x, y] = [digitsOf(a), digitsOf(b)];
  const scale = op === "*" ? x.scale + y.scale : Math.max(x.scale, y.scale);
  const integral = Math.max(x.precision - x.scale, y.precision - y.scale) + 1;
  const precision = op === "*" ? x.precision + y.precision : integral + scale;
  if (precision > 65 || scale > 30) return refuse("a decimal of more digits than MySQL holds");
  return made(`(${a.sql} ${op} ${b.sql})`, { kind: "decimal", precision, scale }, [a, b]);
}

function divided(op: "/" | "%", a: Term, type: Int, b: Term): Term {
  if (b.constant === undefined || BigInt(b.constant) < 1n)
    return refuse(`${op} by what is no literal above zero, where PostgreSQL may fail`);
  return made(`(${a.sql} ${op === "/" ? "DIV" : "%"} ${b.sql})`, type, [a, b]);
}

function whole(context: Context, op: string, [a, x]: [Term, Int], [b, y]: [Term, Int]): Term {
  const corners = [x.min, x.max].flatMap((left) =>
    [y.min, y.max].map((right) => (op === "+" ? left + right : op === "-" ? left - right : left * right)),
  );
  const min = corners.reduce(smaller);
  const max = corners.reduce(larger);
  const bits = widthOf([a, x], [b, y]);
  const [least, most] = [-(2n ** (bits - 1n)), 2n ** (bits - 1n) - 1n];
  if (bits < 64n && (min < least || max > most))
    context.beyond(`${op} of whole numbers, where PostgreSQL fails beyond its type and MySQL counts on`);
  return made(`(${a.sql} ${op} ${b.sql})`, int(larger(min, least), smaller(max, most)), [a, b]);
}

/** Bits of the type that PostgreSQL counts in; a literal is an integer at least. */
function widthOf(...sides: readonly [Term, Int][]): bigint {
  if (sides.some(([, { min, max }]) => min < -(2n ** 31n) || max >= 2n ** 31n)) return 64n;
  const short = sides.every(
    ([{ constant }, { min, max }]) => constant === undefined && min >= -32768n && max <= 32767n,
  );
  return short ? 16n : 32n;
}

/** Digits that a number has at most. Errors: Refusal where that is not known. */
export function digitsOf({ type }: Term): { precision: number; scale: number } {
  if (type.kind === "int") return { precision: String(larger(type.max, -type.min)).length, scale: 0 };
  if (type.kind === "decimal" && type.scale !== undefined) return { precision: type.precision, scale: type.scale };
  return refuse(`arithmetic of ${typeWords(type)}`);
}
