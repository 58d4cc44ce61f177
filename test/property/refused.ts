import { isNamed } from "./compare/said.ts";
import type { Server } from "./kinds/index.ts";
import type { Table } from "./table.ts";

/** Values that end a copy, since the target has none like them. */

/** Columns with such a value. */
export const refusedIn = (tables: readonly Table[], way: readonly Server[]): string[] =>
  tables.flatMap(({ columns, rows }) =>
    columns.flatMap(({ name, kind }, at) =>
      rows.some((row) => row[at] != null && kind.refused?.(row[at], way) === true) ? [name] : [],
    ),
  );

/** The copy ends, and its message names one of the columns. */
export async function requireRefusal(riding: Promise<unknown>, columns: readonly string[]): Promise<void> {
  const error = await riding.then(
    () => new Error("values that the target has not were copied"),
    (failure: Error & { code?: string }) => failure,
  );
  const named = columns.some((column) => isNamed(error.message, column));
  if ((error as { code?: string }).code !== "data_refused" || !named)
    throw new Error(`a value that the target has not is to be refused, with its column, but ${error.message}`);
}
