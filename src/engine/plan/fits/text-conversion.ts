import { type Fit, intervalUnits, type ValueType } from "./types.ts";

/**
 * Texts that the target's server reads as another type. What it would understand otherwise than it is written is not let in;
 * what it writes otherwise (007, 1.50 with one digit after the point) is counted and named. Pure.
 */

/** Which server reads them. */
export type Reader = "mysql" | "postgres";

export type Labels = Extract<ValueType, { is: "labels" }>;

/** MySQL takes a text that is no label for a label's number, for one in other letters, or for several in another order. */
export const labelled = ({ many, labels }: Labels): Fit => [{ check: many ? "members" : "label", labels }];

const second = intervalUnits.length - 1;

const clock = "[0-9]{1,2}:[0-9]{2}(:[0-9]{2}";
const seconds = (digits: number) => (digits === 0 ? "([.]0+)?" : `([.][0-9]{1,${digits}}0*)?`);

/** PostgreSQL leaves zeros at the end out; MySQL writes as many digits as the type has. */
const written = (digits: number, reader: Reader) => {
  if (digits === 0) return "";
  return reader === "mysql" ? `[.][0-9]{${digits}}` : "([.][0-9]*[1-9])?";
};

const whole = "(0|[1-9][0-9]*)";
const noMinusZero = "(?!-0[.]?0*$)";

const span = (unit: string) => `([-+]?[1-9][0-9]* ${unit}s?( |$))?`;
const inside = (one: string) => `(empty|\\[${one},${one}\\)|\\[${one},\\)|\\(,${one}\\)|\\(,\\))`;
const digits = `-?${whole}`;

/** How PostgreSQL writes types of its own. Of other ones it is not known, as of numrange. */
const postgresForms = new Map([
  ["uuid", "[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"],
  ["macaddr", "([0-9a-f]{2}:){5}[0-9a-f]{2}"],
  ["inet", "(?!.*[.][0-9]+/32$)(?!.*:.*/128$)[0-9a-f:./]+"],
  ["cidr", "([0-9]+[.]){3}[0-9]+/[0-9]+|(?=.*:)[0-9a-f:]+/[0-9]+"],
  ["int4range", inside(digits)],
  ["int8range", inside(digits)],
  ["daterange", inside("[0-9]{4}-[0-9]{2}-[0-9]{2}")],
]);

/** Their readers drop words that stand twice, and the order. */
const neverRead = new Set(["tsvector", "tsquery"]);

/** How the server writes the values of a type; undefined: as they come, or its own way is no other value. */
function writtenAs(to: ValueType, reader: Reader): string | undefined {
  switch (to.is) {
    case "integer":
      return `${noMinusZero}-?${whole}`;
    case "decimal":
      if (to.precision === undefined) return `${noMinusZero}-?${whole}([.][0-9]+)?`;
      return `${noMinusZero}-?${whole}${to.scale > 0 ? `[.][0-9]{${to.scale}}` : ""}`;
    case "float":
      if (to.scale !== undefined) return `-?${whole}${to.scale > 0 ? `[.][0-9]{${to.scale}}` : ""}`;
      // PostgreSQL writes smaller ones with an exponent.
      return `${reader === "postgres" ? "(?!-?0[.]0000)" : ""}-?${whole}([.][0-9]*[1-9])?`;
    case "timestamp":
      return `[0-9-]{10} [0-9:]{8}${written(to.fraction, reader)}`;
    case "time":
      return `[0-9]{2}:[0-9:]{5}${written(to.fraction, reader)}`;
    case "boolean":
      return "[tf]";
    case "interval":
      return `(?=.)(?!.* $)${span("year")}${span("mon")}${span("day")}([-+]?[0-9]{2,}:[0-9]{2}:[0-9]{2}([.][0-9]*[1-9])?)?`;
    case "other":
      return reader === "postgres" ? postgresForms.get(to.name) : undefined;
    default:
      return undefined;
  }
}

/** A text as another type. */
export function reads(to: ValueType, reader: Reader): Fit {
  const fit = understood(to);
  const pattern = writtenAs(to, reader);
  if (fit === "never" || pattern === undefined) return fit;
  const example = exampleOf(to);
  const check = { check: "written" as const, pattern: `^(${pattern})$`, ...(example === undefined ? {} : { example }) };
  return [...(fit === "always" ? [] : fit), check];
}

function exampleOf(to: ValueType): string | undefined {
  if (["integer", "decimal", "float"].includes(to.is)) return "007 becomes 7";
  return to.is === "other" && /^(?:uuid|macaddr)$/.test(to.name) ? "capital letters become small ones" : undefined;
}

function understood(to: ValueType): Fit {
  const form = (pattern: string, words: string): Fit => [{ check: "form", pattern: `^${pattern}$`, words }];
  switch (to.is) {
    case "integer":
      return form("[-+]?[0-9]+", "a whole number");
    case "decimal": {
      if (to.precision === undefined) return form("[-+]?[0-9]+([.][0-9]+)?", "a number");
      const after = Math.max(0, to.scale);
      const rest = after === 0 ? "([.]0+)?" : `([.][0-9]{1,${after}}0*)?`;
      if (to.scale < 0) return "never";
      return form(`[-+]?[0-9]+${rest}`, `a number of at most ${after} digits after the point`);
    }
    case "float": {
      const half = to.bits === 24 ? 3 : 7;
      const { precision = 2 * half, scale = half } = to;
      const [first, last] = [Math.min(half, precision - scale), Math.min(half, scale)];
      if (first < 1) return "never";
      const rest = last === 0 ? "" : `([.][0-9]{1,${last}})?`;
      const words = first === last ? `${first} digits before and` : `${first} digits before and ${last}`;
      return form(`[-+]?[0-9]{1,${first}}${rest}`, `a number of at most ${words} after the point`);
    }
    case "date":
      return form("[0-9]{4}-[0-9]{2}-[0-9]{2}", "a date such as 2020-12-31");
    case "timestamp":
      return form(
        `[0-9]{4}-[0-9]{2}-[0-9]{2}([T ]${clock}${seconds(to.fraction)})?${to.zone ? "(Z|[-+][0-9]{2}(:?[0-9]{2})?)?" : ""})?`,
        `a time such as 2020-12-31 23:59:59 with at most ${to.fraction} digits after the second`,
      );
    case "time":
      return form(
        `${clock}${seconds(to.fraction)})?${to.zone ? "(Z|[-+][0-9]{2}(:?[0-9]{2})?)?" : ""}`,
        `a time such as 23:59:59 with at most ${to.fraction} digits after the second`,
      );
    case "bytes":
      if (to.most === undefined) return "always";
      // Shorter ones are filled up.
      return [
        to.fixed ? { check: "length", bytes: to.most, of: "text" } : { check: "bytes", most: to.most, of: "text" },
      ];
    case "interval":
      // The reader drops smaller units without a word.
      return to.fraction === 6 && (to.unit ?? second) === second ? "always" : "never";
    case "labels":
      return labelled(to);
    case "other":
      return neverRead.has(to.name) ? "never" : "always";
    default:
      // Their readers take a text for one value, or refuse it.
      return "always";
  }
}
