import { unescaped } from "../../mysql/catalogue/catalogue.ts";
import { keepable } from "../../mysql/driver/names.ts";
import type { ColumnMeaning, DatabaseProduct, ExpressionOptions, SourceRelation, Translated } from "./meaning.ts";
import { open } from "./parse.ts";
import { attempt, lenient, refuse, strict } from "./refusal.ts";
import { nameOfType } from "./to-mysql/columns.ts";
import { bytesOf, expressionToMysql } from "./to-mysql/index.ts";
import { translateQuery as queryToMysql } from "./to-mysql/query.ts";
import { expressionToPostgres } from "./to-postgres/index.ts";
import { hasFixedDigits } from "./to-postgres/numbers.ts";
import { translateQuery as queryToPostgres } from "./to-postgres/query.ts";
import type { ValueForm } from "./to-postgres/term.ts";
import type { Node, Query } from "./tree.ts";
import { mysqlTypeName } from "./types.ts";

export type { ColumnMeaning, DatabaseProduct, SourceRelation, Translated, Use } from "./meaning.ts";

/**
 * Translates SQL between MySQL or MariaDB and PostgreSQL where the result is proven to be the same for every value that
 * the copy can bring (docs/translation.md; test/engine/translate/*.test.ts compare both servers' answers). All else is
 * refused with a reason: the caller reports it with the source's own text. Pure, and quick: no parser is loaded.
 */

/**
 * `reason` follows "not translated: ". With `draft` there is a text that would run and differs in what `reason` says and
 * in nothing else, for a person to take or leave; it is never to be created unasked.
 */
interface Refused {
  reason: string;
  draft?: string;
}

/**
 * `sql`: as information_schema shows it (MySQL's EXPRESSION, GENERATION_EXPRESSION and CHECK_CLAUSE have escaped quotes;
 * its COLUMN_DEFAULT too), or as pg_get_expr() and pg_get_constraintdef() do (without the word CHECK).
 */
export const translateExpression = (sql: string, options: ExpressionOptions): Translated | Refused =>
  withDraft((doubt) => translate(sql, options, doubt));

/** Where a doubt refuses the translation, what it would have been is its draft. */
function withDraft<Found extends { sql: string }>(work: (doubt: (reason: string) => void) => Found): Found | Refused {
  const outcome = attempt(() => work(strict.doubt));
  if (!("reason" in outcome)) return outcome;
  const doubts = lenient();
  const draft = attempt(() => work(doubts.doubt));
  if ("reason" in draft || doubts.reasons.length === 0) return outcome;
  return { reason: doubts.reasons.join("; "), draft: draft.sql };
}

function translate(sql: string, options: ExpressionOptions, doubt: (reason: string) => void): Translated {
  const { from, to } = options;
  const postgres = from.engine === "postgres";
  if (postgres === (to.engine === "postgres")) refuse("both servers are of one kind");
  const text = from.engine === "mysql" ? unescaped(sql) : sql;
  const cursor = open(text, postgres ? "postgres" : "mysql");
  const node: Node = cursor.expression();
  cursor.end();
  return postgres ? expressionToMysql(node, options, doubt) : expressionToPostgres(node, options, doubt);
}

export interface ViewOptions {
  from: DatabaseProduct;
  to: DatabaseProduct;
  /** Undefined, or with the reason: it is not copied, so that views on it are not either. [database, name] or [name]. */
  relation(path: readonly string[]): SourceRelation | { reason: string } | undefined;
}

interface TranslatedView {
  /** A query, to stand behind CREATE VIEW … AS. */
  sql: string;
  /** What other views see; the names are the source's. */
  columns: Map<string, ColumnMeaning>;
  /** For the report. */
  notes: string[];
}

/**
 * `sql`: VIEW_DEFINITION of information_schema, or SHOW CREATE VIEW from its SELECT on; from PostgreSQL pg_get_viewdef()
 * under an empty search_path.
 */
export const translateView = (sql: string, options: ViewOptions): TranslatedView | Refused =>
  withDraft((doubt) => view(sql, options, doubt));

function view(sql: string, options: ViewOptions, doubt: (reason: string) => void): TranslatedView {
  const { from, to } = options;
  const postgres = from.engine === "postgres";
  if (postgres === (to.engine === "postgres")) refuse("both servers are of one kind");
  const cursor = open(sql.replace(/;\s*$/, ""), postgres ? "postgres" : "mysql");
  const query = cursor.query();
  if (cursor.took("WITH")) refuse("WITH CHECK OPTION is not translated");
  cursor.end();
  return postgres ? viewToMysql(query, options, doubt) : viewToPostgres(query, options, doubt);
}

function viewToPostgres(
  query: Query,
  { from, relation }: ViewOptions,
  doubt: (reason: string) => void,
): TranslatedView {
  const notes = new Set<string>();
  const found = queryToPostgres({ relation, doubt, maria: from.engine === "mariadb", notes }, query);
  const columns = found.columns.map(({ name, term }): [string, ColumnMeaning] => {
    const { type, form, nullable, unrounded, zerofill, minusZero, unsigned, belowUnsigned } = term;
    const meaning: ColumnMeaning = {
      name,
      sourceType: `${mysqlTypeName(type)}${type.kind === "decimal" && unsigned === true ? " unsigned" : ""}${zerofill === true ? " zerofill" : ""}`,
      targetType: unrounded === undefined ? typeOf[form] : "other",
      nullable,
      collation: type.kind === "text" || type.kind === "enum" ? (type.collation ?? null) : null,
      digitsVary: !hasFixedDigits(term),
      shortZero: term.shortZero === true,
      minusZero: minusZero === true,
      belowUnsigned: belowUnsigned === true,
    };
    return [name, meaning];
  });
  return { sql: found.sql, columns: new Map(columns), notes: [...notes] };
}

function viewToMysql(query: Query, { to, relation }: ViewOptions, doubt: (reason: string) => void): TranslatedView {
  const notes = new Set<string>();
  const maria = to.engine === "mariadb";
  const views = { binary: bytesOf(to), maria, version: to.version, relation, doubt, notes };
  const found = queryToMysql(views, query);
  const columns = found.columns.map(({ name, term: { type, nullable } }): [string, ColumnMeaning] => {
    const [sourceType, targetType] = nameOfType(type);
    const collation = type.kind === "text" ? (type.collation ?? "default") : null;
    const labels = type.kind === "enum" ? { labels: type.labels } : {};
    if (keepable(name) !== name) refuse(`MySQL cannot keep the column's name ${name}`);
    return [name, { name, sourceType, targetType, nullable, collation, ...labels }];
  });
  return { sql: found.sql, columns: new Map(columns), notes: [...notes] };
}

/** A type whose form is this one; `other` is no type, so that what is read from it is refused. */
const typeOf: Record<ValueForm, string> = {
  boolean: "boolean",
  smallint: "smallint",
  integer: "integer",
  bigint: "bigint",
  numeric: "numeric",
  real: "real",
  double: "double precision",
  text: "text",
  bytea: "bytea",
  date: "date",
  timestamp: "timestamp",
  timestamptz: "timestamptz",
  time: "time",
  interval: "interval",
  json: "json",
  jsonb: "jsonb",
  enum: "enum",
  uuid: "uuid",
  other: "other",
};
