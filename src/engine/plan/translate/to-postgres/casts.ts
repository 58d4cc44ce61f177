import { refuse } from "../refusal.ts";
import type { TypeName } from "../tree.ts";
import { int, most64, type Type } from "../types.ts";
import { asDate, dated } from "./dates.ts";
import { decimalOf } from "./numbers.ts";
import { asNumber, asText, made, type PostgresTerm } from "./term.ts";

/** CAST, where no value can be cut, clamped or guessed at. */

export function castTo(term: PostgresTerm, type: TypeName): PostgresTerm {
  switch (type.name) {
    case "signed":
    case "signed integer":
    case "unsigned":
    case "unsigned integer":
      return whole(term, type.name.startsWith("unsigned"));
    case "decimal":
      return decimal(term, type.arguments[0] || 10, type.arguments[1] ?? 0);
    case "char":
      return characters(term, type);
    case "date":
      return asDate(term);
    case "datetime": {
      const value = dated(term);
      const digits = type.arguments[0] ?? 0;
      if (value.type.kind === "datetime" && value.type.digits > digits)
        return refuse("CAST to a datetime of fewer digits");
      return made(`(${value.sql})::timestamp`, { kind: "datetime", digits, zoned: false }, "timestamp", [value]);
    }
    case "double": {
      const number = asNumber(term);
      return made(`(${number.sql})::double precision`, { kind: "float", bits: 64 }, "double", [number]);
    }
    default:
      return refuse(`CAST to ${type.name}`);
  }
}

function whole(term: PostgresTerm, unsigned: boolean): PostgresTerm {
  const number = asNumber(term);
  const { type } = number;
  if (type.kind === "int") {
    if (unsigned && type.min < 0n) return refuse("CAST to UNSIGNED of a number that may be below zero");
    if (type.max > most64) return refuse("CAST of a number above bigint's");
    return made(`(${number.sql})::bigint`, int(type.min, type.max, unsigned), "bigint", [number]);
  }
  if (type.kind !== "decimal" || unsigned) return refuse("CAST of a number that MySQL may clamp");
  const { precision, scale } = decimalOf(type);
  if (precision - scale > 17) return refuse("CAST of a number that MySQL may clamp");
  const most = 10n ** BigInt(precision - scale);
  return made(`(${number.sql})::bigint`, int(-most, most), "bigint", [number]);
}

function decimal(term: PostgresTerm, precision: number, scale: number): PostgresTerm {
  const rounded = term.unrounded !== undefined && term.type.kind === "decimal" && scale <= (term.type.scale ?? 0);
  const number = rounded ? term : asNumber(term);
  if (number.type.kind === "float") return refuse("CAST of a floating-point number to DECIMAL");
  const from = decimalOf(number.type);
  const grows = from.scale > scale ? 1 : 0;
  if (from.precision - from.scale + grows > precision - scale) return refuse("CAST to a DECIMAL that MySQL may clamp");
  const sql = number.unrounded === undefined ? number.sql : number.unrounded(scale);
  return made(`(${sql})::numeric(${precision},${scale})`, { kind: "decimal", precision, scale }, "numeric", [number]);
}

function characters(term: PostgresTerm, type: TypeName): PostgresTerm {
  if (type.charset === "binary") return refuse("CAST to binary text");
  const written = asText(term);
  const from = written.type as Extract<Type, { kind: "text" }>;
  if (type.charset !== undefined && !/^utf8(mb[34])?$/.test(type.charset))
    return refuse(`CAST to the character set ${type.charset}`);
  // The result has a collation that depends on the session or the character set.
  const result: Type = { kind: "text", collation: from.collation, ascii: from.ascii };
  const [length] = type.arguments;
  return made(length === undefined ? written.sql : `left(${written.sql}, ${length})`, result, "text", [written]);
}
