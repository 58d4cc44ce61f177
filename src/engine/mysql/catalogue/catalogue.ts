import { among, identifier, literal } from "../driver/names.ts";
import type { Row, Session } from "../driver/session.ts";
import { readExactBytes } from "./exact-bytes.ts";
import { readExactDefaults } from "./exact-defaults.ts";
import { readExactInstants } from "./exact-instants.ts";
import { readForeignKeys } from "./foreign-keys.ts";
import { findUnseen } from "./hidden-objects.ts";
import { readObjects, readViewNames, type SourceObject } from "./objects.ts";
import { readPartitions } from "./partitions.ts";
import { readParsers, readPeriods } from "./periods.ts";
import { readChecks } from "./table-conditions.ts";
import type { Catalogue, SourceColumn, SourceTable } from "./tables.ts";

export { expressionText, labelsOf, unescaped } from "./catalogue-text.ts";
export type { Catalogue, SourceColumn, SourceForeignKey, SourceIndex, SourceIndexPart, SourceTable } from "./tables.ts";

/** What a MySQL database consists of, from information_schema. Names are data, as the server holds them. */

const number = (text: string | null | undefined): number => Number(text ?? 0);
const numberOrNull = (text: string | null | undefined): number | null =>
  text === null || text === undefined ? null : Number(text);

/** Names and engines of base tables; quick, for the locks that a snapshot starts with. */
export async function baseTables(session: Session, database: string): Promise<{ name: string; engine: string }[]> {
  const rows = await session.query(
    `SELECT TABLE_NAME, ENGINE FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = ${literal(database)} AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`,
  );
  return rows.map(([name, engine]) => ({ name: name ?? "", engine: engine ?? "" }));
}

/**
 * `has`: which tables and views to read; of the others there are the names alone, since a database may have very many.
 * `rows`: for what only the tables themselves tell.
 */
export async function readCatalogue(
  session: Session,
  database: string,
  has: (table: string) => boolean = () => true,
  rows: Session = session,
): Promise<Catalogue> {
  const { maria, version } = session.server;
  const schema = literal(database);
  const from = (view: string, column: string) => `FROM information_schema.${view} WHERE ${column} = ${schema}`;

  const tables = new Map<string, SourceTable>();
  const left: string[] = [];
  const views: string[] = [];
  const others: SourceObject[] = [];
  const shown = maria ? new Set(await readViewNames(session, database)) : undefined;
  for (const row of await session.query(
    `SELECT TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_ROWS, DATA_LENGTH, INDEX_LENGTH, AUTO_INCREMENT, TABLE_COMMENT, TABLE_COLLATION
       ${from("TABLES", "TABLE_SCHEMA")} ORDER BY TABLE_NAME`,
  )) {
    const [name = "", type] = row as string[];
    if (type === "VIEW" || type === "SYSTEM VIEW" || shown?.has(name)) views.push(name);
    else if (type === "SEQUENCE") others.push({ kind: "sequence", name });
    else if (has(name)) tables.set(name, tableOf(row));
    else left.push(name);
  }
  const onlyThese = left.length === 0 ? "" : among("TABLE_NAME", [...tables.keys()]);

  for (const row of await session.query(
    `SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE, COLUMN_TYPE, IS_NULLABLE, COLUMN_DEFAULT, EXTRA, CHARACTER_MAXIMUM_LENGTH,
            NUMERIC_PRECISION, NUMERIC_SCALE, DATETIME_PRECISION, CHARACTER_SET_NAME, COLLATION_NAME, COLUMN_COMMENT, GENERATION_EXPRESSION,
            ${!maria && version >= 80003 ? "SRS_ID" : "NULL"}
       ${from("COLUMNS", "TABLE_SCHEMA")}${onlyThese} ORDER BY TABLE_NAME, ORDINAL_POSITION`,
  )) {
    tables.get(row[0] ?? "")?.columns.push(columnOf(row));
  }

  await readExactDefaults(rows, database, tables.values());
  await readExactBytes(session, database, tables.values());
  await readExactInstants(session, database, tables.values());
  await readIndexes(session, schema, tables, onlyThese);
  await readForeignKeys(session, database, schema, tables, onlyThese);
  for (const { table, ...check } of await readChecks(session, database, onlyThese))
    tables.get(table)?.checks.push(check);
  await readParsers(session, database, tables.values());
  await readPeriods(session, database, tables.values());

  await readPartitions(session, schema, tables, onlyThese);
  others.push(...(await readObjects(session, schema, views, has)));
  const unseen = await findUnseen(session, database, [...tables.keys()].concat(left));
  return { tables: [...tables.values()].map(exactLists), left, others, unseen };
}

