import { literal } from "../../../postgres/driver/names.ts";
import { isAscii } from "../collation.ts";
import type { QueryTranslation } from "../queries.ts";
import { type Doubts, refuse } from "../refusal.ts";
import type { FunctionCall, Node, Query } from "../tree.ts";
import { formatType, isBit, least64, most64, type Type } from "../types.ts";

/** A translated expression: PostgreSQL's text, and what MySQL means by it. */

/** How the value is held in PostgreSQL. */
export type ValueForm =
  | "boolean"
  /** A column's, or what is passed on of one: arithmetic of two is PostgreSQL's in 16 bits, unless one is widened. */
  | "smallint"
  | "integer"
  | "bigint"
  | "numeric"
  | "real"
  | "double"
  | "text"
  | "bytea"
  | "date"
  | "timestamp"
  | "timestamptz"
  | "time"
  | "interval"
  | "json"
  | "jsonb"
  | "enum"
  | "uuid"
  | "other";

/** PostgreSQL's own word for how often the value may change. */
type Stability = "immutable" | "stable" | "volatile";

export interface PostgresTerm {
  /** Binds like a name: parenthesised where it is more than one. */
  sql: string;
  type: Type;
  form: ValueForm;
  nullable: boolean;
  stability: Stability;
  /** A literal's value. */
  constant?: { number: string } | { text: string };
  /**
   * A quotient: MySQL shows it with some digits but goes on counting with more, so that it can only be an end result.
   * Called with a number of digits up to the shown ones it is PostgreSQL's text of the quotient rounded to them.
   */
  unrounded?: (digits: number) => string;
  /** Holds an aggregate or a window call. */
  aggregate?: boolean;
  /** A decimal that always comes with the digits of its type; others may have fewer, and so then has a quotient of them. */
  fixedDigits?: boolean;
  /** A decimal that comes without digits where it is zero, as a difference: a sum with it may then have fewer than its type. */
  shortZero?: boolean;
  /** A choice between decimals of different digits, whose text has those of the branch in MySQL; or ROUND to more than there are. */
  branchDigits?: boolean;
  /** A decimal that MySQL may show as -0. */
  minusZero?: boolean;
  /** A column of an unsigned type is counted with. */
  unsigned?: boolean;
  /** A decimal below zero that MariaDB may yet hold for unsigned: made a whole number it becomes 0. */
  belowUnsigned?: boolean;
  /** A column's number that MySQL shows with zeros before it. */
  zerofill?: boolean;
  /** Bytes that are always so many, as those of a BINARY column, which MySQL fills up with zeros. */
  length?: number;
}

export interface PostgresContext extends Doubts {
  /** The text is a table's in information_schema, which MySQL encodes twice. */
  catalogue: boolean;
  /** The source is MariaDB, in which a remainder may be a zero below zero. */
  maria: boolean;
  resolve(path: readonly string[]): PostgresTerm;
  /** Absent where queries cannot stand. */
  query?(query: Query): QueryTranslation<PostgresTerm>;
  /** Absent where aggregates cannot stand. */
  call?(call: FunctionCall): PostgresTerm | undefined;
  term(node: Node): PostgresTerm;
}

const order: Stability[] = ["immutable", "stable", "volatile"];

export const worst = (...terms: readonly { stability: Stability }[]): Stability =>
  order[Math.max(0, ...terms.map(({ stability }) => order.indexOf(stability)))] as Stability;

/** A term made of others: nullable and stable as they are, unless told. Made of none, it is not NULL and immutable. */
export function made(
  sql: string,
  type: Type,
  form: ValueForm,
  parts: readonly PostgresTerm[],
  more: Partial<PostgresTerm> = {},
): PostgresTerm {
  const aggregate = parts.some((part) => part.aggregate === true);
  const minusZero = parts.some((part) => part.minusZero === true);
  const unsigned = parts.some((part) => part.unsigned === true);
  const belowUnsigned = parts.some((part) => part.belowUnsigned === true);
  const branchDigits = parts.some((part) => part.branchDigits === true);
  return {
    sql,
    type,
    form,
    nullable: parts.some(({ nullable }) => nullable),
    stability: worst(...parts),
    ...(aggregate ? { aggregate } : {}),
    ...(minusZero ? { minusZero } : {}),
    ...(unsigned ? { unsigned } : {}),
    ...(belowUnsigned ? { belowUnsigned } : {}),
    ...(branchDigits ? { branchDigits } : {}),
    ...more,
  };
}

/** A text literal's value. */
export const constantText = (term: PostgresTerm): string | undefined =>
  term.constant !== undefined && "text" in term.constant ? term.constant.text : undefined;

const truth: Type = { kind: "int", min: 0n, max: 1n, unsigned: false };

export const condition = (
  sql: string,
  parts: readonly PostgresTerm[],
  more: Partial<PostgresTerm> = {},
): PostgresTerm => made(sql, truth, "boolean", parts, more);

