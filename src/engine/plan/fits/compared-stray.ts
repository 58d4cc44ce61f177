import { printable } from "../../contract/text/printable.ts";
import type { Session } from "../../mysql/driver/session.ts";
import type { TablePair } from "../../verify/checksum/index.ts";
import { formatTable } from "../../verify/checksum/messages.ts";
import { type ColumnType, type TableType, tableKey } from "../../verify/checksum/types.ts";
import { hasStrayBytes, type MysqlTable, readStrayBytes, strayBytesMessage } from "./stray-bytes.ts";

/**
 * Bytes of the source's texts that stand for no character are compared as question marks, which is what a copy makes of them:
 * they are counted by their column. Reads tables that have such columns only.
 */

interface Table {
  name: readonly [schema: string, table: string];
  type: TableType;
}

/** `schema.table.column: reason`, as Verification's `uncompared`. */
export async function strayBytesOf(
  readers: readonly Session[],
  pairs: readonly TablePair[],
  { source, target }: Record<"source" | "target", readonly Table[]>,
  touch: () => void,
): Promise<string[]> {
  const typeOf = (tables: readonly Table[]) =>
    new Map(tables.map(({ name, type }) => [tableKey(...name), type] as const));
  const [sources, targets] = [typeOf(source), typeOf(target)];
  const tables = pairs.flatMap((pair): MysqlTable[] => {
    const [from, to] = [sources.get(tableKey(...pair.source)), targets.get(tableKey(...pair.target))];
    const columns = pair.columns.flatMap((column) => {
      const [one, other] = [from?.columns.get(column.source), to?.columns.get(column.target)];
      if (one?.engine !== "mysql" || !hasStrayBytes(one.name, one.characterSet) || isKept(one.characterSet, other))
        return [];
      return [{ name: column.source, characterSet: one.characterSet }];
    });
    return columns.length === 0 ? [] : [{ name: pair.source, columns, rows: from?.rows ?? 0 }];
  });
  const found = await readStrayBytes(readers, tables, touch);
  return found.map(({ table, column, characterSet, values }) =>
    printable(
      `${formatTable(table)}.${column}: ${strayBytesMessage(values, characterSet)}; they are compared as question marks`,
    ),
  );
}

/** Its bytes are compared. */
const isKept = (characterSet: string | null, to: ColumnType | undefined): boolean =>
  to?.engine === "postgres" ? to.name === "bytea" : to?.characterSet === characterSet || to?.characterSet === "binary";
