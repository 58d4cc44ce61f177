import { identifier as mysqlIdentifier } from "../mysql/names.ts";
import { identifier as postgresIdentifier } from "../postgres/names.ts";
import type { Canon } from "./canon.ts";
import { type Hash, hashed } from "./dialect.ts";
import type { MysqlType, PostgresType } from "./types.ts";

/**
 * How one column is compared: `piece` is an SQL text that is the same on both sides for the same value and tells where
 * it ends; with `canon` it is made alike here instead. `plain` shows a key's value to a person.
 */
export interface Expression {
  piece: string;
  plain: string;
}

export interface Form {
  source: Expression;
  target: Expression;
  canon?: Canon;
}

export interface Uncompared {
  uncompared: string;
}

export interface Rules {
  /** As CopyOptions: `null`, `fail` or the date in place of one with a zero in it. */
  zero_dates?: string | undefined;
}

export const same = (piece: string): Expression => ({ piece, plain: piece });

/** Characters up to which a text goes into a row's hash as it is; longer ones by a hash of their own. */
export const inlineCharacters = 64;

export const mysql = {
  column: mysqlIdentifier,
  /** A text in UTF-8, its bytes compared. */
  text: (column: string, type: MysqlType): string =>
    type.characterSet === "utf8mb4" && !["enum", "set"].includes(type.name)
      ? `${column} COLLATE utf8mb4_bin`
      : `CONVERT(${column} USING utf8mb4) COLLATE utf8mb4_bin`,
  asText: (expression: string): string => `CAST(${expression} AS CHAR CHARACTER SET utf8mb4)`,
  piece: (hash: Hash, text: string, long: boolean): Expression => ({
    piece: long ? hashed.mysql(hash, text) : `CONCAT(LENGTH(${text}), ':', ${text})`,
    plain: text,
  }),
  bytes: (hash: Hash, expression: string): Expression => ({
    piece: hashed.mysql(hash, expression),
    plain: `HEX(${expression})`,
  }),
  /** Digits after the point without the zeros at their end. */
  trimmed: (expression: string, digits: number): string =>
    digits === 0
      ? expression
      : `TRIM(TRAILING '.' FROM TRIM(TRAILING '0' FROM CAST(${expression} AS CHAR CHARACTER SET ascii)))`,
};

export const postgres = {
  column: postgresIdentifier,
  piece: (hash: Hash, text: string, long: boolean, utf8: boolean): Expression => ({
    piece:
      long || !utf8 ? hashed.postgresText(hash, text, utf8) : `(pg_catalog.octet_length(${text}) || ':' || ${text})`,
    plain: text,
  }),
  bytes: (hash: Hash, expression: string): Expression => ({
    piece: hashed.postgresBytes(hash, expression),
    plain: `pg_catalog.upper(pg_catalog.encode(${expression}, 'hex'))`,
  }),
  text: (column: string): string => `${column}::pg_catalog.text`,
  /** What COPY writes, which for addresses and padded text is not the cast's. */
  output: (column: string): string => `CASE WHEN ${column} IS DISTINCT FROM NULL THEN pg_catalog.concat(${column}) END`,
  trimmed: (column: string): string =>
    `CASE WHEN pg_catalog.strpos(${column}::pg_catalog.text, '.') > 0 THEN pg_catalog.rtrim(pg_catalog.rtrim(${column}::pg_catalog.text, '0'), '.') ELSE ${column}::pg_catalog.text END`,
};

export const isLong = (type: MysqlType | PostgresType): boolean =>
  type.length === null ||
  type.length > inlineCharacters ||
  (type.engine === "mysql" && /text|blob|json/.test(type.name));

export const mysqlIntegers = new Set(["tinyint", "smallint", "mediumint", "int", "bigint", "year"]);
export const mysqlBinaries = new Set(["binary", "varbinary", "tinyblob", "blob", "mediumblob", "longblob", "vector"]);
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
export const postgresTexts = new Set(["text", "varchar", "bpchar", "name", "citext", "char"]);

export const isBinary = (type: MysqlType): boolean =>
  mysqlBinaries.has(type.name) || (type.characterSet === "binary" && mysqlTexts.has(type.name));
