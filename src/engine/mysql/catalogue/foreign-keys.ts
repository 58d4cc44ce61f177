import { MysqlError } from "../driver/errors.ts";
import { qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { rulesIn } from "./shown-keys.ts";
import type { SourceForeignKey, SourceTable } from "./tables.ts";

type Rules = Pick<SourceForeignKey, "onUpdate" | "onDelete">;

/** Puts the foreign keys of a database into its tables. `schema` is the database's name as a literal; `onlyThese`: as `among` writes it. */
export async function readForeignKeys(
  session: Session,
  database: string,
  schema: string,
  tables: Map<string, SourceTable>,
  onlyThese = "",
): Promise<void> {
  const rules = new Map<string, Rules>();
  const key = (table: string, name: string | null | undefined) => JSON.stringify([table, name]);
  for (const [table, name, onUpdate, onDelete] of await session.query(
    `SELECT TABLE_NAME, CONSTRAINT_NAME, UPDATE_RULE, DELETE_RULE
       FROM information_schema.REFERENTIAL_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ${schema}${onlyThese}`,
  )) {
    rules.set(key(table ?? "", name), { onUpdate: onUpdate ?? "", onDelete: onDelete ?? "" });
  }
  for (const [table, name, column, referencedSchema, referencedTable, referencedColumn] of await session.query(
    `SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
       FROM information_schema.KEY_COLUMN_USAGE
      WHERE TABLE_SCHEMA = ${schema} AND REFERENCED_TABLE_NAME IS NOT NULL${onlyThese}
      ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`,
  )) {
    const keys = tables.get(table ?? "")?.foreignKeys;
    if (keys === undefined) continue;
    let foreign = keys.find((known) => known.name === name);
    if (foreign === undefined) {
      foreign = {
        name: name ?? "",
        columns: [],
        referencedSchema: referencedSchema ?? "",
        referencedTable: referencedTable ?? "",
        referencedColumns: [],
        onUpdate: "",
        onDelete: "",
      };
      keys.push(foreign);
    }
    foreign.columns.push(column ?? "");
    foreign.referencedColumns.push(referencedColumn ?? "");
  }
  for (const table of tables.values()) {
    // MariaDB shows the rules only to users who may do more than read.
    const dark = table.foreignKeys.some(({ name }) => !rules.has(key(table.name, name)));
    const definition = dark ? await definitionOf(session, database, table.name) : "";
    for (const foreign of table.foreignKeys)
      Object.assign(foreign, rules.get(key(table.name, foreign.name)) ?? rulesIn(definition, foreign));
  }
}

/** SHOW CREATE TABLE; empty where the user may not. */
export async function definitionOf(session: Session, database: string, table: string): Promise<string> {
  try {
    const [[, definition] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table)}`);
    return definition ?? "";
  } catch (error) {
    if (error instanceof Error && error.cause instanceof MysqlError) return "";
    throw error;
  }
}
