import { identifier } from "../../mysql/names.ts";
import type { ColumnMeaning, ExpressionOptions, Translated } from "../index.ts";
import { refuse } from "../refusal.ts";
import type { Node } from "../tree.ts";
import { postgresType } from "../types.ts";
import { createContext } from "./expression.ts";
import { asBytes, type Term } from "./term.ts";

/** A PostgreSQL expression of a table in MySQL's or MariaDB's words. */

export function columnTerm(column: ColumnMeaning, sql: string): Term {
  const type = postgresType(column.sourceType, column.collation, column.labels);
  const term: Term = { sql, type, nullable: column.nullable };
  const target = column.targetType.toLowerCase();
  const expected: Partial<Record<typeof type.kind, RegExp>> = {
    int: /^(tiny|small|medium|big)?int/,
    decimal: /^decimal/,
    float: /^double/,
    text: /^(varchar|char|(tiny|medium|long)?text)\b/,
    enum: /^enum/,
    bytes: /^(varbinary|binary|(tiny|medium|long)?blob)/,
    boolean: /^(tinyint|bool)/,
    date: /^date$/,
    datetime: /^datetime/,
    time: /^time\b/,
  };
  if (expected[type.kind]?.test(target) === true) return term;
  return { ...term, type: { kind: "other", name: `a column of ${column.sourceType} as ${column.targetType}` } };
}

export function expressionToMysql(
  node: Node,
  { to, columns, use, result }: ExpressionOptions,
  doubt: (reason: string) => void,
): Translated {
  const context = createContext({
    doubt,
    beyond: refuse,
    maria: to.engine === "mariadb",
    binary: to.engine === "mariadb" ? "utf8mb4_nopad_bin" : "utf8mb4_0900_bin",
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
    if (term.type.kind === "text") return { sql: asBytes(context, term.sql), immutable: true };
    return { sql: term.sql, immutable: true };
  }
  if (result === undefined) return refuse("the column that takes the value is not known");
  return { sql: stored(term, result), immutable: term.present !== true };
}

/** The value as the column takes it; both engines refuse one that does not fit. */
function stored(term: Term, column: ColumnMeaning): string {
  const { type } = columnTerm(column, "");
  const { kind } = term.type;
  if (kind === "null") return "NULL";
  const whole = kind === "int" && (type.kind === "int" || type.kind === "decimal");
  // Both round half away from zero.
  const decimal = kind === "decimal" && (type.kind === "decimal" || type.kind === "int");
  const fixed = type.kind === "text" && type.fixed === true;
  if (whole || decimal || (kind === type.kind && !fixed && /^(boolean|text|date|bytes)$/.test(kind))) return term.sql;
  if (
    term.type.kind === "datetime" &&
    type.kind === "datetime" &&
    term.type.zoned === type.zoned &&
    term.type.digits <= type.digits
  )
    return term.sql;
  return refuse(`${kind} in a column of ${column.sourceType}`);
}
