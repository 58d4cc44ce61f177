import type { ColumnDefinition, TableDefinition } from "../../../postgres/catalogue/catalogue.ts";
import { type ColumnContext, characterBytes, keyBytes, nothingObserved, targetType } from "./types.ts";

/** How many characters of a text each key leaves to it: InnoDB's keys hold 3,072 bytes. Pure. */

/** Bytes for each wish, together at most `budget`: the small get what they ask for, the large share the rest. */
export function shares(wishes: readonly number[], budget: number): number[] {
  const given = wishes.map(() => 0);
  let left = budget;
  const order = wishes.map((wish, at) => ({ wish, at })).sort((a, b) => a.wish - b.wish);
  order.forEach(({ wish, at }, place) => {
    const share = Math.min(wish, Math.floor(left / (order.length - place)));
    given[at] = share;
    left -= share;
  });
  return given;
}

/** Column → characters, for text (and bytes, four to a character) in keys that have to be whole. */
export function keyedColumns(
  table: TableDefinition,
  referenced: readonly (readonly string[])[],
  { maria, version }: Pick<ColumnContext, "maria" | "version">,
): Map<string, number> {
  const byName = new Map(table.columns.map((column) => [column.name, column]));
  const keys = [
    ...table.indexes
      .filter(
        ({ unique, method, predicate, keys }) =>
          unique && method === "btree" && predicate === null && keys.every(({ column }) => column !== null),
      )
      .map(({ keys }) => keys.map(({ column }) => column ?? "")),
    ...table.foreignKeys.map(({ columns }) => columns),
    ...referenced,
  ];
  const found = new Map<string, number>();
  for (const names of keys) {
    const columns = names.map((name) => byName.get(name)).filter((column) => column !== undefined);
    const wishes = columns.map((column) => wish(column, { maria, version, observed: nothingObserved }));
    const given = shares(wishes, keyBytes);
    columns.forEach((column, at) => {
      if (!stretches(column)) return;
      const characters = Math.floor((given[at] ?? 0) / characterBytes);
      found.set(column.name, Math.min(found.get(column.name) ?? Number.POSITIVE_INFINITY, characters));
    });
  }
  return found;
}

/** Types whose length the data decide. */
const stretches = (column: ColumnDefinition): boolean => {
  const type = targetType(column, { maria: false, version: 80400, observed: nothingObserved });
  return type.text !== undefined || type.unkeyed === "binary";
};

const wish = (column: ColumnDefinition, around: ColumnContext): number => {
  const type = targetType(column, around);
  if (type.unkeyed === "text" || type.unkeyed === "binary") return Number.POSITIVE_INFINITY;
  return type.text?.characters === undefined ? type.bytes : type.text.characters * characterBytes;
};
