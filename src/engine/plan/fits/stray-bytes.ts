import { identifier, qualified } from "../../mysql/driver/names.ts";
import type { Session } from "../../mysql/driver/session.ts";
import { readAgain } from "../../mysql/source/read-again.ts";
import { hasGaps } from "./charsets.ts";
import { mysqlMisfit } from "./mysql-check.ts";
import { countMisfits, type Doubt, type Doubtful } from "./values.ts";

/** Texts of MySQL with bytes that their character set has no character for: they are read as question marks. */

/** `dataType`: as in `varchar`. */
export const hasStrayBytes = (dataType: string, characterSet: string | null): boolean =>
  hasGaps(characterSet) && /char|text/.test(dataType);

export const strayDoubt = (column: string, characterSet: string | null): Doubt => {
  const check = { check: "charset", charset: "utf8mb4" } as const;
  return {
    column,
    types: [characterSet ?? "", ""],
    misfits: [{ check, sql: mysqlMisfit(identifier(column), check) }],
  };
};

export const strayBytesMessage = (values: number, characterSet: string): string =>
  `${values} ${values === 1 ? "value has" : "values have"} bytes that stand for no character of ${characterSet}`;

export interface MysqlTable {
  name: readonly [database: string, table: string];
  columns: readonly { name: string; characterSet: string | null }[];
  /** By statistics. */
  rows: number;
}

interface Stray {
  table: MysqlTable["name"];
  column: string;
  characterSet: string;
  values: number;
}

/** `most`: rows of a table that are looked at; all by default. */
export async function readStrayBytes(
  readers: readonly Session[],
  tables: readonly MysqlTable[],
  touch: () => void,
  most?: number,
): Promise<Stray[]> {
  const byName = new Map(tables.map((table) => [qualified(...table.name), table]));
  const doubtful = [...byName].map(([name, { columns, rows }]): Doubtful<Session> => {
    const list = columns.map((column) => identifier(column.name)).join(", ");
    return {
      table: name,
      bytes: rows,
      select: "SELECT ",
      doubts: columns.map((column) => strayDoubt(column.name, column.characterSet)),
      parts: async () => [
        most === undefined ? `FROM ${name}` : `FROM (SELECT ${list} FROM ${name} LIMIT ${most}) some`,
      ],
    };
  });
  const count = async (reader: Session, sql: string) =>
    ((await readAgain(reader, () => reader.query(sql)))[0] ?? []).map(Number);
  const found = await countMisfits(doubtful, { readers, count, touch });
  return found.map(({ table, doubt: { column, types }, all }) => ({
    table: (byName.get(table) as MysqlTable).name,
    column,
    characterSet: types[0],
    values: all,
  }));
}
