import type { SourceColumn, SourceTable } from "../../mysql/catalogue/catalogue.ts";
import { identifier, qualified } from "../../mysql/driver/names.ts";
import type { Session } from "../../mysql/driver/session.ts";
import { priorityOf, splitTable } from "../../mysql/source/split.ts";
import { mysqlMisfit } from "./mysql-check.ts";
import { hasStrayBytes, strayBytesMessage, strayDoubt } from "./stray-bytes.ts";
import type { Check } from "./types.ts";
import { countMisfits, type Doubt, type Doubtful, type Looking, refuseMisfits } from "./values.ts";

/** Values of a MySQL source that may not fit. */

/** `value`: SQL of what is copied; the column by default. */
export const mysqlDoubt = (
  column: string,
  types: Doubt["types"],
  checks: readonly Check[],
  value = identifier(column),
): Doubt => ({ column, types, misfits: checks.map((check) => ({ check, sql: mysqlMisfit(value, check) })) });

interface MysqlDoubtful {
  source: SourceTable;
  doubts: readonly Doubt[];
}

const doubtfulIn =
  (database: string) =>
  ({ source, doubts }: MysqlDoubtful): Doubtful<Session> => ({
    table: source.name,
    bytes: source.dataBytes,
    doubts,
    select: `SELECT ${priorityOf(source)}`,
    async parts(reader) {
      const from = `FROM ${qualified(database, source.name)}${source.versioned ? " FOR SYSTEM_TIME ALL" : ""}`;
      const parts = await splitTable(reader, database, source);
      return parts.map(({ where }) => (where === undefined ? from : `${from} WHERE ${where}`));
    },
  });

const count = async (reader: Session, sql: string) => ((await reader.query(sql))[0] ?? []).map(Number);

/** Words and errors: those of refuseMisfits. */
export const refuseMysqlMisfits = (
  readers: readonly Session[],
  database: string,
  tables: readonly MysqlDoubtful[],
  hooks: Pick<Looking<never>, "touch" | "begins" | "did"> & { log(message: string): void },
): Promise<string[]> => refuseMisfits(tables.map(doubtfulIn(database)), { readers, count, ...hooks });

/** Words for bytes of texts that their character set has no character for: they are read as question marks. */
export async function strayBytes(
  readers: readonly Session[],
  database: string,
  tables: readonly { source: SourceTable; columns: readonly SourceColumn[] }[],
  touch: () => void,
): Promise<string[]> {
  const doubtful = tables.map(({ source, columns }) => ({
    source,
    doubts: columns
      .filter(({ characterSet, dataType }) => hasStrayBytes(dataType, characterSet))
      .map(({ name, characterSet }) => strayDoubt(name, characterSet)),
  }));
  const found = await countMisfits(doubtful.map(doubtfulIn(database)), { readers, count, touch });
  return found.map(
    ({ table, doubt: { column, types }, all }) =>
      `column ${table}.${column}: ${strayBytesMessage(all, types[0])}; each is copied as a question mark; bytea in options.types keeps the bytes`,
  );
}
