import { literal } from "../../../postgres/driver/names.ts";
import { refuse } from "../refusal.ts";
import type { Node } from "../tree.ts";
import { int, type Type } from "../types.ts";
import { constantText, made, type PostgresContext, type PostgresTerm, words, worst } from "./term.ts";

/** Dates and times. What depends on the session's time zone is refused, but the present time in a view or a default. */

const datePattern = /^(\d{4})-(\d\d)-(\d\d)$/;
const datetimePattern = /^(\d{4})-(\d\d)-(\d\d) ([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?$/;
const timePattern = /^([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d{1,6}))?$/;

const isReal = (year: number, month: number, day: number): boolean =>
  year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= new Date(Date.UTC(year, month, 0)).getUTCDate();

/** The literal as PostgreSQL's, of the type that it is written as. Undefined: it is not written as one. */
export function momentLiteral(text: string): PostgresTerm | undefined {
  const term = (sql: string, type: Type, form: PostgresTerm["form"]): PostgresTerm =>
    made(sql, type, form, [], { constant: { text } });
  const [, y, m, d, , , , fraction = ""] = datetimePattern.exec(text) ?? datePattern.exec(text) ?? [];
  if (y !== undefined) {
    if (!isReal(Number(y), Number(m), Number(d))) return undefined;
    if (datePattern.test(text)) return term(`${literal(text)}::date`, { kind: "date" }, "date");
    return term(
      `${literal(text)}::timestamp`,
      { kind: "datetime", digits: fraction.length, zoned: false },
      "timestamp",
    );
  }
  const time = timePattern.exec(text);
  if (time === null) return undefined;
  return term(`${literal(text)}::time`, { kind: "time", digits: (time[4] ?? "").length }, "time");
}

/** A literal that is compared with a date or a time. */
export function moment(constant: PostgresTerm, other: PostgresTerm): PostgresTerm {
  if (constant.type.kind !== "text") return constant;
  const text = constantText(constant) ?? "";
  const found = momentLiteral(text);
  const fits =
    found !== undefined && (other.type.kind === "time" ? found.type.kind === "time" : found.type.kind !== "time");
  if (found === undefined || !fits) return refuse(`${JSON.stringify(text)} is not written as ${words(other)}`);
  if (other.type.kind === "datetime" && other.type.zoned)
    return refuse("a timestamp compared with a literal depends on the session's time zone");
  if (other.form === "interval") return { ...found, sql: `${literal(text)}::interval`, form: "interval" };
  return found;
}

/** Fields that both engines count alike; `shift`: what MySQL's number has besides. */
const parts: Record<string, [field: string, min: bigint, max: bigint, shift?: string]> = {
  YEAR: ["year", 0n, 9999n],
  QUARTER: ["quarter", 0n, 4n],
  MONTH: ["month", 0n, 12n],
  DAY: ["day", 0n, 31n],
  DAYOFMONTH: ["day", 0n, 31n],
  DAYOFYEAR: ["doy", 0n, 366n],
  WEEKDAY: ["isodow", 0n, 6n, " - 1"],
  DAYOFWEEK: ["dow", 1n, 7n, " + 1"],
  HOUR: ["hour", 0n, 23n],
  MINUTE: ["minute", 0n, 59n],
  SECOND: ["second", 0n, 59n],
};

/** A value with a date, in no time zone. */
export function dated(term: PostgresTerm): PostgresTerm {
  const { type } = term;
  if (type.kind === "text" && term.constant !== undefined && "text" in term.constant) {
    const found = momentLiteral(term.constant.text);
    if (found !== undefined && found.type.kind !== "time") return found;
  }
  if (type.kind === "date") return term;
  if (type.kind === "datetime") {
    if (type.zoned) refuse("a timestamp's date depends on the session's time zone");
    return term;
  }
  return refuse(`${words(term)} is used as a date, which MySQL converts in its own way`);
}

export function datePart(name: string, term: PostgresTerm): PostgresTerm | undefined {
  const found = parts[name];
  if (found === undefined) return undefined;
  const [field, min, max, shift] = found;
  const timed = /^(HOUR|MINUTE|SECOND)$/.test(name);
  const value = timed && term.type.kind === "time" && term.form === "time" ? term : dated(term);
  if (timed && value.type.kind === "date") refuse(`${name} of a date`);
  const counted = `extract(${field} FROM ${value.sql})`;
  const whole = `(${timed ? `floor(${counted})` : counted})::integer`;
  return made(shift === undefined ? whole : `(${whole}${shift})`, int(min, max), "integer", [value]);
}

export const asDate = (term: PostgresTerm): PostgresTerm => {
  const value = dated(term);
  return value.type.kind === "date" ? value : made(`(${value.sql})::date`, { kind: "date" }, "date", [value]);
};

const asTimestamp = (term: PostgresTerm): string => (term.form === "timestamp" ? term.sql : `(${term.sql})::timestamp`);

export function dateFunction(name: string, args: readonly PostgresTerm[]): PostgresTerm | undefined {
  const [first, second] = args as [PostgresTerm, PostgresTerm | undefined];
  if (args.length === 1) {
    if (name === "DATE") return asDate(first);
    if (name === "LAST_DAY") {
      const value = asDate(first);
      return made(
        `((date_trunc('month', ${asTimestamp(value)}) + '1 month -1 days'::interval))::date`,
        { kind: "date" },
        "date",
        [value],
      );
    }
    if (name === "TO_DAYS") {
      const value = asDate(first);
      return made(`((${value.sql} - '0001-01-01'::date) + 366)`, int(366n, 3652424n), "integer", [value]);
    }
    return datePart(name, first);
  }
  if (name === "DATEDIFF" && args.length === 2) {
    const [a, b] = [asDate(first), asDate(second as PostgresTerm)];
    return made(`(${a.sql} - ${b.sql})`, int(-3652424n, 3652424n), "integer", [a, b]);
  }
  return undefined;
}

const units: Record<string, [word: string, times: bigint, ofDate: boolean]> = {
  SECOND: ["seconds", 1n, false],
  MINUTE: ["minutes", 1n, false],
  HOUR: ["hours", 1n, false],
  DAY: ["days", 1n, true],
  WEEK: ["days", 7n, true],
  MONTH: ["months", 1n, true],
  QUARTER: ["months", 3n, true],
  YEAR: ["months", 12n, true],
};

/** At most. */
const daysIn = (count: bigint, word: string): bigint =>
  word === "months" ? count * 31n : word === "days" ? count : count / (perDay[word] as bigint) + 1n;

const perDay: Record<string, bigint> = { hours: 24n, minutes: 1440n, seconds: 86_400n };

/** Days that the present can be reckoned back by without coming near the year 0. */
const fromPresent = 365n * 1900n;

/** MySQL goes back into the year 0, which PostgreSQL lacks. */
function goesBack(base: Node, value: PostgresTerm, days: bigint): boolean {
  if (base.is === "now" || (base.is === "call" && /^(NOW|CURDATE)$/.test(base.name))) return days > fromPresent;
  const text = constantText(value) ?? "";
  const [, year] = datePattern.exec(text.slice(0, 10)) ?? [];
  return year === undefined || days > 365n * (BigInt(year) - 1n);
}

/** A date and an interval of whole units. Outside of MySQL's years the result is NULL, as there. */
export function shifted(
  context: PostgresContext,
  op: "+" | "-",
  base: Node,
  interval: { amount: Node; unit: string },
): PostgresTerm {
  const unit = units[interval.unit];
  const amount = context.term(interval.amount);
  if (unit === undefined) return refuse(`intervals of ${interval.unit}`);
  if (amount.type.kind !== "int" || amount.constant === undefined || !("number" in amount.constant))
    return refuse("an interval whose length is no literal");
  const value = dated(context.term(base));
  const [word, times, ofDate] = unit;
  const count = BigInt(amount.constant.number) * times;
  if (count > 1_000_000n || count < -1_000_000n) return refuse("an interval that long");
  const back = op === "-" ? count : -count;
  if (back > 0n && goesBack(base, value, daysIn(back, word)))
    context.doubt("a date that is reckoned back may come to the year 0, which PostgreSQL lacks and gives NULL for");
  const isDate = value.type.kind === "date" && ofDate;
  const sum = `(${asTimestamp(value)} ${op} '${count} ${word}'::interval)`;
  const inside = `CASE WHEN ${sum} >= '0001-01-01'::timestamp AND ${sum} < '10000-01-01'::timestamp THEN ${sum} END`;
  const digits = value.type.kind === "datetime" ? value.type.digits : 0;
  return made(
    isDate ? `(${inside})::date` : `(${inside})`,
    isDate ? { kind: "date" } : { kind: "datetime", digits, zoned: false },
    isDate ? "date" : "timestamp",
    [value],
    { nullable: true },
  );
}

/** The present time, in the session's time zone. MySQL cuts off what has no place; PostgreSQL's CURRENT_TIMESTAMP(0) would round. */
export function present(what: "timestamp" | "date", digits: number): PostgresTerm {
  const stable = { stability: "stable" } as const;
  if (what === "date") return made("(statement_timestamp())::date", { kind: "date" }, "date", [], stable);
  const field = { 0: "second", 3: "milliseconds", 6: "microseconds" }[digits];
  if (field === undefined) return refuse(`the present time with ${digits} digits`);
  const sql = `(date_trunc('${field}', statement_timestamp()))::timestamp`;
  return made(sql, { kind: "datetime", digits, zoned: false }, "timestamp", [], stable);
}

const formats: Record<string, string> = {
  Y: "YYYY",
  y: "YY",
  m: "MM",
  d: "DD",
  H: "HH24",
  i: "MI",
  s: "SS",
  S: "SS",
  T: "HH24:MI:SS",
  j: "DDD",
};

/** DATE_FORMAT with the fields whose text is the same. */
export function formatted(value: PostgresTerm, format: PostgresTerm): PostgresTerm {
  const base = dated(value);
  const text = constantText(format);
  if (text === undefined) return refuse("DATE_FORMAT whose format is no literal");
  let out = "";
  for (let at = 0; at < text.length; at++) {
    const character = text[at] as string;
    if (character === "%") {
      const letter = text[++at] ?? "";
      const field = formats[letter];
      if (field === undefined) refuse(`DATE_FORMAT's %${letter}`);
      out += field;
    } else if (/[-/.,:; ]/.test(character)) out += character;
    else if (/[A-Za-z0-9_]/.test(character)) out += `"${character}"`;
    else refuse(`DATE_FORMAT with ${JSON.stringify(character)}`);
  }
  return made(
    `to_char(${asTimestamp(base)}, ${literal(out)})`,
    { kind: "text", collation: undefined, ascii: true },
    "text",
    [base],
    { stability: worst(base, { stability: "stable" }) },
  );
}
