import { named } from "../../contract/text/own-property.ts";
import { intoMysqlCharset } from "./charsets.ts";
import { type Labels, labelled, type Reader, reads } from "./text-conversion.ts";
import { type Check, type Fit, intervalUnits, type TextType, type ValueType } from "./types.ts";

/**
 * The table of rules. `reading`: the target's server, which reads the source's text as another sort of type, because the user named that type, or the
 * engines differ; otherwise values stay of one sort.
 */
export function fitOf(from: ValueType, to: ValueType, reading?: Reader): Fit {
  if (to.is === "text") return intoText(from, to, reading);
  if (from.is === "text") return reading ? reads(to, reading) : "never";
  if (isNumber(from)) {
    if (isNumber(to)) return intoNumber(from, to, reading);
    return reading && to.is === "boolean" && from.is === "integer" ? within(from, 0n, 1n) : "never";
  }
  switch (from.is) {
    case "boolean":
      return to.is === "boolean" ? "always" : "never";
    case "bytes":
      if (to.is === "other" && reading) return "always";
      return to.is === "bytes" ? intoBytes(from, to) : "never";
    case "bits":
      return intoBits(from, to);
    case "date":
      return intoDay(from, to);
    case "timestamp":
      return intoTime(from, to, reading);
    case "time":
      if (to.is === "interval" && reading) return intoInterval(from, to);
      if (to.is !== "time" || to.zone !== from.zone) return "never";
      // MySQL's TIME is a span as well.
      return both(fractions(from.fraction, to.fraction), reading === "postgres" ? [{ check: "clock" }] : "always");
    case "interval":
      return to.is === "interval" ? intoInterval(from, to) : "never";
    case "labels":
      return intoLabels(from, to, reading);
    default:
      return intoOther(from, to, reading);
  }
}

type NumberType = Extract<ValueType, { is: "integer" | "decimal" | "float" }>;
const isNumber = (type: ValueType): type is NumberType => /^(?:integer|decimal|float)$/.test(type.is);

/** The server's own types of one kind, which it reads from each other's text as they are. */
const widening = new Set([
  "jsonb json",
  "cidr inet",
  "geomcollection geometrycollection",
  "geometrycollection geomcollection",
]);

const intoOther = (from: Extract<ValueType, { is: "other" }>, to: ValueType, reading: Reader | undefined): Fit => {
  if (to.is !== "other") return reading ? reads(to, reading) : "never";
  return reading !== undefined || from.name === to.name || widening.has(`${from.name} ${to.name}`) ? "always" : "never";
};

function intoNumber(from: NumberType, to: NumberType, reading: Reader | undefined): Fit {
  if (to.is === "float") return both(intoFloat(from, to.bits, reading), intoPlaces(from, to));
  if (from.is === "float" && !reading) return "never";
  if (to.is === "decimal") return from.is === "integer" ? wholeIntoDecimal(from, to) : intoDecimal(from, to);
  if (from.is === "integer") return within(from, to.low, to.high);
  return [
    { check: "digits", of: from.is, after: 0 },
    { check: "range", low: to.low, high: to.high },
  ];
}

const within = (from: { low: bigint; high: bigint }, low: bigint, high: bigint): Fit =>
  from.low >= low && from.high <= high ? "always" : [{ check: "range", low, high }];

function intoFloat(from: NumberType, bits: number, reading: Reader | undefined): Fit {
  if (from.is === "float") {
    // The text of a real has fewer digits than the double of the same value.
    if (from.bits === bits || (from.bits < bits && reading)) return "always";
    return reading ? [{ check: "single" }] : "never";
  }
  if (!reading) return "never";
  if (from.is === "integer") return within(from, -(2n ** BigInt(bits)), 2n ** BigInt(bits));
  const kept = bits === 24 ? 6 : 15;
  return from.precision !== undefined && from.precision <= kept ? "always" : [{ check: "significant", bits }];
}

const both = (one: Fit, other: Fit): Fit => {
  if (one === "never" || other === "never") return "never";
  if (one === "always") return other;
  return other === "always" ? one : [...one, ...other];
};

/** FLOAT(M,D) and DOUBLE(M,D) round what they are given to so many digits, without a warning. */
function intoPlaces(from: NumberType, { bits, precision, scale }: Extract<ValueType, { is: "float" }>): Fit {
  if (precision === undefined || scale === undefined) return "always";
  const places: Decimal = { is: "decimal", precision, scale };
  if (from.is === "integer") return wholeIntoDecimal(from, places);
  if (from.is === "decimal") return intoDecimal(from, places);
  if (from.precision !== undefined && from.scale !== undefined) {
    const own: Decimal = { is: "decimal", precision: from.precision, scale: from.scale };
    if (intoDecimal(own, places) === "always") return "always";
  }
  return [
    { check: "digits", of: "float", before: before(places), after: scale, ...(bits === 24 ? { single: true } : {}) },
  ];
}

type Decimal = Extract<ValueType, { is: "decimal" }>;

/** Digits before the point that a type has room for; below 0, zeros behind it. */
const before = ({ precision = 0, scale }: Decimal) => precision - scale;

function wholeIntoDecimal(from: { low: bigint; high: bigint }, to: Decimal): Fit {
  if (to.precision === undefined) return "always";
  if (to.scale < 0) return [{ check: "digits", of: "decimal", before: before(to), after: to.scale }];
  const most = 10n ** BigInt(Math.max(0, before(to))) - 1n;
  return within(from, -most, most);
}

function intoDecimal(from: NumberType, to: Decimal): Fit {
  if (to.precision === undefined || from.is === "integer") return "always";
  if (from.is === "decimal" && from.precision !== undefined && to.scale >= from.scale && before(to) >= before(from))
    return "always";
  return [{ check: "digits", of: from.is, before: before(to), after: to.scale }];
}

