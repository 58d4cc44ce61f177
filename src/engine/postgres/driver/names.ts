import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";

/** Names and literals in PostgreSQL's SQL. A name from a catalogue is data: it is always quoted. */

/** `a"b` → `"a""b"`. Always quoted, so that no list of reserved words is needed. */
export const identifier = (name: string): string => `"${withoutNul(name).replaceAll('"', '""')}"`;

/** `["s", "t"]` → `"s"."t"`. */
export const qualified = (...names: readonly string[]): string => names.map(identifier).join(".");

/** A string literal that means the same under either setting of standard_conforming_strings. Errors: `unsupported_text`. */
export function literal(text: string): string {
  const quoted = `'${withoutNul(text).replaceAll("'", "''").replaceAll("\\", "\\\\")}'`;
  return text.includes("\\") ? ` E${quoted}` : quoted;
}

/** The protocol ends a statement at its first NUL, and what follows would be read as another message. */
function withoutNul(text: string): string {
  if (!text.includes("\0")) return text;
  throw new EngineError(
    "unsupported_text",
    `the text "${printable(text).slice(0, 100)}" holds a NUL character, which PostgreSQL cannot store: remove it from the source's schema`,
  );
}

/** SQL of one name, an expression of a catalogue's, as full-name.ts writes it. */
export const partSql = (column: string): string =>
  `CASE WHEN ${column} ~ '[ ."(),]' THEN '"' || pg_catalog.replace(${column}::pg_catalog.text, '"', '""') || '"' ELSE ${column}::pg_catalog.text END`;

/** SQL of several, from outside in. */
export const fullNameSql = (...columns: readonly string[]): string =>
  columns.map((column) => `(${partSql(column)})`).join(" || '.' || ");

/** A condition that the server looks up, however many there are. */
export const notAmong = (column: string, oids: ReadonlySet<number>): string =>
  oids.size === 0
    ? "true"
    : `NOT ${column} IN (SELECT pg_catalog.unnest('{${[...oids].join(",")}}'::pg_catalog.oid[]))`;
