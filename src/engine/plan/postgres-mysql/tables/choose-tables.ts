import { type CopyRequest, EngineError, type InventoryEntry } from "../../../contract/index.ts";
import { printable } from "../../../contract/text/printable.ts";
import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { createSelection } from "../../../run/selection.ts";
import type { SourceView } from "./views.ts";

/** Which tables of the source become tables of the target, and what to say of the others. */
export interface Chosen {
  tables: TableDefinition[];
  /** Oids of what the options leave out. */
  left: ReadonlySet<number>;
  entries: InventoryEntry[];
}

/** InnoDB's. */
export const mostColumns = 1017;

/**
 * Partitions go with their root; foreign tables and tables without columns are reported. A pattern may name a view alone.
 * Errors: `too_many_columns`, `option_unmatched`.
 */
export function choose(
  all: readonly TableDefinition[],
  { options }: Pick<CopyRequest, "options">,
  views: readonly SourceView[] = [],
): Chosen {
  const selection = createSelection(options);
  const roots = all.filter(({ kind, root }) => kind !== "f" && root === null);
  selection.refuseUnmatched([
    ...roots.map(({ schema, name }) => ({ schema, table: name })),
    ...views.map(({ schema, view }) => ({ schema, table: view })),
  ]);
  const entries: InventoryEntry[] = [];
  const left = new Set<number>();
  const tables = roots.filter((table) => {
    if (!selection.has(table.schema, table.name)) {
      left.add(table.oid);
      entries.push({
        kind: "table",
        name: tableName(table),
        outcome: "not_applicable",
        note: "skipped by options.include or options.exclude",
      });
      return false;
    }
    if (table.columns.length > 0 && table.columns.length <= mostColumns) return true;
    if (table.columns.length > mostColumns)
      throw new EngineError(
        "too_many_columns",
        `table ${printable(tableName(table))} has ${table.columns.length} columns, and MySQL's tables have at most ${mostColumns}: leave it out with options.exclude`,
      );
    entries.push({
      kind: "table",
      name: tableName(table),
      outcome: "reported",
      note: "it has no columns, and MySQL has no such tables; the number of its rows is all that it holds",
      definition: `CREATE TABLE ${qualified(table.schema, table.name)} ()`,
    });
    return false;
  });
  for (const table of all) {
    if (table.root === null || table.kind === "f" || left.has(table.root)) continue;
    const own = table.checks.length + table.indexes.length;
    entries.push({
      kind: "table",
      name: tableName(table),
      outcome: "converted",
      note: `a partition: its rows are in the table of its root${own > 0 ? "; its own indexes and checks are those of the root" : ""}`,
    });
  }
  return { tables, left, entries };
}

/** Materialised views that are read as tables; names quoted. */
export const readAsTables = (tables: readonly TableDefinition[]): string[] =>
  tables.flatMap(({ kind, populated, schema, name }) => (kind === "m" && populated ? [qualified(schema, name)] : []));
