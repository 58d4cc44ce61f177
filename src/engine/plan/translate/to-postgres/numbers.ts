import { digitsIn, larger, resultDigits, resultRange, smaller } from "../numbers.ts";
import { refuse } from "../refusal.ts";
import { int, least64, most64, type Type } from "../types.ts";
import { asNumber, integerForm, made, type PostgresTerm, type ValueForm } from "./term.ts";

/** Arithmetic. MySQL counts whole numbers in 64 bits, divides them into decimals, and gives NULL for a division by zero. */

type Int = Extract<Type, { kind: "int" }>;

/** A whole number as the decimal that MySQL makes of it. */
export const decimalOf = (type: Type) => ({
  kind: "decimal" as const,
  ...(digitsIn(type) ?? refuse("the number of digits of a decimal is not known")),
});

export function arithmetic(op: string, first: PostgresTerm, second: PostgresTerm): PostgresTerm {
  const a = asNumber(first);
  const b = asNumber(second);
  if (op === "DIV" || op === "%") return remainder(op, a, b);
  if (op === "/") return quotient(a, b);
  if (a.type.kind === "float" || b.type.kind === "float") {
    return made(`(${double(a)} ${op} ${double(b)})`, { kind: "float", bits: 64 }, "double", [a, b]);
  }
  if (a.type.kind === "int" && b.type.kind === "int") return whole(op, a, a.type, b, b.type);
  const x = decimalOf(a.type);
  const y = decimalOf(b.type);
  return made(`(${numeric(a)} ${op} ${numeric(b)})`, resultDigits(op, x, y), "numeric", [a, b], {
    fixedDigits: hasFixedDigits(a) && hasFixedDigits(b) && (op === "*" || !mayLackDigits(a, x, b, y)),
    shortZero: true,
    ...(op === "-" && (a.unsigned || b.unsigned) ? { belowUnsigned: true } : {}),
  });
}

/** Whether a sum's last digits come from a side alone that has none where it is zero. */
const mayLackDigits = (a: PostgresTerm, x: { scale: number }, b: PostgresTerm, y: { scale: number }): boolean =>
  x.scale !== y.scale && (x.scale > y.scale ? a : b).shortZero === true;

export const hasFixedDigits = ({ type, constant, fixedDigits }: PostgresTerm): boolean =>
  type.kind === "int" || constant !== undefined || fixedDigits === true;

/** A float's arithmetic is always that of doubles. */
export const double = (term: PostgresTerm): string =>
  term.form === "double" ? term.sql : `(${term.sql})::double precision`;

export const numeric = (term: PostgresTerm): string => (term.form === "numeric" ? term.sql : `(${term.sql})::numeric`);

/** Not as a smallint, in whose 16 bits PostgreSQL would count and fail. */
const atLeast32 = (term: PostgresTerm): string => (term.form === "smallint" ? `(${term.sql})::integer` : term.sql);

function whole(op: string, a: PostgresTerm, x: Int, b: PostgresTerm, y: Int): PostgresTerm {
  const { min, max } = resultRange(op, x, y);
  const unsigned = x.unsigned || y.unsigned;
  // MySQL fails below zero where one side is unsigned; PostgreSQL would go on.
  if (unsigned && min < 0n) refuse("unsigned numbers whose result may be below zero, where MySQL fails");
  if (unsigned && max > most64) refuse("unsigned numbers whose result may be above what bigint holds");
  const form = min < least64 || max > most64 ? "bigint" : integerForm(min, max);
  const cast = (term: PostgresTerm) =>
    form === "bigint" && term.form !== "bigint"
      ? `(${term.sql})::bigint`
      : term.form === "numeric"
        ? `(${term.sql})::bigint`
        : term.sql;
  const bounded = int(larger(min, least64), smaller(max, most64), unsigned);
  const left = form === "integer" && b.form === "smallint" ? atLeast32(a) : cast(a);
  return made(`(${left} ${op} ${cast(b)})`, bounded, form, [a, b]);
}

