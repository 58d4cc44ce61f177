import type { CopyOptions } from "../../../contract/index.ts";
import type { Catalogue, SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { columnsOf } from "../../../mysql/catalogue/partitions.ts";
import type { Session as MysqlSession } from "../../../mysql/driver/session.ts";
import { nameOnce } from "../../unique-names.ts";
import { columnKey, type Scheme, type TargetTraits } from "../columns/column-plan.ts";
import { fixedColumns } from "../columns/expressions.ts";
import type { ObservedType } from "../columns/types.ts";
import { zeroDates } from "../options.ts";
import { createNames } from "./names.ts";

/** Names that the tables of a run share. */

/** What the user's options say about names and types. */
type NamingOptions = Pick<
  Scheme,
  "schema" | "zero" | "forced" | "rowless" | "sourceVersion" | "targetVersion" | "icu" | "postgis" | "btreeGist"
>;

export interface MysqlSource {
  session: MysqlSession;
  database: string;
  catalogue: Catalogue;
}

export interface PlanOptions extends TargetTraits, Pick<Scheme, "schema" | "forced"> {
  options: CopyOptions;
  /** What the target shows that the data have taught of a table; nothing where there is no copy yet. */
  observedTypes?: (table: string) => ReadonlyMap<string, ObservedType>;
}

/** By the servers and the options of a run. `taken`: as for `createScheme`. */
export const schemeFor = (
  { session: { server }, database, catalogue }: MysqlSource,
  { options, observedTypes: _, ...wishes }: PlanOptions,
  taken: Iterable<string> = [],
): Scheme =>
  createScheme(database, server.maria, catalogue.tables, taken, {
    ...wishes,
    zero: zeroDates(options),
    rowless: options.content === "schema",
    sourceVersion: server.version,
  });

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
export const nameFor = (scheme: Scheme, identity: string, wanted: string): string =>
  nameOnce(scheme.given, scheme.names, identity, wanted);
