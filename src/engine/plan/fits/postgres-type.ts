import { intervalUnits, type ValueType } from "./types.ts";

/** A type of PostgreSQL below its domains, as format_type writes it, in the words of types.ts. Pure. */

const integers: Record<string, [low: bigint, high: bigint]> = {
  smallint: [-(2n ** 15n), 2n ** 15n - 1n],
  integer: [-(2n ** 31n), 2n ** 31n - 1n],
  bigint: [-(2n ** 63n), 2n ** 63n - 1n],
  oid: [0n, 2n ** 32n - 1n],
};

/** `enumerated`: a type of labels, which the server itself compares. */
export function postgresValueType(written: string, enumerated = false): ValueType {
  if (enumerated) return { is: "labels", many: false, labels: [] };
  const { name, size } = parsed(written);
  const [first, second] = size;
  const range = integers[name];
  if (range !== undefined) return { is: "integer", low: range[0], high: range[1] };
  const fraction = first ?? 6;
  switch (name) {
    case "numeric":
      return first === undefined
        ? { is: "decimal", scale: 0 }
        : { is: "decimal", precision: first, scale: second ?? 0 };
    case "money":
      return { is: "decimal", precision: 19, scale: 2 };
    case "real":
      return { is: "float", bits: 24 };
    case "double precision":
      return { is: "float", bits: 53 };
    case "boolean":
      return { is: "boolean" };
    case "text":
    case "citext":
      return { is: "text", spaces: "kept" };
    case "character varying":
      return { is: "text", spaces: "kept", ...(first === undefined ? {} : { characters: first }) };
    // Its name where no length is known.
    case "bpchar":
      return { is: "text", spaces: "filled", ...(first === undefined ? {} : { characters: first }) };
    case "character":
      return { is: "text", spaces: "filled", characters: first ?? 1 };
    case "char":
      // A byte that is no ASCII is written as four characters.
      return { is: "text", spaces: "kept", bytes: 1, characters: 4 };
    case "name":
      return { is: "text", spaces: "kept", bytes: 63 };
    case "bytea":
      return { is: "bytes", fixed: false };
    case "bit":
      return { is: "bits", varying: false, most: first ?? 1 };
    case "bit varying":
      return { is: "bits", varying: true, ...(first === undefined ? {} : { most: first }) };
    case "date":
      return { is: "date" };
    case "timestamp without time zone":
    case "timestamp with time zone":
      return { is: "timestamp", fraction, zone: name.endsWith("with time zone") };
    case "time without time zone":
    case "time with time zone":
      return { is: "time", fraction, zone: name.endsWith("with time zone") };
    default:
      if (/^interval\b/.test(name)) {
        const unit = intervalUnits.indexOf(/(?<!\w)(\w+)$/.exec(name)?.[1] ?? "");
        return { is: "interval", fraction, ...(unit < 0 ? {} : { unit }) };
      }
      return { is: "other", name: size.length > 0 ? written : name };
  }
}

/** Under `quote_all_identifiers`, which the engine's sessions set, most names come in double quotes. */
function parsed(written: string): { name: string; size: number[] } {
  const size = /\(([\d,\s-]+)\)/.exec(written);
  const bare = written.replace(/\([\d,\s-]+\)/, "").trim();
  const name = bare.replace(/^"(\w+)"((?:\[\])*)$/, "$1$2").replace(/^(?:\w+|"[^"]+")\."?citext"?$/, "citext");
  return { name, size: size?.[1]?.split(",").map(Number) ?? [] };
}
