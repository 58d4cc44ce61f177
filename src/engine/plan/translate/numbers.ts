import { refuse } from "./refusal.ts";
import type { Type } from "./types.ts";

/** Arithmetic that both directions do alike, with whole numbers beyond what Math takes. */

export const smaller = (a: bigint, b: bigint): bigint => {
  if (a < b) return a;
  return b;
};

export const larger = (a: bigint, b: bigint): bigint => {
  if (a > b) return a;
  return b;
};

interface Range {
  min: bigint;
  max: bigint;
}

/** Between which numbers the result is. */
export function resultRange(op: string, x: Range, y: Range): Range {
  const corners = [x.min, x.max].flatMap((left) =>
    [y.min, y.max].map((right) => (op === "+" ? left + right : op === "-" ? left - right : left * right)),
  );
  return { min: corners.reduce(smaller), max: corners.reduce(larger) };
}

interface Digits {
  precision: number;
  scale: number;
}

/** Digits that a number has at most. Undefined: not known. */
export function digitsIn(type: Type): Digits | undefined {
  if (type.kind === "int") return { precision: String(larger(type.max, -type.min)).length, scale: 0 };
  if (type.kind !== "decimal" || type.scale === undefined) return undefined;
  return { precision: type.precision, scale: type.scale };
}

/** The decimal that MySQL makes of two by + - or *. */
export function resultDigits(op: string, x: Digits, y: Digits): Digits & { kind: "decimal" } {
  const scale = op === "*" ? x.scale + y.scale : Math.max(x.scale, y.scale);
  const integral = Math.max(x.precision - x.scale, y.precision - y.scale) + 1;
  const precision = op === "*" ? x.precision + y.precision : integral + scale;
  if (precision > 65 || scale > 30) return refuse("a decimal of more digits than MySQL holds");
  return { kind: "decimal", precision, scale };
}
