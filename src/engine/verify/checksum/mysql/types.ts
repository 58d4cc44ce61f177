import { literal } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { TableName } from "../rows.ts";
import { type ColumnType, type Tables, type TableType, tableKey } from "../types.ts";

/** Types and keys of tables, from a MySQL server's own catalogue. */

const perQuery = 500;

export async function readMysqlTypes(session: Session, names: readonly TableName[]): Promise<Tables> {
  const tables = new Map<string, TableType>();
  for (let start = 0; start < names.length; start += perQuery)
    await readSome(session, names.slice(start, start + perQuery), tables);
  return tables;
}

async function readSome(session: Session, names: readonly TableName[], tables: Map<string, TableType>) {
  const among = (schema: string, table: string) =>
    `(${schema}, ${table}) IN (${names.map(([one, other]) => `(${literal(one)}, ${literal(other)})`).join(", ")})`;
  // Names that the server folds are found in any case: they are known here by the name that was asked for.
  const asked = new Map(
    names.map(([schema, table]) => [tableKey(schema, table).toLowerCase(), tableKey(schema, table)]),
  );
  const known = (schema: string | null | undefined, table: string | null | undefined) => {
    const found = tableKey(schema ?? "", table ?? "");
    return names.some((name) => tableKey(...name) === found) ? found : (asked.get(found.toLowerCase()) ?? found);
  };
  const columns = new Map<string, Map<string, ColumnType>>();
  for (const [schema, table, rows, storage] of await session.query(
    `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_ROWS, ENGINE FROM information_schema.TABLES WHERE ${among("TABLE_SCHEMA", "TABLE_NAME")}`,
  )) {
    const own = new Map<string, ColumnType>();
    columns.set(known(schema, table), own);
    tables.set(known(schema, table), {
      columns: own,
      key: undefined,
      rows: Number(rows ?? 0),
      partitioned: false,
      lockable: false,
      storage: storage ?? undefined,
    });
  }
  const json = await jsonColumns(session, among);
  const [[zero] = []] = await session.query("SELECT '-0' * 1e0");
  for (const row of await session.query(
    `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, CHARACTER_MAXIMUM_LENGTH, NUMERIC_PRECISION,
            NUMERIC_SCALE, DATETIME_PRECISION, CHARACTER_SET_NAME, IS_NULLABLE, GENERATION_EXPRESSION
       FROM information_schema.COLUMNS WHERE ${among("TABLE_SCHEMA", "TABLE_NAME")} ORDER BY ORDINAL_POSITION`,
  )) {
    const [schema, table, column, name, full, length, precision, scale, fraction, characterSet, nullable, generation] =
      row;
    columns.get(known(schema, table))?.set(column ?? "", {
      engine: "mysql",
      maria: session.server.maria,
      unsignedZero: zero === "0",
      name: (name ?? "").toLowerCase(),
      full: (full ?? "").toLowerCase(),
      length: length === null || length === undefined ? null : Number(length),
      precision: Number(precision ?? 0),
      scale: Number(scale ?? 0),
      fraction: Number(fraction ?? 0),
      characterSet: characterSet ?? null,
      nullable: nullable === "YES",
      json: json.has(`${schema}\0${table}\0${column}`.toLowerCase()),
      rowEnd: /^ROW END$/i.test(generation ?? ""),
    });
  }
  const parts = await session.query(
    `SELECT TABLE_SCHEMA, TABLE_NAME, INDEX_NAME, COLUMN_NAME, SUB_PART, NULLABLE FROM information_schema.STATISTICS
      WHERE NON_UNIQUE = 0 AND ${among("TABLE_SCHEMA", "TABLE_NAME")} ORDER BY INDEX_NAME <> 'PRIMARY', INDEX_NAME, SEQ_IN_INDEX`,
  );
  const indexes = new Map<string, { table: string; columns: string[]; usable: boolean }>();
  for (const [schema, table, index, column, prefix, nullable] of parts) {
    const name = `${schema}\0${table}\0${index}`;
    const entry = indexes.get(name) ?? { table: known(schema, table), columns: [], usable: true };
    indexes.set(name, entry);
    entry.columns.push(column ?? "");
    if (column === null || prefix !== null || nullable === "YES") entry.usable = false;
  }
  for (const { table, columns: key, usable } of indexes.values()) {
    const found = tables.get(table);
    if (usable && found !== undefined && found.key === undefined) tables.set(table, { ...found, key });
  }
}

/** MariaDB's alias JSON; on MySQL it is a type of its own. */
async function jsonColumns(session: Session, among: (schema: string, table: string) => string): Promise<Set<string>> {
  const { maria, version } = session.server;
  if (!maria || version < 100201) return new Set();
  const rows = await session.query(
    `SELECT CONSTRAINT_SCHEMA, TABLE_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE ${among("CONSTRAINT_SCHEMA", "TABLE_NAME")}`,
  );
  const found = new Set<string>();
  for (const [schema, table, clause] of rows) {
    const column = /^json_valid\(`((?:[^`]|``)+)`\)$/i.exec((clause ?? "").trim())?.[1];
    if (column !== undefined) found.add(`${schema}\0${table}\0${column.replaceAll("``", "`")}`.toLowerCase());
  }
  return found;
}
