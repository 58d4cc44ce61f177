import { larger } from "../numbers.ts";
import { refuse } from "../refusal.ts";
import type { FunctionCall } from "../tree.ts";
import { int, least64, type Type, text } from "../types.ts";
import { chosen, coalesced, extreme, nullIf } from "./choices.ts";
import { dateFunction, formatted, present } from "./dates.ts";
import { ofText } from "./functions-text.ts";
import { arithmetic, constantNumber, decimalOf } from "./numbers.ts";
import { asNumber, condition, made, type PostgresContext, type PostgresTerm } from "./term.ts";

/** MySQL's functions. What is not here is refused by name. */

export function callFunction(context: PostgresContext, call: FunctionCall): PostgresTerm {
  if (call.schema !== undefined && call.schema.toLowerCase() !== "sys")
    return refuse(`the function ${call.schema}.${call.name} is the source's own`);
  if (ofSequences.has(call.name)) return refuse(`${call.name}() draws from a sequence`);
  const args = call.args.map((arg) => context.term(arg));
  const found =
    (context.catalogue ? fresh(call.name, args) : undefined) ??
    logic(context, call.name, args) ??
    ofText(context, call.name, args) ??
    ofNumbers(call.name, args) ??
    ofTime(call.name, args);
  return found ?? refuse(`the function ${call.name}() is not translated`);
}

/** What they take looks like a column. */
const ofSequences = new Set(["NEXTVAL", "LASTVAL", "SETVAL"]);

/** UUIDs that a default draws: any fresh one, since what it is made of differs. */
function fresh(name: string, args: readonly PostgresTerm[]): PostgresTerm | undefined {
  const [only] = args;
  if (name === "UUID" && only === undefined)
    return made("(gen_random_uuid())::text", text(undefined, true), "text", [], { stability: "volatile" });
  if (name !== "UUID_TO_BIN" || only?.sql !== "(gen_random_uuid())::text") return undefined;
  return { ...only, sql: "uuid_send(gen_random_uuid())", type: { kind: "bytes" }, form: "bytea", length: 16 };
}

function logic(context: PostgresContext, name: string, args: readonly PostgresTerm[]): PostgresTerm | undefined {
  const [a, b, c] = args as [PostgresTerm, PostgresTerm, PostgresTerm];
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

function ofNumbers(name: string, args: readonly PostgresTerm[]): PostgresTerm | undefined {
  if (args.length === 0) return undefined;
  const [first, second] = args as [PostgresTerm, PostgresTerm | undefined];
  switch (name) {
    case "MOD":
      return second === undefined ? undefined : arithmetic("%", first, second);
    case "ABS": {
      const a = asNumber(first);
      if (a.type.kind !== "int") return made(`abs(${a.sql})`, a.type, a.form, [a]);
      if (a.type.min === least64) return refuse("ABS() of a bigint, which may be out of range");
      const most = larger(a.type.max, -a.type.min);
      const form = a.form === "smallint" ? "integer" : a.form === "integer" ? "bigint" : a.form;
      const wide = form === a.form ? a.sql : `(${a.sql})::${form}`;
      return made(`abs(${wide})`, int(0n, most, a.type.unsigned), form, [a]);
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
      if (a.belowUnsigned) return refuse(`${name}() of a difference with unsigned numbers, which may be below zero`);
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

function rounded(name: "ROUND" | "TRUNCATE", first: PostgresTerm, second: PostgresTerm | undefined): PostgresTerm {
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
  // To more digits than there are: MariaDB's text then has zeros.
  const more = digits > scale ? { branchDigits: true } : {};
  return made(`${name === "ROUND" ? "round" : "trunc"}(${a.sql}, ${kept})`, type, "numeric", [a], more);
}

function ofTime(name: string, args: readonly PostgresTerm[]): PostgresTerm | undefined {
  switch (name) {
    case "NOW":
    case "SYSDATE":
      if (name === "SYSDATE") return refuse("SYSDATE() changes within a statement");
      return present("timestamp", constantNumber(args[0]) ?? 0);
    case "CURDATE":
      return present("date", 0);
    case "DATE_FORMAT":
      return args.length === 2 ? formatted(args[0] as PostgresTerm, args[1] as PostgresTerm) : undefined;
    case "JSON_OBJECT":
    case "JSON_ARRAY":
      if (args.length > 0) return refuse(`${name}() with values`);
      return made(name === "JSON_OBJECT" ? "'{}'::jsonb" : "'[]'::jsonb", { kind: "json" }, "jsonb", []);
    default:
      return args.length === 0 ? undefined : dateFunction(name, args);
  }
}
