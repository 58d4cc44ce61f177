import { EngineError } from "../contract/index.ts";

/** The rows of one table may cause them. */
const ofRows: ReadonlySet<string> = new Set(["database_error", "data_refused", "row_too_large", "unsupported_text"]);

/** The end of a run that cannot build a unique index, since the target takes two of the table's rows to be equal in it. */
export const duplicateKey = (table: string, said: string, cause: unknown): EngineError =>
  new EngineError("duplicate_key", `table ${table}: a unique index cannot be built: ${said}`, { cause });

/**
 * An error of loading a table, with the source's names of the table and, where the server tells it, of the column. What the
 * target answers to a value is `data_refused`: `isValue` knows its numbers or states. Pure.
 */
export function loadError(
  error: unknown,
  { table, column, isValue }: { table: string; column?: string | undefined; isValue(error: EngineError): boolean },
): unknown {
  if (!(error instanceof EngineError) || !ofRows.has(error.code)) return error;
  const refused = error.code === "database_error" && error.side !== "source" && isValue(error);
  const place = column === undefined ? `table ${table}` : `table ${table}, column ${column}`;
  return new EngineError(refused ? "data_refused" : error.code, `${place}: ${error.message}`, {
    retryable: error.retryable,
    cause: error,
    ...(error.side === undefined ? {} : { side: error.side }),
  });
}
