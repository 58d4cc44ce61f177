import { EngineError } from "../contract.ts";
import { literal, qualified } from "./names.ts";
import type { Session } from "./session.ts";
import { errorNumber } from "./target.ts";

/**
 * The fence's table in a MySQL database, and how it comes to be. A view or table of its name may have been planted: a view
 * runs its functions with the rights of whoever reads it, a trigger changes what is written. Only a plain InnoDB table with
 * our columns and our comment, and nothing on it, is ever written to or read. Tables here have no owner: who may change
 * every table of the target database may change this one too, and is trusted as far as that database goes.
 */

export const fenceTableName = "_rowferry";
const columns = "id bigint auto_increment,kind varchar,name longtext,epoch bigint,body longtext";
const comment = "Rowferry keeps here what a running copy has made; it is dropped when the copy is done.";

/** The id of the row with owner and epoch. */
export const fenceRow = 1;

export const fenceTable = (database: string): string => qualified(database, fenceTableName);

/** Whether the table is there. Errors: `target_in_use` when something of its name is, and is not Rowferry's. */
export async function findTable(session: Session, database: string): Promise<boolean> {
  const why = await otherwise(session, database);
  if (why === undefined || why.length === 0) return why !== undefined;
  throw new EngineError(
    "target_in_use",
    `the target database has a table ${fenceTable(database)} that is not Rowferry's or has been changed (${why.join(", ")}): drop or rename it, or name another database; it was not touched`,
  );
}

/**
 * Whether a copy into the source has left its table there, or one still runs. Errors: `reserved_name` when something of its
 * name is a user's.
 */
export async function leftInSource(session: Session, database: string): Promise<boolean> {
  const why = await otherwise(session, database);
  if (why === undefined || why.length === 0) return why !== undefined;
  throw new EngineError(
    "reserved_name",
    `the source database has a table ${fenceTable(database)} of its own (${why.join(", ")}): Rowferry keeps its checkpoint in the target under that name; rename the source's table, or leave it out with options.exclude, and run again`,
  );
}

/** In what a table of the name differs from ours; undefined where there is none. */
async function otherwise(session: Session, database: string): Promise<string[] | undefined> {
  const here = (schema = "TABLE_SCHEMA", table = "TABLE_NAME") =>
    `${schema} = ${literal(database)} AND ${table} = '${fenceTableName}'`;
  const found = await session.query(
    `SELECT TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_COMMENT, CREATE_OPTIONS FROM information_schema.TABLES WHERE ${here()}`,
  );
  // information_schema compares without regard to case.
  const table = found.find(([name]) => name === fenceTableName);
  if (table === undefined) return undefined;
  const [, type, engine, said, options] = table;
  const why: string[] = [];
  if (type !== "BASE TABLE" || engine !== "InnoDB" || (options ?? "").includes("partitioned"))
    why.push("not a plain InnoDB table");
  if (said !== comment) why.push("another comment");
  const list = await session.query(
    `SELECT CONCAT(COLUMN_NAME, ' ', DATA_TYPE, IF(EXTRA = '', '', CONCAT(' ', EXTRA))), COLUMN_DEFAULT, GENERATION_EXPRESSION
       FROM information_schema.COLUMNS WHERE ${here()} ORDER BY ORDINAL_POSITION`,
  );
  if (list.map(([column]) => column?.toLowerCase()).join(",") !== columns) why.push("other columns");
  if (list.some(([, value, generated]) => (value !== null && value !== "NULL") || (generated ?? "") !== ""))
    why.push("a default or generated column");
  const [[constraints] = []] = await session.query(
    `SELECT COUNT(*) FROM information_schema.TABLE_CONSTRAINTS WHERE ${here()} AND CONSTRAINT_TYPE <> 'PRIMARY KEY'`,
  );
  if (constraints !== "0") why.push("a constraint");
  const [[triggers] = []] = await session.query(
    `SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE ${here("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE")}`,
  );
  if (triggers !== "0") why.push("a trigger");
  return why;
}

const exists = 1050;

/** Finds the table or makes it; its first row is the first owner's, at epoch 0, and comes with it: a table without would be nobody's. */
export async function placeTable(session: Session, database: string, owner: string, ownerName: string): Promise<void> {
  const table = fenceTable(database);
  if (!(await findTable(session, database))) {
    try {
      await session.run(
        `CREATE TABLE ${table} (
           id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, kind varchar(16) NOT NULL, name longtext NOT NULL,
           epoch bigint NOT NULL, body longtext)
         ENGINE=InnoDB DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT=${literal(comment)}
         SELECT ${fenceRow} AS id, 'fence' AS kind, ${literal(owner)} AS name, 0 AS epoch, ${literal(ownerName)} AS body`,
      );
    } catch (error) {
      // Another worker made it at the same moment.
      if (errorNumber(error) !== exists) throw error;
    }
    if (!(await findTable(session, database)))
      throw new EngineError("database_error", `the table ${table} vanished from the target as soon as it was made`, {
        retryable: true,
      });
  }
  await session.run(
    `INSERT IGNORE INTO ${table} (id, kind, name, epoch, body) VALUES (${fenceRow}, 'fence', ${literal(owner)}, 0, ${literal(ownerName)})`,
  );
}