/** A list that grew has room for three times as many; there may be very many lists. */
function exactLists(table: SourceTable): SourceTable {
  table.columns = [...table.columns];
  table.indexes = [...table.indexes];
  for (const index of table.indexes) index.parts = [...index.parts];
  for (const key of table.foreignKeys) {
    key.columns = [...key.columns];
    key.referencedColumns = [...key.referencedColumns];
  }
  return table;
}

function tableOf([name, type, engine, rows, data, index, autoIncrement, comment, collation]: Row): SourceTable {
  return {
    name: name ?? "",
    engine: engine ?? "",
    versioned: type === "SYSTEM VERSIONED",
    partitions: null,
    rows: number(rows),
    dataBytes: number(data),
    indexBytes: number(index),
    autoIncrement: autoIncrement ?? null,
    comment: comment ?? "",
    collation: collation ?? "",
    columns: [],
    indexes: [],
    foreignKeys: [],
    checks: [],
  };
}

function columnOf(row: Row): SourceColumn {
  const [
    ,
    name,
    dataType,
    columnType,
    nullable,
    value,
    extra,
    characters,
    precision,
    scale,
    fraction,
    characterSet,
    collation,
    comment,
    generation,
    srid,
  ] = row;
  return {
    name: name ?? "",
    dataType: (dataType ?? "").toLowerCase(),
    columnType: columnType ?? "",
    nullable: nullable === "YES",
    default: value ?? null,
    extra: (extra ?? "").toLowerCase(),
    characters: numberOrNull(characters),
    precision: numberOrNull(precision),
    scale: numberOrNull(scale),
    fraction: number(fraction),
    characterSet: characterSet ?? null,
    collation: collation ?? null,
    comment: comment ?? "",
    generation: generation ?? "",
    srid: numberOrNull(srid),
  };
}

async function readIndexes(
  session: Session,
  schema: string,
  tables: Map<string, SourceTable>,
  onlyThese: string,
): Promise<void> {
  const { maria, version } = session.server;
  const functional = !maria && version >= 80013;
  const hides = maria ? version >= 100600 : version >= 80000;
  const visibility = hides ? (maria ? "IGNORED" : "IF(IS_VISIBLE = 'YES', 'NO', 'YES')") : "'NO'";
  for (const [
    table,
    name,
    nonUnique,
    column,
    collation,
    prefix,
    type,
    comment,
    expression,
    unused,
  ] of await session.query(
    `SELECT TABLE_NAME, INDEX_NAME, NON_UNIQUE, COLUMN_NAME, COLLATION, SUB_PART, INDEX_TYPE, INDEX_COMMENT,
            ${functional ? "EXPRESSION" : "NULL"}, ${visibility}
       FROM information_schema.STATISTICS WHERE TABLE_SCHEMA = ${schema}${onlyThese} ORDER BY TABLE_NAME, INDEX_NAME, SEQ_IN_INDEX`,
  )) {
    const indexes = tables.get(table ?? "")?.indexes;
    if (indexes === undefined) continue;
    let index = indexes.find((known) => known.name === name);
    if (index === undefined) {
      index = { name: name ?? "", unique: nonUnique === "0", type: type ?? "", comment: comment ?? "", parts: [] };
      if (unused === "YES") index.unused = true;
      indexes.push(index);
    }
    index.parts.push({
      column: column ?? null,
      expression: expression ?? null,
      prefix: numberOrNull(prefix),
      descending: collation === "D",
    });
  }
}

/** Whether a check is what MariaDB's alias JSON adds to a longtext; another one may have the column's name too. */
export const isJsonCheck = ({ clause }: SourceTable["checks"][number], { dataType, name }: SourceColumn): boolean =>
  dataType === "longtext" && clause.trim().toLowerCase() === `json_valid(${identifier(name).toLowerCase()})`;

/** Whether a MariaDB column is its JSON: a longtext with the check that its alias adds. */
export const isJsonAlias = (table: SourceTable, column: SourceColumn): boolean =>
  table.checks.some((check) => isJsonCheck(check, column));
