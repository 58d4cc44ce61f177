import { literal } from "../../mysql/driver/names.ts";
import type { Check } from "./types.ts";

/** A check as SQL of MySQL and MariaDB: true for a value that does not pass. `value` is SQL as well. Pure. */
export function mysqlMisfit(value: string, check: Check): string {
  switch (check.check) {
    case "range":
      return `(${value} < ${check.low} OR ${value} > ${check.high})`;
    case "digits":
      return check.of === "float" ? floatDigits(value, check) : digits(value, check);
    case "significant":
      return check.bits === 24
        ? `(${value} <> 0 AND ${value} <> ROUND(${value}, 5 - FLOOR(LOG10(ABS(${value})))))`
        : `CAST(${value} * 1e0 AS DECIMAL(65,30)) <> ${value}`;
    case "single":
      return single(value);
    case "characters":
      return `CHAR_LENGTH(${check.of === "bytes" ? inCharset(value, "utf8mb4") : value}) > ${check.most}`;
    case "bytes":
      return `LENGTH(${check.of === "text" ? inCharset(value, check.charset ?? "utf8mb4") : value}) > ${check.most}`;
    case "length":
      return `LENGTH(${check.of === "text" ? inCharset(value, "utf8mb4") : value}) <> ${check.bytes}`;
    case "spaces":
      // `=` pays no heed to spaces at the end.
      return `${value} LIKE '% '`;
    case "charset":
      return lost(value, check.charset);
    case "fraction":
      return `MICROSECOND(${value}) % ${10 ** (6 - check.digits)} <> 0`;
    case "midnight":
      return `TIME(${value}) <> '00:00:00'`;
    case "clock":
      return `(${value} < '00:00:00' OR ${value} > '24:00:00')`;
    case "encoded":
      return `(${value} IS NOT NULL AND NOT (HEX(${inCharset(value, "utf8mb4")}) <=> HEX(${value})))`;
    case "moment":
    case "finite":
    case "late":
    case "condition":
    case "bounds":
      return "FALSE";
    case "label":
      // By bytes: a collation may take two labels for one.
      if (check.labels.length === 0) return `${value} IS NOT NULL`;
      return `HEX(${inCharset(value, "utf8mb4")}) NOT IN (${check.labels.map((label) => `'${hex(label)}'`).join(", ")})`;
    case "labels": {
      const members = `CAST(${inCharset(value, "utf8mb4")} AS BINARY)`;
      const found = (check.missing ?? []).map((label) => `FIND_IN_SET(x'${hex(label)}', ${members}) > 0`);
      return found.length === 0 ? "FALSE" : `(${found.join(" OR ")})`;
    }
    case "members":
      // PostgreSQL has no SET.
      return "TRUE";
    case "null":
      return `${value} IS NULL`;
    case "written":
      // By letters: PostgreSQL writes t, not T.
      return `${inCharset(value, "utf8mb4")} COLLATE utf8mb4_bin NOT REGEXP ${literal(check.pattern)}`;
    case "form": {
      const text = inCharset(value, "utf8mb4");
      // The end of a pattern also stands before a last line feed.
      return `(${text} NOT REGEXP ${literal(check.pattern)} OR ${text} LIKE CONCAT('%', CHAR(10)))`;
    }
  }
}

const hex = (text: string) => Buffer.from(text).toString("hex").toUpperCase();
const inCharset = (value: string, charset: string) => `CONVERT(${value} USING ${charset})`;

/** A byte without a character becomes a question mark; in tis620, U+FFFD, which no such set has. */
function lost(value: string, charset: string): string {
  const marks = `${questions(inCharset(value, charset))} <> ${questions(value)}`;
  if (charset !== "utf8mb4") return marks;
  return `(${marks} OR INSTR(CAST(${inCharset(value, charset)} AS BINARY), x'EFBFBD') > 0)`;
}

/** A character that a set does not have becomes a question mark. */
const questions = (text: string) => `(CHAR_LENGTH(${text}) - CHAR_LENGTH(REPLACE(${text}, '?', '')))`;

type Digits = Extract<Check, { check: "digits" }>;

const tooMany = (value: string, before: number | undefined) =>
  before === undefined || before >= 65 ? "" : `ABS(${value}) >= ${tenTo(before)} OR `;

const tenTo = (power: number) => (power < 0 ? `0.${"0".repeat(-power - 1)}1` : `1${"0".repeat(power)}`);

const digits = (value: string, { before, after }: Digits) =>
  `(${tooMany(value, before)}${value} <> TRUNCATE(${value}, ${after}))`;

/** By the digits that the server writes. */
function floatDigits(value: string, { before, after, single }: Digits): string {
  if (single) return `(${tooMany(value, before)}${upper(`ROUND(${value}, ${after})`)} <> ${upper(value)})`;
  const exact = `CAST(${value} AS DECIMAL(65,30))`;
  const small = after >= 30 ? "FALSE" : `${exact} <> TRUNCATE(${exact}, ${after})`;
  return `(${value} <> 0 AND (${tooMany(value, before ?? 35)}ABS(${value}) < 1e-30 OR ${small}))`;
}

/** Veltkamp's splitting: the upper 24 of 53 bits. */
function upper(value: string): string {
  const split = `${value} * 536870913e0`;
  return `(${split} - (${split} - ${value}))`;
}

const single = (value: string): string =>
  `CASE WHEN ABS(${value}) > 3.4028234663852886e38 THEN TRUE WHEN ABS(${value}) < 1.1754943508222875e-38 THEN ${value} <> 0 ELSE ${upper(value)} <> ${value} END`;