/** A text literal whose type is told, so that no operator is chosen by guess. */
export const textLiteral = (value: string): string => `${literal(value).trimStart()}::text`;

/** The form that the copy gives to a column, from its DDL type; enums are told by the source's type. */
export function formOf(targetType: string, source: Type): ValueForm {
  const type = targetType.toLowerCase();
  if (/^smallint\b/.test(type)) return "smallint";
  if (/^integer\b/.test(type)) return "integer";
  if (/^bigint\b/.test(type)) return "bigint";
  if (/^numeric\b/.test(type)) return "numeric";
  if (/^double precision$/.test(type)) return "double";
  if (/^(varchar|character varying|text)\b/.test(type) && !/\[\]$/.test(type)) return "text";
  if (/^(timestamptz|timestamp(\(\d\))? with time zone)/.test(type)) return "timestamptz";
  if (/^timestamp\b/.test(type)) return "timestamp";
  if (/^time(\(\d\))?( without time zone)?$/.test(type)) return "time";
  if (/^interval\b/.test(type)) return "interval";
  if (/^(boolean|real|bytea|date|json|jsonb|uuid)$/.test(type)) return type as ValueForm;
  return source.kind === "enum" ? "enum" : "other";
}

/** Whole numbers by the smallest type that the range needs. */
export const integerForm = (min: bigint, max: bigint): ValueForm =>
  min >= -(2n ** 31n) && max < 2n ** 31n ? "integer" : min >= least64 && max <= most64 ? "bigint" : "numeric";

export const words = (term: PostgresTerm): string => formatType(term.type);

/** As a condition: MySQL takes any number but zero for true. */
export function asCondition(term: PostgresTerm): string {
  if (term.form === "boolean") return term.sql;
  if (term.type.kind === "null") return "NULL::boolean";
  const number = asNumber(term);
  return `(${number.sql} <> 0)`;
}

/** As a number. Errors: Refusal where MySQL would convert text or time. */
export function asNumber(term: PostgresTerm): PostgresTerm {
  const { type, form } = term;
  if (term.unrounded !== undefined)
    refuse("a quotient is counted on with, which MySQL does with more digits than it shows");
  switch (type.kind) {
    case "int":
      return form === "boolean" ? { ...term, sql: `(${term.sql})::integer`, form: "integer" } : term;
    case "decimal":
    case "float":
      return term;
    case "null":
      return {
        ...term,
        sql: "NULL::integer",
        form: "integer",
        type: { kind: "int", min: 0n, max: 0n, unsigned: false },
      };
    default:
      return refuse(`${words(term)} is used as a number, which MySQL converts in its own way`);
  }
}

const filled = "the text of a ZEROFILL column, before which MySQL writes zeros";

/** As text, exactly as MySQL writes the value. */
export function asText(term: PostgresTerm): PostgresTerm {
  const { type, form, sql } = term;
  const as = (written: string, ascii: boolean, more: Partial<PostgresTerm> = {}): PostgresTerm => ({
    ...term,
    sql: written,
    form: "text",
    type: { kind: "text", collation: undefined, ascii },
    ...more,
  });
  switch (type.kind) {
    case "text":
      return term;
    case "null":
      return as("NULL::text", true);
    case "int":
      if (term.zerofill === true) return refuse(filled);
      if (isBit(type)) return refuse("the text of a BIT, which is its byte in MySQL");
      if (form === "boolean") return as(`((${sql})::integer)::text`, true);
      return as(`(${sql})::text`, true);
    case "decimal":
      if (type.scale === undefined) return refuse("the number of digits of a decimal is not known");
      if (term.zerofill === true) return refuse(filled);
      if (term.branchDigits === true)
        return refuse("the text of a choice between decimals of different digits, or of ROUND to more than there are");
      if (term.minusZero === true) return refuse("the text of a remainder, which MySQL may write as -0");
      return as(`(${sql})::text`, true);
    case "enum":
      return as(`(${sql})::text`, true, {
        type: { kind: "text", collation: type.collation, ascii: type.labels.every(isAscii) },
        stability: form === "text" ? term.stability : worst(term, { stability: "stable" }),
      });
    case "date":
      return as(`to_char(${sql}, 'YYYY-MM-DD')`, true, { stability: worst(term, { stability: "stable" }) });
    case "datetime": {
      if (type.zoned) return refuse("the text of a timestamp depends on the session's time zone");
      const fraction = { 0: "", 3: ".MS", 6: ".US" }[type.digits];
      if (fraction === undefined) return refuse(`text of a datetime with ${type.digits} digits`);
      return as(`to_char(${sql}, 'YYYY-MM-DD HH24:MI:SS${fraction}')`, true, {
        stability: worst(term, { stability: "stable" }),
      });
    }
    case "year":
      return as(`lpad((${sql})::text, 4, '0')`, true);
    case "uuid":
      return as(`(${sql})::text`, true);
    default:
      return refuse(`${words(term)} is used as text, which MySQL writes in its own way`);
  }
}
