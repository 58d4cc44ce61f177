import { named } from "../../../contract/text/own-property.ts";
import { identifier } from "../../../postgres/driver/names.ts";
import { isAscii, mysqlComparison } from "../collation.ts";
import type { ColumnMeaning, ExpressionOptions, Translated } from "../meaning.ts";
import { refuse } from "../refusal.ts";
import type { Node } from "../tree.ts";
import { int, isBit, mysqlType, type Type } from "../types.ts";
import { createContext } from "./expression.ts";
import { decimalOf } from "./numbers.ts";
import {
  asCondition,
  asNumber,
  asText,
  constantText,
  formOf,
  type PostgresTerm,
  type ValueForm,
  words,
} from "./term.ts";

/** A MySQL expression of a table in PostgreSQL's words. */

export function columnTerm(column: ColumnMeaning, sql: string): PostgresTerm {
  const form = formOf(column.targetType, mysqlType(column.sourceType, column.collation));
  const found = mysqlType(column.sourceType, column.collation);
  // The copy makes it boolean only where the data are 0 and 1.
  const type: Type = form === "boolean" && !isBit(found) ? int(0n, 1n) : found;
  const [, length] = /^binary(?:\((\d+)\))?/i.exec(column.sourceType) ?? [];
  const term: PostgresTerm = {
    sql,
    type,
    form,
    nullable: column.nullable,
    stability: "immutable",
    fixedDigits: column.digitsVary !== true,
    branchDigits: column.digitsVary === true,
    shortZero: column.shortZero === true,
    minusZero: column.minusZero === true,
    unsigned: /\b(unsigned|zerofill)\b/i.test(column.sourceType),
    belowUnsigned: column.belowUnsigned === true,
    zerofill: /\bzerofill\b/i.test(column.sourceType),
    ...(/^binary\b/i.test(column.sourceType) ? { length: Number(length ?? 1) } : {}),
  };
  if (!fits(type, form)) {
    return { ...term, type: { kind: "other", name: `a column of ${column.sourceType} as ${column.targetType}` } };
  }
  return term;
}

const forms: Partial<Record<Type["kind"], readonly ValueForm[]>> = {
  int: ["boolean", "smallint", "integer", "bigint", "numeric"],
  decimal: ["numeric"],
  float: ["real", "double"],
  text: ["text"],
  enum: ["enum", "text"],
  bytes: ["bytea"],
  date: ["date"],
  datetime: ["timestamp", "timestamptz"],
  time: ["time", "interval"],
  year: ["smallint", "integer"],
  json: ["json", "jsonb"],
  uuid: ["uuid"],
};

function fits(type: Type, form: ValueForm): boolean {
  if (type.kind === "datetime") return form === (type.zoned ? "timestamptz" : "timestamp");
  return forms[type.kind]?.includes(form) === true;
}

export function expressionToPostgres(
  node: Node,
  { from, columns, use, result }: ExpressionOptions,
  doubt: (reason: string) => void,
): Translated {
  const byName = new Map([...columns].map(([name, column]) => [name.toLowerCase(), column]));
  const context = createContext({
    catalogue: true,
    maria: from.engine === "mariadb",
    doubt,
    resolve(path) {
      const column = byName.get((path.at(-1) ?? "").toLowerCase());
      if (column === undefined) return refuse(`the column ${path.join(".")} is not known`);
      return columnTerm(column, identifier(column.name));
    },
  });
  const term = context.term(node);
  const immutable = term.stability === "immutable";
  switch (use) {
    case "check":
      if (!immutable) refuse("its translation is not immutable: the session's settings count");
      return { sql: asCondition(term), immutable };
    case "generated":
    case "default":
      if (term.stability === "volatile" && use !== "default") refuse("it is another value each time");
      if (!immutable && use === "generated") refuse("its translation is not immutable: the session's settings count");
      if (result === undefined) return refuse("the column that takes the value is not known");
      return { sql: stored(term, result), immutable };
    case "index":
    case "unique-index":
      if (!immutable) refuse("its translation is not immutable: the session's settings count");
      if (
        use === "unique-index" &&
        term.type.kind === "text" &&
        mysqlComparison(term.type.collation ?? "").equality !== "exact"
      )
        doubt(`its uniqueness is that of the collation ${term.type.collation ?? "of a session"}`);
      return { sql: term.unrounded === undefined ? term.sql : refuse("an index on a quotient"), immutable };
    case "partial-index":
      return refuse("MySQL has no partial indexes");
  }
}

/** The value as the column takes it, where storing changes it in both engines alike. */
function stored(term: PostgresTerm, column: ColumnMeaning): string {
  const target = columnTerm(column, "");
  if (term.type.kind === "null") return "NULL";
  const rule = storing[target.type.kind] ?? refuse(`a column of ${column.sourceType}`);
  const found = rule(term, target) ?? refuse(`${words(term)} in a column of ${column.sourceType}`);
  if (target.type.kind === "text" && /^char\b/i.test(column.sourceType)) return withoutEnd(found, term);
  if (target.type.kind === "float" && /\(\d+,\d+\)/.test(column.sourceType))
    return refuse(`a column of ${column.sourceType}, to whose digits MySQL rounds`);
  return target.form === "boolean" ? found : bounded(found, term, target, column);
}

