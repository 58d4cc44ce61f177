import { EngineError } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import type { ColumnPlan } from "./column-plan.ts";

/**
 * Tables of very many columns. InnoDB keeps half a page a row, 8,126 bytes of a page of 16 KB, and its strict mode refuses
 * tables of which some row might be longer, though those that there are may not be.
 */

/** Below what InnoDB has, for the row's own head. */
const pageBytes = 7_900;
/** What a long text or BLOB may leave in the page. */
const outsideBytes = 41;
/** Shorter ones lie in the page whole. */
const insideBytes = 258;

export const isWide = (columns: readonly ColumnPlan[]): boolean =>
  columns.reduce((sum, { type }) => sum + (type.bytes <= insideBytes ? type.bytes : outsideBytes), 0) +
    columns.length / 4 >
  pageBytes;

/** Lets a wide table be made and changed; where the user may not turn the strict mode off, the server's error tells what is wrong. */
export async function leniently<T>(session: Session, wide: boolean, work: () => Promise<T>): Promise<T> {
  if (!wide) return work();
  await session.run("SET SESSION innodb_strict_mode = OFF").catch(unlessRefused);
  try {
    return await work();
  } finally {
    await session.run("SET SESSION innodb_strict_mode = ON").catch(unlessRefused);
  }
}

/** ER_SPECIFIC_ACCESS_DENIED_ERROR */
const unlessRefused = (error: unknown) => {
  if (errorNumber(error) !== 1227) throw error;
};

/** ER_TOO_MANY_FIELDS, ER_TOO_BIG_ROWSIZE */
const tooMuch = new Set([1117, 1118]);

/** Undefined for errors of another kind. */
export function tooWide(error: unknown, table: TableDefinition): EngineError | undefined {
  if (!(error instanceof EngineError) || !tooMuch.has(errorNumber(error) ?? 0)) return undefined;
  return new EngineError(
    "row_too_large",
    `table ${printable(tableName(table))}: its ${table.columns.length} columns do not fit into a row of the target: ${error.message}; set shorter types in options.types, skip the table with options.exclude and split it, or use a server with an innodb_page_size of 32K or 64K`,
    { cause: error },
  );
}
