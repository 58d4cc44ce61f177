import { type CopyOptions, EngineError } from "../../../contract/index.ts";
import { dotFix, means, readName } from "../../../contract/text/full-name.ts";
import type { TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { kind } from "../../../rows/copy-to-load/fields.ts";
import type { TargetType } from "./target-type.ts";

/** `options.types`: the target's type by column. */

/** A type's name, with numbers or labels in brackets, and words after it; nothing that could be another clause. */
const oneType =
  /^[a-z]+(?: (?:precision|unsigned|zerofill))*(?:\s*\(\s*(?:\d+|'(?:[^'\\]|'')*')(?:\s*,\s*(?:\d+|'(?:[^'\\]|'')*'))*\s*\))?(?: unsigned)?(?: character set \w+)?(?: collate \w+)?$/i;

const names = (text: string, { schema, name }: TableDefinition, column: string): boolean =>
  means(text, [schema, name, column], 2);

/** Errors: `option_unmatched` for a column that the source does not have, `option_invalid` for what is no type. */
export function checkOverrides(types: CopyOptions["types"], tables: readonly TableDefinition[]): void {
  for (const [name, sql] of Object.entries(types ?? {})) {
    if (!tables.some((table) => table.columns.some((column) => names(name, table, column.name))))
      throw new EngineError(
        "option_unmatched",
        `options.types names ${JSON.stringify(name)}, and no column of the source is called so: write table.column or schema.table.column, ${dotFix}`,
      );
    if (!oneType.test(sql))
      throw new EngineError(
        "option_invalid",
        `options.types gives ${name} the type ${JSON.stringify(sql)}: write one type as MySQL does, as in VARCHAR(100)`,
      );
  }
}

export const overrideOf = (types: CopyOptions["types"], table: TableDefinition, column: string): string | undefined => {
  // The one that is written with the schema stands above that without.
  const meant = Object.entries(types ?? {}).filter(([text]) => names(text, table, column));
  return meant.sort(([a], [b]) => (readName(b)?.length ?? 0) - (readName(a)?.length ?? 0))[0]?.[1];
};

/** The same bytes into another type; what does not fit is refused by the target while it is copied. */
export function overridden(usual: TargetType, sql: string): TargetType {
  const is = (words: string) => new RegExp(`^(?:${words})`, "i").test(sql);
  const keeps =
    (usual.kind === kind.bytes && is("(?:VAR)?BINARY|(?:TINY|MEDIUM|LONG)?BLOB")) ||
    (usual.kind === kind.bits && is("BIT")) ||
    (usual.kind === kind.shape && is("(?:MULTI)?(?:POINT|LINESTRING|POLYGON)|GEOM")) ||
    (usual.kind === kind.date && is("DATE|TIMESTAMP")) ||
    (usual.kind === kind.boolean && !is("(?:VAR)?CHAR|\\w*TEXT|ENUM")) ||
    ((usual.kind === kind.float || usual.kind === kind.numeric) && is("DECIMAL|NUMERIC|DOUBLE|FLOAT|\\w*INT"));
  const { json: _, limit: __, scale: ___, unkeyed: ____, check: _____, text: ______, select, ...rest } = usual;
  const unkeyed = is("\\w*TEXT")
    ? ("text" as const)
    : is("\\w*BLOB")
      ? ("binary" as const)
      : is("JSON") || (keeps && usual.kind === kind.shape)
        ? ("never" as const)
        : undefined;
  return {
    ...rest,
    // As text a geometry is what PostgreSQL writes, not its bytes.
    ...(select === undefined || (usual.kind === kind.shape && !keeps) ? {} : { select }),
    sql,
    kind: keeps ? usual.kind : kind.text,
    bytes: unkeyed === undefined ? Math.max(usual.bytes, 8) : 12,
    ...(unkeyed === undefined ? {} : { unkeyed }),
    ...(is("JSON") && usual.json ? { json: true } : {}),
    note: "as options.types says",
  };
}
