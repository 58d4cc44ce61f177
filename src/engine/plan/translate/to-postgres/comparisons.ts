import { equalLabels, isAlone, mysqlComparison } from "../collation.ts";
import { refuse } from "../refusal.ts";
import type { Type } from "../types.ts";
import { moment } from "./dates.ts";
import { double, numeric } from "./numbers.ts";
import {
  asNumber,
  condition,
  constantText,
  type PostgresContext,
  type PostgresTerm,
  textLiteral,
  words,
} from "./term.ts";

/** Comparisons: only of values that both engines compare alike. */

export type ComparisonOperator = "=" | "<>" | "<" | "<=" | ">" | ">=" | "<=>";

const opposite: Record<string, ComparisonOperator> = { "<": ">", "<=": ">=", ">": "<", ">=": "<=" };
const asPostgres = (op: ComparisonOperator): string => (op === "<=>" ? "IS NOT DISTINCT FROM" : op);

export function compare(
  context: PostgresContext,
  op: ComparisonOperator,
  a: PostgresTerm,
  b: PostgresTerm,
): PostgresTerm {
  if (a.type.kind === "null" || b.type.kind === "null") {
    const other = a.type.kind === "null" ? b : a;
    if (op === "<=>") return condition(`(${other.sql} IS NULL)`, [other], { nullable: false });
    return condition("NULL::boolean", [], { nullable: true });
  }
  if (isEnum(a) && isText(b)) return compareLabels(op, a, b);
  if (isEnum(b) && isText(a)) return compareLabels(opposite[op] ?? op, b, a);
  const [left, right, extra = ""] = sides(context, op, a, b);
  const nullable = op === "<=>" ? { nullable: false } : {};
  return condition(`(${left}${extra} ${asPostgres(op)} ${right}${extra})`, [a, b], nullable);
}

const isEnum = ({ type }: PostgresTerm): boolean => type.kind === "enum";
const isText = ({ type }: PostgresTerm): boolean => type.kind === "text";
const isTime = ({ type }: PostgresTerm): boolean =>
  type.kind === "date" || type.kind === "datetime" || type.kind === "time";

/** Both sides' SQL, brought to one type of PostgreSQL, and what follows each (a collation). */
function sides(
  context: PostgresContext,
  op: ComparisonOperator,
  a: PostgresTerm,
  b: PostgresTerm,
): [string, string, string?] {
  if (isText(a) && isText(b)) return texts(context, op, a, b);
  if (isTime(a) || isTime(b)) return moments(a, b);
  if (a.type.kind === "year" || b.type.kind === "year") return years(a, b);
  if (a.type.kind === "bytes" && b.type.kind === "bytes") return [a.sql, b.sql];
  if (a.type.kind === "uuid" && b.type.kind === "uuid" && /^(=|<>|<=>)$/.test(op)) return [a.sql, b.sql];
  if (isEnum(a) || isEnum(b)) return refuse("an enum compared with what is no literal");
  if (a.type.kind === "json" || b.type.kind === "json") return refuse("JSON compared with something");
  if (isText(a) || isText(b)) return refuse(`${words(a)} compared with ${words(b)}, where MySQL converts one of them`);
  const x = asNumber(a);
  const y = asNumber(b);
  if (x.type.kind === "float" || y.type.kind === "float") return [double(x), double(y)];
  if (context.maria && (x.minusZero === true || y.minusZero === true))
    return refuse("a remainder of decimals is compared, which MariaDB takes for less than zero where it is -0");
  if (x.form === y.form || (isWhole(x) && isWhole(y))) return [x.sql, y.sql];
  return [numeric(x), numeric(y)];
}

const isWhole = ({ form }: PostgresTerm): boolean => form === "smallint" || form === "integer" || form === "bigint";

function texts(
  context: PostgresContext,
  op: ComparisonOperator,
  a: PostgresTerm,
  b: PostgresTerm,
): [string, string, string?] {
  const collation = sharedCollation(a.type, b.type);
  if (collation === undefined)
    return refuse("two literals are compared, in the collation of a session that is not known");
  const { equality, byteOrder } = mysqlComparison(collation);
  const ordering = !/^(=|<>|<=>)$/.test(op);
  if (ordering) {
    if (!byteOrder) context.doubt(`text is ordered by the collation ${collation}, which PostgreSQL does not have`);
    return [a.sql, b.sql, byteOrder ? ' COLLATE "C"' : ""];
  }
  if (equality === "exact") return [a.sql, b.sql];
  if (equality === "padded") return [trimmed(a), trimmed(b)];
  const known = constantText(a) ?? constantText(b);
  if (equality === "simple" && known !== undefined && isAlone(known)) return [trimmed(a), trimmed(b)];
  context.doubt(
    `text is compared in the collation ${collation}, which takes different text for equal, as upper and lower case`,
  );
  return [a.sql, b.sql];
}

