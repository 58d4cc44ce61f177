import { bareName, isFoldingName } from "../collation.ts";
import { refuse } from "../refusal.ts";
import { formatType, type Type } from "../types.ts";
import { plainly } from "./arithmetic.ts";
import { asBytes, type MysqlContext, type MysqlTerm, made, textLiteral } from "./term.ts";

/** Comparisons. Text is compared by bytes, as PostgreSQL's deterministic collations tell equal from different. */

export function compare(context: MysqlContext, op: string, a: MysqlTerm, b: MysqlTerm): MysqlTerm {
  const nullSafe = op === "IS DISTINCT FROM" || op === "IS NOT DISTINCT FROM";
  const [left, right] = sides(context, nullSafe ? "=" : op, a, b);
  const sql = nullSafe ? `(${left} <=> ${right})` : `(${left} ${op} ${right})`;
  const result = made(op === "IS DISTINCT FROM" ? `(NOT ${sql})` : sql, { kind: "boolean" }, [a, b]);
  return nullSafe ? { ...result, nullable: false } : result;
}

function sides(context: MysqlContext, op: string, a: MysqlTerm, b: MysqlTerm): [string, string] {
  const [x, y] = [a.type, b.type];
  const ordering = op !== "=" && op !== "<>";
  if (x.kind === "null" || y.kind === "null") return [a.sql, b.sql];
  if (x.kind === "text" && y.kind === "text") {
    if (x.fixed === true || y.fixed === true) return refuse("character(n), whose trailing spaces do not count");
    equalText(context, x.collation, y.collation);
    if (ordering) orderedText(context, x.collation ?? y.collation);
    return [asBytes(context, a), b.sql];
  }
  if (x.kind === "enum" || y.kind === "enum") return labels(context, ordering, a, b);
  if (comparable(x, y)) return [plainly(a), plainly(b)];
  return refuse(`${formatType(x)} compared with ${formatType(y)}`);
}

function labels(context: MysqlContext, ordering: boolean, a: MysqlTerm, b: MysqlTerm): [string, string] {
  const [column, literal] = a.constant === undefined ? [a, b] : [b, a];
  const { type } = column;
  if (ordering || literal.constant === undefined || column.constant !== undefined || type.kind !== "enum")
    return refuse("an enum compared with what is no literal");
  return [asBytes(context, column), textLiteral(literal.constant)];
}

const isNumber = ({ kind }: Type): boolean => kind === "int" || kind === "decimal";

/** Values that both engines compare alike. */
function comparable(x: Type, y: Type): boolean {
  if (isNumber(x) && isNumber(y)) return true;
  if (x.kind === "float" && y.kind === "float") return x.bits === y.bits;
  if (x.kind === "datetime" && y.kind === "datetime") return x.zoned === y.zoned;
  return x.kind === y.kind && /^(boolean|bytes|date)$/.test(x.kind);
}

/** Bytes tell text apart, which is not so in every collation of PostgreSQL's. */
export function equalText(context: MysqlContext, ...collations: readonly (string | undefined)[]): void {
  const folding = collations.find(isFoldingName);
  if (folding === undefined) return;
  context.doubt(
    `text is compared by PostgreSQL's collation ${bareName(folding)}, which takes for equal what has other bytes`,
  );
}

/** MySQL has no collations of PostgreSQL's but that of bytes. */
function orderedText(context: MysqlContext, collation: string | undefined): void {
  if (collation === "C" || collation === "POSIX" || collation === "ucs_basic") return;
  context.doubt(
    `text is ordered by PostgreSQL's collation ${bareName(collation ?? "of the database")}, which MySQL does not have`,
  );
}

/** Whether values are ordered alike; text by what `orderedText` says. Errors: Refusal. */
export function orderable(context: MysqlContext, term: MysqlTerm): string {
  const { type } = term;
  if (type.kind === "text") {
    if (type.fixed === true) return refuse("character(n), whose trailing spaces do not count");
    orderedText(context, type.collation);
    return asBytes(context, term);
  }
  if (comparable(type, type)) return term.sql;
  return refuse(`an order of ${formatType(type)}`);
}

/** Values that are told apart alike, as by GROUP BY and DISTINCT. Errors: Refusal. */
export function distinguished(context: MysqlContext, term: MysqlTerm, where: string): string {
  const { type } = term;
  if (type.kind === "text") {
    if (type.fixed === true) return refuse("character(n), whose trailing spaces do not count");
    equalText(context, type.collation);
    return asBytes(context, term);
  }
  if (type.kind === "enum" || comparable(type, type)) return term.sql;
  return refuse(`${where} of ${formatType(type)}`);
}
