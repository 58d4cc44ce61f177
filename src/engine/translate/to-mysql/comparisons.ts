import { refuse } from "../refusal.ts";
import { typeWords } from "../types.ts";
import { type Context, made, type Term, textLiteral } from "./term.ts";

/** Comparisons. Text is compared by bytes, as PostgreSQL's deterministic collations tell equal from different. */

export function compare(context: Context, op: string, a: Term, b: Term): Term {
  const nullSafe = op === "IS DISTINCT FROM" || op === "IS NOT DISTINCT FROM";
  const [left, right] = sides(context, nullSafe ? "=" : op, a, b);
  const sql = nullSafe ? `(${left} <=> ${right})` : `(${left} ${op} ${right})`;
  const result = made(op === "IS DISTINCT FROM" ? `(NOT ${sql})` : sql, { kind: "boolean" }, [a, b]);
  return nullSafe ? { ...result, nullable: false } : result;
}

function sides(context: Context, op: string, a: Term, b: Term): [string, string] {
  const [x, y] = [a.type, b.type];
  if (x.kind === "null" || y.kind === "null") return [a.sql, b.sql];
  const ordering = op !== "=" && op !== "<>";
  if (x.kind === "text" && y.kind === "text") {
    if (x.fixed === true || y.fixed === true) return refuse("character(n), whose trailing spaces do not count");
    const collation = x.collation ?? y.collation;
    if (ordering && collation !== "C" && collation !== "POSIX" && collation !== "ucs_basic")
      context.doubt(
        `text is ordered by PostgreSQL's collation ${collation ?? "of the database"}, which MySQL does not have`,
      );
    return [`(${a.sql} COLLATE ${context.binary})`, b.sql];
  }
  if (x.kind === "enum" || y.kind === "enum") {
    const [column, literal] = a.constant === undefined ? [a, b] : [b, a];
    if (ordering || literal.constant === undefined || column.constant !== undefined || column.type.kind !== "enum")
      return refuse("an enum compared with what is no literal");
    return [`(${column.sql} COLLATE ${context.binary})`, textLiteral(literal.constant)];
  }
  const numbers = (kind: string) => kind === "int" || kind === "decimal";
  if (numbers(x.kind) && numbers(y.kind)) return [a.sql, b.sql];
  if (x.kind === "float" && y.kind === "float" && x.bits === y.bits) return [a.sql, b.sql];
  if (x.kind === "boolean" && y.kind === "boolean") return [a.sql, b.sql];
  if (x.kind === "bytes" && y.kind === "bytes") return [a.sql, b.sql];
  if (x.kind === "date" && y.kind === "date") return [a.sql, b.sql];
  if (x.kind === "datetime" && y.kind === "datetime" && x.zoned === y.zoned) return [a.sql, b.sql];
  return refuse(`${typeWords(x)} compared with ${typeWords(y)}`);
}