function remainder(op: "DIV" | "%", a: PostgresTerm, b: PostgresTerm): PostgresTerm {
  if (a.type.kind === "float" || b.type.kind === "float") refuse(`${op} of floating-point numbers`);
  const divisor = (sql: string) => (constantNotZero(b) ? sql : `nullif(${sql}, 0)`);
  const nullable = a.nullable || b.nullable || !constantNotZero(b);
  if (a.type.kind === "int" && b.type.kind === "int") {
    const [type, form] = wholeRemainder(op, [a.type, b.type], [a.form, b.form]);
    const narrow = b.form === "smallint" ? atLeast32(a) : a.sql;
    const left = form === "bigint" && a.form !== "bigint" ? `(${a.sql})::bigint` : narrow;
    return made(`(${left} ${op === "DIV" ? "/" : "%"} ${divisor(b.sql)})`, type, form, [a, b], { nullable });
  }
  if (op === "DIV") refuse("DIV of decimals");
  const x = decimalOf(a.type);
  const y = decimalOf(b.type);
  const scale = Math.max(x.scale, y.scale);
  const type: Type = { kind: "decimal", precision: Math.max(x.precision, y.precision) + scale, scale };
  return made(`(${numeric(a)} % ${divisor(numeric(b))})`, type, "numeric", [a, b], {
    nullable,
    minusZero: true,
  });
}

/** What whole numbers make of each other by DIV or %, and how PostgreSQL holds it. */
function wholeRemainder(op: "DIV" | "%", [x, y]: [Int, Int], held: readonly ValueForm[]): [Type, ValueForm] {
  const negative = x.min < 0n || y.min < 0n;
  if ((x.unsigned || y.unsigned) && negative) refuse(`${op} of an unsigned number and one that may be below zero`);
  // The smallest bigint by -1 fails in one engine only.
  if (op === "DIV" && x.min === least64 && y.min <= -1n && y.max >= -1n) refuse("DIV by a number that may be -1");
  if (held.includes("numeric")) refuse(`${op} of numbers above bigint's`);
  const magnitude = larger(x.max, -x.min);
  const least = (op === "DIV" ? negative : x.min < 0n) ? -magnitude : 0n;
  const unsigned = x.unsigned || (op === "DIV" && y.unsigned);
  return [int(least, magnitude, unsigned), held.includes("bigint") ? "bigint" : integerForm(least, magnitude)];
}

/** A literal's value. */
export const constantNumber = (term: PostgresTerm | undefined): number | undefined =>
  term?.constant !== undefined && "number" in term.constant && /^-?\d{1,9}$/.test(term.constant.number)
    ? Number(term.constant.number)
    : undefined;

const constantNotZero = (term: PostgresTerm): boolean =>
  term.constant !== undefined && "number" in term.constant && Number(term.constant.number) !== 0;

/** MySQL's div_precision_increment, whose default nearly nobody changes; the view's or table's text does not tell it. */
const increment = 4;

/**
 * MySQL rounds a quotient to four digits more than the dividend has. PostgreSQL's own quotient has another length and
 * would be rounded twice, so whole numbers are divided: exact, half away from zero.
 */
