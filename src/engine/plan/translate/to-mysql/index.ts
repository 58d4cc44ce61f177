import { identifier } from "../../../mysql/driver/names.ts";
import type { ColumnMeaning, DatabaseProduct, ExpressionOptions, Translated } from "../meaning.ts";
import { refuse } from "../refusal.ts";
import type { Node } from "../tree.ts";
import { plainly } from "./arithmetic.ts";
import { columnTerm } from "./columns.ts";
import { createContext } from "./expression.ts";
import { asBytes, type MysqlTerm } from "./term.ts";

/** A PostgreSQL expression of a table in MySQL's or MariaDB's words. */

/** The collation that compares bytes, without padding. */
export const bytesOf = ({ engine }: DatabaseProduct): string =>
  engine === "mariadb" ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin";

export function expressionToMysql(
  node: Node,
  { to, columns, use, result }: ExpressionOptions,
  doubt: (reason: string) => void,
): Translated {
  const context = createContext({
    doubt,
    beyond: refuse,
    maria: to.engine === "mariadb",
    binary: bytesOf(to),
    resolve(path) {
      const column = columns.get(path.at(-1) ?? "");
      if (column === undefined) return refuse(`the column ${path.join(".")} is not known`);
      return columnTerm(column, identifier(column.name));
    },
  });
  const term = context.term(node);
  if (term.present === true && use !== "default") refuse("the present time is not translated there");
  if (use === "check" || use === "partial-index") {
    if (term.type.kind !== "boolean") refuse("a condition that is no boolean");
    return { sql: term.bare === true ? `(${term.sql} <> 0)` : term.sql, immutable: true };
  }
  if (use === "index" || use === "unique-index") {
    if (term.type.kind === "text") return { sql: asBytes(context, term), immutable: true };
    return { sql: term.sql, immutable: true };
  }
  if (result === undefined) return refuse("the column that takes the value is not known");
  return { sql: stored(term, result), immutable: term.present !== true };
}

/** The value as the column takes it; both engines refuse one that does not fit. */
function stored(term: MysqlTerm, column: ColumnMeaning): string {
  const { type } = columnTerm(column, "");
  const { kind } = term.type;
  if (kind === "null") return "NULL";
  const whole = kind === "int" && (type.kind === "int" || type.kind === "decimal");
  // Both round half away from zero.
  const decimal = kind === "decimal" && (type.kind === "decimal" || type.kind === "int");
  const fixed = type.kind === "text" && type.fixed === true;
  if (whole || decimal || (kind === type.kind && !fixed && /^(boolean|text|date|bytes)$/.test(kind)))
    return plainly(term);
  if (
    term.type.kind === "datetime" &&
    type.kind === "datetime" &&
    term.type.zoned === type.zoned &&
    term.type.digits <= type.digits
  )
    return term.sql;
  return refuse(`${kind} in a column of ${column.sourceType}`);
}
