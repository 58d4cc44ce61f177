/**
 * Does a column take every value of another type? This room has the one table of rules (rules.ts), for both engines: for rows
 * into tables that are there, and for the types that `options.types` names. A pair of types that may lose something is
 * checked value by value in the source's snapshot, before a row is written (values.ts). Pure, but for values.ts.
 */

/** A column's type by what its values can be; both engines' types are written in these words. */
export type ValueType =
  | { is: "integer"; low: bigint; high: bigint }
  /** No `precision`: any number of digits. `scale` may be negative, as PostgreSQL's. */
  | { is: "decimal"; precision?: number; scale: number }
  /** Bits of the significand: 24 or 53. With `precision` and `scale`, MySQL's (M,D), which rounds. */
  | { is: "float"; bits: number; precision?: number; scale?: number }
  | { is: "boolean" }
  | TextType
  /** `fixed`: shorter values are filled up. */
  | { is: "bytes"; most?: number; fixed: boolean }
  | { is: "bits"; most?: number; varying: boolean }
  /** `late`: years that a timestamp does not have. */
  | { is: "date"; late?: boolean }
  /** `zone`: a moment, not a reading of a clock. `end`: MySQL's TIMESTAMP begins with 1970 and ends before this moment. */
  | { is: "timestamp"; fraction: number; zone: boolean; end?: string }
  | { is: "time"; fraction: number; zone: boolean }
  /** `unit`: the smallest that is kept (intervalUnits); a second without. */
  | { is: "interval"; fraction: number; unit?: number }
  | { is: "labels"; many: boolean; labels: readonly string[] }
  /** Any other type, by its name in its engine. */
  | { is: "other"; name: string };

export interface TextType {
  is: "text";
  characters?: number;
  /** In the type's own character set. */
  bytes?: number;
  /** Spaces at the end: PostgreSQL's char fills them up, MySQL's drops them. */
  spaces: "kept" | "filled" | "dropped";
  /** MySQL's name of the character set; undefined: every character of Unicode. */
  charset?: string;
}

export const intervalUnits = ["year", "month", "day", "hour", "minute", "second"];

/** What a value must fulfil to fit; values.ts and the two dialects know how to look for it. */
export type Check =
  | { check: "range"; low: bigint; high: bigint }
  /** Digits of a number before (undefined: any number) and after the point. `single`: as a binary number of 24 bits has them. */
  | { check: "digits"; of: "decimal" | "float"; before?: number; after: number; single?: boolean }
  /** A number whose digits a binary one of so many bits keeps. */
  | { check: "significant"; bits: number }
  /** A double that is also a binary number of 24 bits. */
  | { check: "single" }
  | { check: "characters"; most: number; of: "text" | "bytes" | "other" }
  /** `charset`: the target's, where bytes are counted in it. */
  | { check: "bytes"; most: number; of: "text" | "bytes"; charset?: string }
  | { check: "length"; bytes: number; of?: "text" }
  | { check: "spaces" }
  /** `characters`: those beyond ASCII that it has, where they are known. */
  | { check: "charset"; charset: string; characters?: string }
  | { check: "fraction"; digits: number }
  | { check: "midnight" }
  /** A moment from 1970 to before the end. */
  | { check: "moment"; end: string }
  /** A time of one day. */
  | { check: "clock" }
  /** Bytes that are a text in UTF-8. */
  | { check: "encoded" }
  | { check: "finite" }
  /** A day that a timestamp knows. */
  | { check: "late" }
  /** One of an enumeration's. */
  | { check: "label"; labels: readonly string[] }
  /** Some of a SET's, with commas between them, each once and in their order. */
  | { check: "members"; labels: readonly string[] }
  /** As `label`, of each element of an array, or of a SET; `missing`: the SET's own that are not among them. */
  | { check: "labels"; labels: readonly string[]; missing?: readonly string[] }
  /** Not NULL, for a column that takes none. `words`: another value, which the copy makes NULL. */
  | { check: "null"; words?: string }
  /** A condition of the target's table, by its name. */
  | { check: "condition"; name: string }
  /** A text that has this form, as an extended regular expression that all servers read alike. */
  | { check: "form"; pattern: string; words: string }
  /** A text as the type writes it: others are copied, counted and named. */
  | { check: "written"; pattern: string; example?: string }
  /** An array whose first element has the number 1: others are copied, counted and named. */
  | { check: "bounds" };

/** Of checks whose values are copied and counted: words for `all` of them that do not pass; undefined for other checks. */
export function countedWords(check: Check, all: number): string | undefined {
  if (check.check === "written") {
    const example = check.example === undefined ? "" : `, as ${check.example}`;
    return `${all} ${all === 1 ? "text is" : "texts are"} written otherwise by the target's type${example}`;
  }
  if (check.check === "bounds")
    return `${all} ${all === 1 ? "array has" : "arrays have"} a lower bound other than 1, which JSON does not keep`;
  return undefined;
}

/**
 * `always`: the target's type takes every value as it is, or its server refuses the value with an error. `checks`: a value
 * that does not pass one of them would be cut, rounded or filled up, or (`written`) is written otherwise. `never`: not to be copied so.
 */
export type Fit = "always" | "never" | readonly Check[];

/** Words for a value that does not pass. */
export function reason(check: Check): string {
  switch (check.check) {
    case "range":
      return `outside of ${check.low} to ${check.high}`;
    case "digits":
      return check.before === undefined
        ? `more than ${check.after} digits after the point`
        : `more than ${check.before} digits before or ${check.after} after the point`;
    case "significant":
      return `more than ${check.bits === 24 ? 6 : 15} digits`;
    case "single":
      return "more digits than a real has";
    case "characters":
      return `more than ${check.most} characters`;
    case "bytes":
      return `more than ${check.most} bytes`;
    case "length":
      return `not ${check.bytes} bytes long`;
    case "spaces":
      return "spaces at the end";
    case "charset":
      return `characters that ${check.charset} does not have`;
    case "fraction":
      return `more than ${check.digits} digits after the second`;
    case "moment":
      return `outside of 1970-01-01 00:00:01 to ${check.end}, in UTC`;
    case "clock":
      return "less than 00:00:00 or more than 24:00:00";
    case "encoded":
      return "bytes that are no text in UTF-8";
    case "midnight":
      return "a time of day";
    case "finite":
      return "no finite number";
    case "late":
      return "a day after the last of timestamps";
    case "label":
    case "labels":
      return "labels that the type does not have";
    case "members":
      return "not some of the type's labels in their order";
    case "condition":
      return `the target's check ${check.name} refuses them`;
    case "null":
      return check.words === undefined
        ? "NULL, which the column does not take"
        : `${check.words}, and the column takes no NULL in its place`;
    case "bounds":
      return "a lower bound other than 1";
    case "written":
      return "written otherwise by the target's type";
    case "form":
      return `not written as ${check.words}`;
  }
}
