import { identifier as mysqlIdentifier } from "../../mysql/driver/names.ts";
import { identifier as postgresIdentifier } from "../../postgres/driver/names.ts";
import type { CanonicalForm } from "./canonical.ts";
import { type Hash, hashExpression } from "./dialect.ts";
import type { MysqlType } from "./types.ts";

/**
 * How one column is compared: `args` are SQL texts that are the same on both sides for the same value and for no other,
 * and tell where they end; with `canonicalForm` the first is made alike here instead. `plain` shows a key's value to a person.
 */
export interface Expression {
  args: readonly string[];
  plain: string;
  /** NULL where the column is not: a value that has no home in the target. */
  nulls?: boolean;
}

export interface ComparedForm {
  source: Expression;
  target: Expression;
  canonicalForm?: CanonicalForm;
  /**
   * Cheaper SQL that is alike on both sides for the usual values only: where it is alike the values are, and where it is
   * not the form itself decides.
   */
  fast?: { source: Expression; target: Expression };
}

export interface Uncompared {
  uncompared: string;
}

export interface Rules {
  /** As CopyOptions: `null`, `fail` or the date in place of one with a zero in it. */
  zero_dates?: string | undefined;
}

export const same = (sql: string): Expression => ({ args: [sql], plain: sql });

/** Bytes up to which a text goes into a row's hash as it is; longer ones by a hash of their own. */
const inlineBytes = 1000;
const characterBytes = 4;

/** A text or bytes with its length; it is computed three times. `bound`: characters that it has at most. */
const whole = (length: string, value: string, digest: string, bound: number | null): string[] => {
  const short = bound !== null && bound * characterBytes <= inlineBytes;
  return [length, short ? value : `CASE WHEN ${length} <= ${inlineBytes} THEN ${value} ELSE ${digest} END`];
};

export const mysql = {
  column: mysqlIdentifier,
  /** A text in UTF-8. */
  text: (column: string, type: MysqlType): string =>
    type.characterSet === "utf8mb4" && !["enum", "set"].includes(type.name)
      ? column
      : `CONVERT(${column} USING utf8mb4)`,
  asText: (expression: string): string => `CAST(${expression} AS CHAR CHARACTER SET utf8mb4)`,
  /**
   * All digits of a number as a DOUBLE. `unsigned`: one side knows no zero below zero. `float`: the other side holds no more
   * than a FLOAT's digits either.
   */
  real(column: string, { maria, full, name }: MysqlType, { unsigned = false, float = false }): string {
    // A float's own text is rounded to six digits.
    const widened = `${column} * 1e0`;
    if (maria) return mysql.asText(`${widened}${unsigned ? " + 0e0" : ""}`);
    const exact = /^double( unsigned)?$/.test(full)
      ? mysql.asText(column)
      : float && name === "float"
        ? mysql.asText(widened)
        : // MySQL's text of what it computes has 22 characters at most, too few for some doubles; JSON's has all digits.
          `TRIM(TRAILING '.0' FROM ${mysql.asText(`CAST(${widened} AS JSON)`)})`;
    return unsigned ? `IF(${column} = 0, '0', ${exact})` : exact;
  },
  /** A text or bytes that are there as they are compared. */
  whole: (hash: Hash, value: string, bound: number | null): Expression => ({
    args: whole(`LENGTH(${value})`, value, hashExpression.mysql(hash, value), bound),
    plain: value,
  }),
  hashed: (hash: Hash, text: string): Expression => ({ args: [hashExpression.mysql(hash, text)], plain: text }),
  hashedBytes: (hash: Hash, bytes: string): Expression => ({
    args: [hashExpression.mysql(hash, bytes)],
    plain: `HEX(${bytes})`,
  }),
  /** Digits after the point without the zeros at their end. */
  trimmed: (expression: string, digits: number): string =>
    digits === 0
      ? expression
      : `TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST(${expression} AS CHAR CHARACTER SET ascii)))`,
};

export const postgres = {
  column: postgresIdentifier,
  whole: (hash: Hash, text: string, bound: number | null): Expression => ({
    args: whole(`pg_catalog.octet_length(${text})`, text, hashExpression.postgresText(hash, text, true), bound),
    plain: text,
  }),
  /** `utf8`: as Dialect. */
  hashed: (hash: Hash, text: string, utf8: boolean): Expression => ({
    args: [hashExpression.postgresText(hash, text, utf8)],
    plain: text,
  }),
  hashedBytes: (hash: Hash, bytes: string): Expression => ({
    args: [hashExpression.postgresBytes(hash, bytes)],
    plain: `pg_catalog.upper(pg_catalog.encode(${bytes}, 'hex'))`,
  }),
  text: (column: string): string => `${column}::pg_catalog.text`,
  /** What COPY writes, which for addresses and padded text is not the cast's. */
  output: (column: string): string => `CASE WHEN ${column} IS DISTINCT FROM NULL THEN pg_catalog.concat(${column}) END`,
  trimmed: (column: string): string =>
    `CASE WHEN pg_catalog.strpos(${column}::pg_catalog.text, '.') > 0 THEN pg_catalog.rtrim(pg_catalog.rtrim(${column}::pg_catalog.text, '0'), '.') ELSE ${column}::pg_catalog.text END`,
};

export const mysqlIntegers = new Set(["tinyint", "smallint", "mediumint", "int", "bigint", "year"]);
export const mysqlReals = new Set(["float", "double"]);
const mysqlBinaries = new Set(["binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob"]);
export const mysqlTexts = new Set(["char", "varchar", "tinytext", "text", "mediumtext", "longtext", "enum", "set"]);
export const mysqlShapes = new Set([
  "geometry",
  "point",
  "linestring",
  "polygon",
  "multipoint",
  "multilinestring",
  "multipolygon",
  "geomcollection",
  "geometrycollection",
]);
export const postgresIntegers = new Set(["int2", "int4", "int8"]);
/** Numbers without a sign, which are no integers to its SQL. */
export const postgresCounters = new Set(["oid", "xid", "cid", "xid8"]);
export const postgresTexts = new Set(["text", "varchar", "bpchar", "name", "citext", "char"]);

export const isBinary = (type: MysqlType): boolean =>
  mysqlBinaries.has(type.name) || (type.characterSet === "binary" && mysqlTexts.has(type.name));
