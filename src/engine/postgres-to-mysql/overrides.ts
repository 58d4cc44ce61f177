import { type CopyOptions, EngineError } from "../contract.ts";
import { type SourceTable, tableName } from "./catalogue.ts";

/** `options.types`: the target's type by column. */

/** A type's name, with numbers or labels in brackets, and words after it; nothing that could be another clause. */
const oneType =
  /^[a-z]+(?: (?:precision|unsigned|zerofill))*(?:\s*\((?:\s*(?:\d+|'(?:[^'\\]|'')*')\s*,?)+\))?(?: unsigned)?(?: character set \w+)?(?: collate \w+)?$/i;

const keysOf = (table: SourceTable, column: string): string[] => [
  `${table.name}.${column}`,
  `${tableName(table)}.${column}`,
];

/** Errors: `option_unmatched` for a column that the source does not have, `option_invalid` for what is no type. */
export function checkOverrides(types: CopyOptions["types"], tables: readonly SourceTable[]): void {
  for (const [name, sql] of Object.entries(types ?? {})) {
    if (!tables.some((table) => table.columns.some((column) => keysOf(table, column.name).includes(name))))
      throw new EngineError(
        "option_unmatched",
        `options.types names ${JSON.stringify(name)}, and no column of the source is called so: write table.column or schema.table.column`,
      );
    if (!oneType.test(sql))
      throw new EngineError(
        "option_invalid",
        `options.types gives ${name} the type ${JSON.stringify(sql)}: write one type as MySQL does, as in VARCHAR(100)`,
      );
  }
}

export const overrideOf = (types: CopyOptions["types"], table: SourceTable, column: string): string | undefined => {
  const [short, long] = keysOf(table, column);
  return types?.[long ?? ""] ?? types?.[short ?? ""];
};