/** Without trailing spaces, which PAD SPACE does not count. */
function trimmed(term: PostgresTerm): string {
  const text = constantText(term);
  return text === undefined ? `rtrim(${term.sql}, ' ')` : textLiteral(text.replace(/(?<! ) +$/, ""));
}

/** The one that MySQL compares in; undefined: both are literals. */
export function sharedCollation(a: Type, b: Type): string | undefined {
  const first = a.kind === "text" || a.kind === "enum" ? a.collation : undefined;
  const second = b.kind === "text" || b.kind === "enum" ? b.collation : undefined;
  if (first !== undefined && second !== undefined && first !== second) {
    return refuse(`text of the collations ${first} and ${second} meets`);
  }
  return first ?? second;
}

/** An enum and a literal: the labels are known, so that it is known which of them are equal to it. */
function compareLabels(op: ComparisonOperator, a: PostgresTerm, b: PostgresTerm): PostgresTerm {
  const value = constantText(b);
  if (a.type.kind !== "enum" || value === undefined) return refuse("an enum compared with what is no literal");
  if (!/^(=|<>|<=>)$/.test(op)) return refuse("an enum is ordered as text");
  const equal = equalLabels(a.type.labels, value, a.type.collation);
  if (equal === undefined)
    return refuse(
      `an enum of the collation ${a.type.collation ?? "that is not known"}, which may take different labels for equal`,
    );
  const wrong = op === "<>";
  const single = equal.length === 1 ? textConstant(a, equal[0] as string) : undefined;
  if (single !== undefined)
    return condition(`(${a.sql} ${asPostgres(op)} ${single})`, [a], op === "<=>" ? { nullable: false } : {});
  const none = op === "<=>" ? "false" : `CASE WHEN ${a.sql} IS NOT NULL THEN ${wrong} END`;
  if (equal.length === 0) return condition(`(${none})`, [a], op === "<=>" ? { nullable: false } : {});
  const list = equal.map((label) => textConstant(a, label)).join(", ");
  const inside = `(${a.sql} ${wrong ? "NOT IN" : "IN"} (${list}))`;
  return op === "<=>" ? condition(`coalesce(${inside}, false)`, [a], { nullable: false }) : condition(inside, [a]);
}

/** A label: of unknown type, so that PostgreSQL reads it as the column's enum. */
const textConstant = (column: PostgresTerm, label: string): string =>
  column.form === "text" ? textLiteral(label) : textLiteral(label).replace(/::text$/, "");

/** Dates and times: with each other, and with literals that are written as a real one. */
function moments(a: PostgresTerm, b: PostgresTerm): [string, string] {
  const x = a.constant !== undefined ? moment(a, b) : a;
  const y = b.constant !== undefined ? moment(b, a) : b;
  const kinds = [x.type.kind, y.type.kind].sort().join();
  if (x.type.kind === "datetime" && y.type.kind === "datetime") {
    if (x.type.zoned !== y.type.zoned)
      return refuse("a timestamp compared with a datetime depends on the session's time zone");
    return [x.sql, y.sql];
  }
  if (kinds === "date,date") return [x.sql, y.sql];
  if (kinds === "time,time" && x.form === y.form) return [x.sql, y.sql];
  if (kinds === "date,datetime") {
    if ([x, y].some(({ type }) => type.kind === "datetime" && type.zoned))
      return refuse("a timestamp compared with a date depends on the session's time zone");
    return [`(${x.sql})::timestamp`, `(${y.sql})::timestamp`];
  }
  return refuse(`${words(a)} compared with ${words(b)}, where MySQL converts one of them`);
}

/** Of a year and a number that MySQL does not read as the short form of a year. */
function years(a: PostgresTerm, b: PostgresTerm): [string, string] {
  const number = a.type.kind === "year" ? b : a;
  if (number.type.kind === "year") return [a.sql, b.sql];
  const { constant } = number;
  if (number.type.kind !== "int" || constant === undefined || !("number" in constant))
    return refuse("a year compared with what is no literal");
  const value = Number(constant.number);
  if (value !== 0 && value < 100) return refuse("a year compared with a short number, which MySQL completes");
  return [a.sql, b.sql];
}
