import type { Random } from "../../chaos/random.ts";

/** What a random column can be: how it is declared, what values it takes, and how each server's reader writes them alike. */

export type Engine = "mysql" | "postgres";

/** The servers that a case passes. */
export type Server = "mysql" | "mariadb" | "postgres";

export const engineOf = (server: Server): Engine => (server === "postgres" ? "postgres" : "mysql");

export const quote = (name: string, engine: Engine): string =>
  engine === "mysql" ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;

/** What a session of a reader begins with. */
export const begin = (engine: Engine): string =>
  engine === "mysql" ? "SET time_zone = '+00:00', sql_mode = ''" : "SET TimeZone = 'UTC'; SET extra_float_digits = 3";

export interface Value {
  /** As SQL of the source. */
  literal: string;
  /** Canonical text that a MySQL or PostgreSQL database must give; null for NULL. */
  expect: Record<Engine, string | null>;
  /** SQL of PostgreSQL that gives the value, where it depends on what the database takes for letters (compare/letters.ts). */
  asked?: string;
}

export interface Kind {
  name: string;
  /** Statements before the table, if the type needs some. */
  before?: string;
  type: string;
  value(random: Random): Value;
  /** The column's text, as SQL of a server that has the value; absent: the value's fate there is not for this reader. */
  read: Partial<Record<Engine, (column: string) => string>>;
  /** Makes one spelling of the texts that are equal. */
  canonical?(text: string, engine: Engine): string;
  /** May stand in an index. */
  keyed?: boolean;
  /** Takes an expression as its default; each with its value. */
  expressions?: readonly Value[];
  /** By default the present time, with so many digits after the second; also after each change of the row. */
  clock?: { digits: number; updates: boolean };
  /** Has numbers that MySQL's JSON may change: a report counts the values that it did. */
  exact?: boolean;
  /** Texts of which the source's collation takes no two for equal: the column can be unique by itself. */
  distinct?: boolean;
  /** A value that a server on the way has not: the copy ends, and names the column. */
  refused?(value: Value, way: readonly Server[]): boolean;
  /** Takes a literal as its default that every server must carry over. */
  defaulted?: boolean;
  /** No column of a table with partitions: MySQL has none of these there. */
  whole?: boolean;
  /** What a report must say of a column that has values, where the other server cannot hold them. */
  said?: RegExp;
  /** PostgreSQL's collation takes a letter and its other case for equal. */
  folds?: boolean;
  /** The ways that it may go; absent: all. */
  goes?(way: readonly Server[]): boolean;
}

export const same = (literal: string, text: string | null): Value => ({
  literal,
  expect: { mysql: text, postgres: text },
});
export const plain = (column: string): string => `CAST(${column} AS char)`;
export const asText = (column: string): string => `(${column})::text`;
/** One copy: what the target makes of a value is not read again as a source. */
export const oneCopy = (way: readonly Server[]): boolean => way.length === 2;
