import { literal } from "../../mysql/names.ts";
import type { Doubts } from "../refusal.ts";
import type { Type } from "../types.ts";

/** A translated expression: MySQL's text, and what PostgreSQL means by it. */

export interface Term {
  /** Binds like a name: parenthesised where it is more than one. */
  sql: string;
  type: Type;
  nullable: boolean;
  constant?: string;
  /** A boolean column or constant, which MySQL's CHECK does not take for a condition. */
  bare?: boolean;
  /** Holds the present time. */
  present?: boolean;
}

export interface Context extends Doubts {
  /** The collation that compares bytes, without padding. */
  binary: string;
  resolve(path: readonly string[]): Term;
}

/** A text literal whose character set is told, whatever the session's is. */
export const textLiteral = (value: string): string => `_utf8mb4${literal(value)}`;

export function made(sql: string, type: Type, parts: readonly Term[]): Term {
  return {
    sql,
    type,
    nullable: parts.some(({ nullable }) => nullable),
    ...(parts.some(({ present }) => present === true) ? { present: true } : {}),
  };
}
