import type { SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { columnsOf } from "../../../mysql/catalogue/partitions.ts";
import { columnKey, type Scheme } from "../columns/column-plan.ts";
import { fixedColumns } from "../columns/expressions.ts";
import { createNames } from "./names.ts";

/** Names that the tables of a run share. */

/** What the user's options say about names and types. */
export type NamingOptions = Pick<
  Scheme,
  "schema" | "zero" | "forced" | "rowless" | "sourceVersion" | "targetVersion" | "icu" | "postgis" | "btreeGist"
>;

/** Names of tables first, so that they stay as they are. `taken`: relations and types that are in the schema already. */
export function createScheme(
  database: string,
  maria: boolean,
  tables: readonly SourceTable[],
  taken: Iterable<string>,
  wishes: NamingOptions,
): Scheme {
  const names = createNames(taken);
  const targets = new Map(tables.map(({ name }) => [name, names.take(name, `table ${name}`)]));
  const joined = new Set<string>();
  for (const table of tables) {
    for (const { columns, referencedTable, referencedColumns } of table.foreignKeys) {
      for (const column of columns) joined.add(columnKey(table.name, column));
      for (const column of referencedColumns) joined.add(columnKey(referencedTable, column));
    }
  }
  for (const table of tables) for (const { name } of fixedColumns(table)) joined.add(columnKey(table.name, name));
  for (const { name, partitions } of tables)
    for (const column of columnsOf(partitions?.expression ?? "") ?? []) joined.add(columnKey(name, column));
  return {
    database,
    maria,
    tables: targets,
    names,
    given: new Map(),
    shared: new Map(),
    refused: new Map(),
    joined,
    ...wishes,
  };
}

/** The name for something that belongs to a table; the same at each call. */
export function nameFor(scheme: Scheme, identity: string, wanted: string): string {
  const known = scheme.given.get(identity);
  if (known !== undefined) return known;
  const name = scheme.names.take(wanted, identity);
  scheme.given.set(identity, name);
  return name;
}
