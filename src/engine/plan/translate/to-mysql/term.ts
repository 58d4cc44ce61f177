import { literal } from "../../../mysql/driver/names.ts";
import type { QueryTranslation } from "../queries.ts";
import type { Doubts } from "../refusal.ts";
import type { FunctionCall, Node, Query } from "../tree.ts";
import type { Type } from "../types.ts";

/** A translated expression: MySQL's text, and what PostgreSQL means by it. */

export interface MysqlTerm {
  /** Binds like a name: parenthesised where it is more than one. */
  sql: string;
  type: Type;
  nullable: boolean;
  constant?: string;
  /** A boolean column or constant, which MySQL's CHECK does not take for a condition. */
  bare?: boolean;
  /** Holds the present time. */
  present?: boolean;
  /** Text whose collation in the target is that of bytes already. */
  exact?: boolean;
  /** Holds an aggregate or a window call. */
  aggregate?: boolean;
}

export interface MysqlContext extends Doubts {
  /** The collation that compares bytes, without padding. */
  binary: string;
  maria: boolean;
  resolve(path: readonly string[]): MysqlTerm;
  term(node: Node): MysqlTerm;
  /** Told where PostgreSQL fails beyond its type and MySQL counts on; refuses that where a column keeps the value. */
  beyond(words: string): void;
  /** Absent where queries cannot stand. */
  query?(query: Query): QueryTranslation<MysqlTerm>;
  /** Aggregates and window functions; absent where they cannot stand. */
  call?(call: FunctionCall): MysqlTerm | undefined;
}

/**
 * A text literal whose character set is told, whatever the session's is. MariaDB keeps one with a character set neither
 * escaped nor decoded, and reads it back as code or as other text: what is not plain is left to the session's, which is pinned.
 */
export const textLiteral = (value: string): string =>
  /^[ -&(-[\]-~]*$/.test(value) ? `_utf8mb4${literal(value)}` : literal(value);

/** Compared and put out as bytes: literals have the session's collation, and functions their arguments'. */
export const asBytes = (
  context: Pick<MysqlContext, "binary">,
  { sql, exact }: Pick<MysqlTerm, "sql" | "exact">,
): string => (exact === true ? sql : `(${sql} COLLATE ${context.binary})`);

export function made(sql: string, type: Type, parts: readonly MysqlTerm[], more: Partial<MysqlTerm> = {}): MysqlTerm {
  return {
    sql,
    type,
    nullable: parts.some(({ nullable }) => nullable),
    ...(parts.some(({ present }) => present === true) ? { present: true } : {}),
    ...(parts.some(({ aggregate }) => aggregate === true) ? { aggregate: true } : {}),
    ...more,
  };
}

export const isPlainText = ({ type }: MysqlTerm): boolean => type.kind === "text" && type.fixed !== true;