function quotient(a: PostgresTerm, b: PostgresTerm): PostgresTerm {
  if (a.type.kind === "float" || b.type.kind === "float") {
    return made(`(${double(a)} / nullif(${double(b)}, 0))`, { kind: "float", bits: 64 }, "double", [a, b], {
      nullable: true,
    });
  }
  if (!hasFixedDigits(a) || !hasFixedDigits(b))
    refuse("a quotient of what may come with fewer digits than its type has, which then has fewer, too");
  const x = decimalOf(a.type);
  const y = decimalOf(b.type);
  const scale = x.scale + increment;
  const precision = x.precision + y.scale + increment;
  if (precision > 65 || scale > 30) refuse("a quotient of more digits than MySQL holds");
  // MySQL counts digits by nines: where these are as many as it shows, the last one is cut and not rounded.
  if (y.scale === 0 && scale % 9 === 0) refuse("a quotient whose last digit MySQL cuts off");
  const left = numeric(a);
  const right = numeric(b);
  const rounded = (digits: number): string => {
    const scaled = `div(abs(${left}) * 2${"0".repeat(digits)} + abs(${right}), abs(${right}) * 2)`;
    const unit = digits === 0 ? "1" : `0.${"0".repeat(digits - 1)}1`;
    return `(sign(${left}) * sign(${right}) * CASE WHEN ${right} <> 0 THEN ${scaled} END * ${unit})`;
  };
  return made(rounded(scale), { kind: "decimal", precision, scale }, "numeric", [a, b], {
    nullable: true,
    unrounded: rounded,
  });
}

export function negated(term: PostgresTerm): PostgresTerm {
  const a = asNumber(term);
  if (a.constant !== undefined && "number" in a.constant) {
    const number = a.constant.number.startsWith("-") ? a.constant.number.slice(1) : `-${a.constant.number}`;
    const type: Type = a.type.kind === "int" ? int(-a.type.max, -a.type.min) : a.type;
    return { ...a, sql: `(${number})`, type, constant: { number } };
  }
  if (a.type.kind === "int") {
    if (a.type.unsigned) refuse("the negative of an unsigned number");
    const { min, max } = a.type;
    if (min === least64) refuse("the negative of a bigint, which may be out of range");
    const form = integerForm(-max, -min);
    return made(
      `(- ${form === "bigint" && a.form !== "bigint" ? `(${a.sql})::bigint` : atLeast32(a)})`,
      int(-max, -min),
      form,
      [a],
    );
  }
  if (a.type.kind === "float") return made(`(- ${double(a)})`, { kind: "float", bits: 64 }, "double", [a]);
  return made(`(- ${a.sql})`, a.type, a.form, [a]);
}

/** MySQL's bits are those of an unsigned 64-bit number: the same only while no sign is in play. */
export function bitwise(op: string, first: PostgresTerm, second: PostgresTerm): PostgresTerm {
  const a = asNumber(first);
  const b = asNumber(second);
  if (a.type.kind !== "int" || b.type.kind !== "int") return refuse(`${op} of what is no whole number`);
  const [x, y] = [a.type, b.type];
  const wide = (term: PostgresTerm) => (term.form === "bigint" ? term.sql : `(${term.sql})::bigint`);
  if (x.max > most64 || y.max > most64) refuse(`${op} of numbers above bigint's`);
  if (op === "&") {
    if (x.min < 0n && y.min < 0n) refuse("& of numbers that may both be below zero");
    const max = x.min < 0n ? y.max : y.min < 0n ? x.max : smaller(x.max, y.max);
    return made(`(${wide(a)} & ${wide(b)})`, int(0n, max, true), "bigint", [a, b]);
  }
  if (x.min < 0n || y.min < 0n) refuse(`${op} of a number that may be below zero`);
  if (op === ">>" || op === "<<") {
    const by = b.constant !== undefined && "number" in b.constant ? Number(b.constant.number) : -1;
    if (by < 0 || by > 62) return refuse(`${op} by what is no small number`);
    const max = op === "<<" ? x.max << BigInt(by) : x.max >> BigInt(by);
    if (max > most64) refuse("<< beyond bigint");
    return made(`(${wide(a)} ${op} ${by})`, int(0n, max, true), "bigint", [a, b]);
  }
  const bits = larger(x.max, y.max).toString(2).length;
  const max = smaller(2n ** BigInt(bits) - 1n, most64);
  return made(`(${wide(a)} ${op === "^" ? "#" : "|"} ${wide(b)})`, int(0n, max, true), "bigint", [a, b]);
}
