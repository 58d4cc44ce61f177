import { type Cursor, createCursor } from "./cursor.ts";
import { parseExpression } from "./parse-expression.ts";
import { parseQuery } from "./parse-query.ts";
import type { Dialect } from "./tokens.ts";

/** A cursor at the beginning of the text, on which expressions and queries are read. */
export const open = (sql: string, dialect: Dialect): Cursor =>
  createCursor(sql, dialect, { expression: parseExpression, query: parseQuery });
