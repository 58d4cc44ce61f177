import type { InventoryEntry } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { printable } from "../../contract/text/printable.ts";
import { errorNumber } from "../../mysql/driver/write-session.ts";
import { isRefusal } from "../../postgres/driver/errors.ts";
import { type CompareOptions, compareTables, type SideSessions, type TableName, type TablePair } from "./index.ts";
import { formatTable } from "./messages.ts";

/**
 * Generated columns that both sides compute, by expressions that are meant to be the same: their values are compared,
 * whatever the verify level, since a server may round, cut or refuse where the other does not, and since what stands for a
 * value that the target does not know (a zero date's NULL) is computed with there.
 */
export interface Computing {
  source: TableName;
  target: TableName;
  columns: readonly Both[];
  /** So that a row's values are compared with those of the same row: its key, else what the columns are computed from. */
  beside: readonly Both[];
}

interface Both {
  source: string;
  target: string;
}

/** Table of the source → column there → half a sentence on why its values cannot come from the target's expression. */
export async function differingColumns(
  source: SideSessions,
  target: SideSessions,
  tables: readonly Computing[],
  options: CompareOptions,
): Promise<Map<string, Map<string, string>>> {
  const found = await searchColumns(tables, async (some) => {
    try {
      const pairs = some.map(pairOf);
      const { differences, uncompared } = await compareTables(source, target, pairs, { ...options, maxKeys: 0 });
      if (differences.length > 0) return "the target computes other values by it";
      const own = some.flatMap(({ source: name, columns }) =>
        columns.map((column) => `${formatTable(name)}.${printable(column.source)}: `),
      );
      const said = uncompared.find((words) => own.some((start) => words.startsWith(start)));
      return said === undefined ? undefined : `the values cannot be compared (${said})`;
    } catch (error) {
      if (!isOfValues(error)) throw error;
      return `the target cannot compute it for a row (${printable((error as Error).message)})`;
    }
  });
  return new Map(Array.from(found, ([table, columns]) => [table.source[1], columns]));
}

/** A row's values stand beside its key, or what they are computed from. */
export function pairOf({ columns, beside, ...names }: Computing): TablePair {
  const made = new Set(columns.map((column) => column.source));
  return { ...names, columns: [...beside.filter((column) => !made.has(column.source)), ...columns] };
}

/**
 * What `look` finds of each column, by the source's name: at all tables together it looks first, then at those with several columns,
 * then at one column by itself (`alone`). Undefined: their values are equal.
 */
export async function searchColumns<Found, Table extends Computing>(
  tables: readonly Table[],
  look: (some: readonly Computing[], alone: boolean) => Promise<Found | undefined>,
): Promise<Map<Table, Map<string, Found>>> {
  const found = new Map<Table, Map<string, Found>>();
  const doubtful = tables.filter(({ columns }) => columns.length > 0);
  if (doubtful.length === 0 || (await look(doubtful, false)) === undefined) return found;
  for (const table of doubtful) {
    if (doubtful.length > 1 && table.columns.length > 1 && (await look([table], false)) === undefined) continue;
    const columns = new Map<string, Found>();
    for (const column of table.columns) {
      const one = await look([{ ...table, columns: [column] }], true);
      if (one !== undefined) columns.set(column.source, one);
    }
    if (columns.size > 0) found.set(table, columns);
  }
  return found;
}

/**
 * What the report says of columns that tables which were there before the copy compute by expressions of their own
 * (content `data`): those whose values are not the source's.
 */
export async function differingThere(
  source: SideSessions,
  target: SideSessions,
  tables: readonly Computing[],
  options: CompareOptions,
): Promise<InventoryEntry[]> {
  const found = await differingColumns(source, target, tables, options);
  return tables.flatMap(({ source: [schema, table] }) =>
    [...(found.get(table) ?? [])].map(([column, why]) => ({
      kind: "generated column",
      name: printable(source.engine === "mysql" ? `${table}.${column}` : fullName(schema, table, column)),
      outcome: "reported" as const,
      note: `the target's table computes it by an expression of its own, and ${why}: make the column plain there, or give it the source's expression`,
    })),
  );
}

/** An entry of differingThere as a warning. */
export const differingText = ({ name, note = "" }: InventoryEntry): string => `generated column ${name}: ${note}`;

/** What MySQL says of values that an expression has no result for. */
const ofValues = new Set([1264, 1265, 1292, 1365, 1366, 1406, 1411, 1690]);

const isOfValues = (error: unknown): boolean => {
  const number = errorNumber(error) ?? 0;
  return isRefusal(error) || ofValues.has(number) || (number >= 3140 && number <= 3158);
};