const bitsOf: Record<string, bigint> = { smallint: 16n, integer: 32n, bigint: 64n };

/**
 * What is out of the column's range, and not of PostgreSQL's wider type: MySQL's nearest in the range. Tables filled
 * without strict mode have that, and MariaDB's virtual columns always.
 */
function bounded(
  sql: string,
  term: PostgresTerm,
  { type }: PostgresTerm,
  { sourceType, targetType }: ColumnMeaning,
): string {
  const unsigned = /\b(unsigned|zerofill)\b/i.test(sourceType);
  const least = type.kind === "int" ? type.min : unsigned ? 0n : undefined;
  const most = type.kind === "int" ? type.max : undefined;
  const bits = named(bitsOf, targetType.toLowerCase());
  const refused = (limit: bigint) =>
    bits !== undefined && (limit === -(2n ** (bits - 1n)) || limit === 2n ** (bits - 1n) - 1n);
  const { min, max } = term.type.kind === "int" ? term.type : { min: undefined, max: undefined };
  const arms = [
    least === undefined || refused(least) || (min !== undefined && min >= least)
      ? ""
      : ` WHEN ${sql} < ${least} THEN ${least}`,
    most === undefined || refused(most) || (max !== undefined && max <= most)
      ? ""
      : ` WHEN ${sql} > ${most} THEN ${most}`,
  ].join("");
  return arms === "" ? sql : `CASE${arms} ELSE ${sql} END`;
}

/** MySQL cuts the spaces at the end of a CHAR as it shows it, which the copy makes a varchar. */
function withoutEnd(sql: string, { constant }: PostgresTerm): string {
  const bare = constant !== undefined && (!("text" in constant) || !constant.text.endsWith(" "));
  return bare ? sql : `rtrim(${sql}, ' ')`;
}

/** By the column's type; undefined: a value of another type. */
const storing: Partial<Record<Type["kind"], (term: PostgresTerm, target: PostgresTerm) => string | undefined>> = {
  int(term, { form }) {
    if (form === "boolean")
      return term.form === "boolean" ? term.sql : refuse("a number in a column that is boolean in PostgreSQL");
    if (term.unrounded !== undefined) return term.unrounded(0);
    const number = asNumber(term);
    return number.type.kind === "float" ? refuse("a floating-point number in a column of whole numbers") : number.sql;
  },
  decimal(term, { type }) {
    const scale = decimalOf(type).scale;
    if (term.unrounded !== undefined) {
      if (scale > decimalOf(term.type).scale) return refuse("a quotient in a column of more digits");
      return term.unrounded(scale);
    }
    const number = asNumber(term);
    return number.type.kind === "float" ? refuse("a floating-point number in a column of decimals") : number.sql;
  },
  float(term, { type }) {
    if (term.unrounded !== undefined) return refuse("a quotient of decimals in a column of floating-point numbers");
    const number = asNumber(term);
    if ((type.kind === "float" && type.bits === 32) || number.type.kind === "decimal")
      return refuse("a number that is rounded to a floating-point one");
    return `(${number.sql})::double precision`;
  },
  // A literal that is cut or refused would be so in both; an expression's end of spaces is cut in both.
  text: (term) => (/^(text|int|decimal)$/.test(term.type.kind) ? asText(term).sql : undefined),
  date: same,
  time: (term, target) =>
    term.type.kind === "time" && target.type.kind === "time" && term.type.digits > target.type.digits
      ? refuse("a time in a column of fewer digits, which MariaDB cuts")
      : same(term, target),
  bytes: (term, target) =>
    target.length !== undefined && term.length !== target.length
      ? refuse("bytes in a BINARY column, which MySQL fills up with zeros")
      : same(term, target),
  uuid: (term, target) =>
    term.stability === "volatile" && term.type.kind === "text" ? `(${term.sql})::uuid` : same(term, target),
  json: same,
  datetime(term, { type, form }) {
    if (type.kind !== "datetime") return undefined;
    if (type.zoned && term.stability === "stable" && term.type.kind === "datetime" && term.form === "timestamp")
      return `(${term.sql})::timestamptz`;
    if (term.type.kind === "date" && !type.zoned) return `(${term.sql})::timestamp`;
    const fits = term.type.kind === "datetime" && term.form === form && term.type.digits <= type.digits;
    return fits ? term.sql : undefined;
  },
  enum(term, { type }) {
    const value = constantText(term);
    if (type.kind !== "enum" || value === undefined || !isAscii(value) || !type.labels.includes(value))
      return refuse("an enum whose label is not written");
    return term.sql.replace(/::text$/, "");
  },
};

function same(term: PostgresTerm, { type, form }: PostgresTerm): string | undefined {
  return term.type.kind === type.kind && term.form === form ? term.sql : undefined;
}