function intoText(from: ValueType, to: TextType, reading: Reader | undefined): Fit {
  if (from.is === "text") return textIntoText(from, to);
  const most = Math.min(to.characters ?? largest, to.bytes ?? largest);
  const isBytes = from.is === "bytes";
  const long: Fit = widest(from) <= most ? "always" : [{ check: "characters", most, of: isBytes ? "bytes" : "other" }];
  return isBytes && reading === "postgres" ? both(long, [{ check: "encoded" }]) : long;
}

/** No value of either engine has more bytes. */
const largest = 2 ** 30;

const short: Record<string, number> = {
  uuid: 36,
  inet: 49,
  inet4: 15,
  inet6: 39,
  cidr: 49,
  macaddr: 17,
  macaddr8: 23,
  year: 4,
};

/** Characters of the longest text of a type that is no text. */
function widest(from: ValueType): number {
  switch (from.is) {
    case "integer":
      return Math.max(String(from.low).length, String(from.high).length);
    case "decimal":
      return from.precision === undefined ? largest : Math.max(from.precision, from.scale) + 3;
    case "float":
      return 25;
    case "boolean":
      return 5;
    case "date":
    case "timestamp":
    case "time":
      return 35;
    case "other":
      return named(short, from.name) ?? largest;
    case "bits":
      return from.most ?? largest;
    case "labels":
      if (from.labels.length === 0) return largest;
      return from.many
        ? from.labels.reduce((sum, label) => sum + label.length + 1, -1)
        : Math.max(...from.labels.map((label) => label.length));
    default:
      return largest;
  }
}

/** Bytes of a character, at most. */
const characterBytes = 4;

function textIntoText(from: TextType, to: TextType): Fit {
  const checks: Check[] = [];
  const long = from.characters ?? from.bytes;
  if (to.characters !== undefined && (long === undefined || long > to.characters)) {
    // Their length does not count the spaces that are cut.
    if (from.spaces === "filled" && to.spaces === "kept") return "never";
    checks.push({ check: "characters", most: to.characters, of: "text" });
  }
  if (to.bytes !== undefined && to.bytes < mostBytes(from, to)) {
    const charset = to.charset === undefined ? {} : { charset: to.charset };
    checks.push({ check: "bytes", most: to.bytes, of: "text", ...charset });
  }
  if (to.spaces !== "kept" && from.spaces === "kept") checks.push({ check: "spaces" });
  if (to.charset !== undefined && !intoMysqlCharset(from.charset, to.charset))
    checks.push({ check: "charset", charset: to.charset });
  else if (from.charset !== undefined && from.charset !== to.charset && !intoMysqlCharset(from.charset, "utf8mb4"))
    checks.push({ check: "charset", charset: "utf8mb4" });
  return checks.length === 0 ? "always" : checks;
}

const mostBytes = (from: TextType, to: TextType): number => {
  if (from.characters !== undefined) return from.characters * characterBytes;
  if (from.bytes === undefined) return largest;
  return from.charset === to.charset ? from.bytes : from.bytes * characterBytes;
};

type Bytes = Extract<ValueType, { is: "bytes" }>;

function intoBytes(from: Bytes, to: Bytes): Fit {
  if (to.most === undefined) return "always";
  if (to.fixed) return from.fixed && from.most === to.most ? "always" : [{ check: "length", bytes: to.most }];
  return from.most !== undefined && from.most <= to.most ? "always" : [{ check: "bytes", most: to.most, of: "bytes" }];
}

function intoBits(from: Extract<ValueType, { is: "bits" }>, to: ValueType): Fit {
  if (to.is !== "bits") return "never";
  if (to.most === undefined) return to.varying || !from.varying ? "always" : "never";
  if (from.most === to.most && from.varying === to.varying) return "always";
  return to.varying && from.most !== undefined && from.most <= to.most ? "always" : "never";
}

const fractions = (from: number, to: number): Fit => (from <= to ? "always" : [{ check: "fraction", digits: to }]);

function intoDay({ late = false }: { late?: boolean }, to: ValueType): Fit {
  if (to.is === "date") return "always";
  if (to.is !== "timestamp" || to.zone) return "never";
  return late ? [{ check: "late" }] : moments(to);
}

const moments = ({ end }: { end?: string }): Fit => (end === undefined ? "always" : [{ check: "moment", end }]);

const second = intervalUnits.length - 1;

function intoInterval(from: { fraction: number; unit?: number }, to: { fraction: number; unit?: number }): Fit {
  const { unit = second } = to;
  if ((from.unit ?? second) > unit) return "never";
  return unit === second ? fractions(from.fraction, to.fraction) : "always";
}

/** Moments go into clocks that show UTC where the caller has made them alike. */
function intoTime(from: Extract<ValueType, { is: "timestamp" }>, to: ValueType, reading: Reader | undefined): Fit {
  if (to.is === "timestamp") {
    if (from.zone !== to.zone) return "never";
    return both(fractions(from.fraction, to.fraction), from.end === to.end ? "always" : moments(to));
  }
  return to.is === "date" && reading ? [{ check: "midnight" }] : "never";
}

function intoLabels(from: Labels, to: ValueType, reading: Reader | undefined): Fit {
  if (to.is !== "labels") return reading ? reads(to, reading) : "never";
  if (from.many !== to.many) return reading ? labelled(to) : "never";
  if (from.many && from.labels.join("\0") !== to.labels.join("\0")) return reading ? labelled(to) : "never";
  if (from.labels.every((label) => to.labels.includes(label))) return "always";
  return reading ? labelled(to) : "never";
}
