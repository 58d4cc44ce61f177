import { EngineError } from "../../contract/index.ts";
import { randomRow } from "../../run/fence/fence.ts";
import { literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/**
 * The fence's table in a MySQL database, and how it comes to be. A view or table of its name may have been planted: a view
 * runs its functions with the rights of whoever reads it, a trigger changes what is written. Only a plain InnoDB table with
 * our columns and our comment, and nothing on it, is ever written to or read. Tables here have no owner: who may change
 * every table of the target database may change this one too, and is trusted as far as that database goes.
 */

export const fenceTableName = "_rowferry";
/** As earlier versions made it, for one run alone. */
const singleColumns = "id bigint auto_increment,kind varchar,name longtext,epoch bigint,body longtext";
/** In order: the owner came last, where the table of an earlier version was given room for others. */
const columns = `${singleColumns},owner varchar`;
const comment = "Rowferry keeps here what a running copy has made; it is dropped when the copy is done.";

/** The id of the row with owner and epoch, in the table of an earlier version. */
export const singleRow = 1;

export const fenceTable = (database: string): string => qualified(database, fenceTableName);

/** A table of Rowferry's. */
export interface FenceTable {
  /** Quoted, database first. */
  table: string;
  /** An earlier version made it: all rows are those of one run, and none says whose. */
  single: boolean;
}

/** The fence's table, if it is there. Errors: `target_in_use` when something of its name is, and is not Rowferry's. */
export async function findTable(session: Session, database: string): Promise<FenceTable | undefined> {
  const found = await lookAt(session, database);
  if (found === undefined || found.why.length === 0)
    return found && { table: fenceTable(database), single: found.single };
  throw new EngineError(
    "target_in_use",
    `the target database has a table ${fenceTable(database)} that is not Rowferry's or has been changed (${found.why.join(", ")}): drop or rename it, or name another database; it was not touched`,
  );
}

/** What to read in the place of the table, under an alias: every row says its owner. */
export const ownedRows = ({ table, single }: FenceTable): string =>
  single
    ? `(SELECT r.*, (SELECT f.name FROM ${table} f WHERE f.id = ${singleRow} AND f.kind = 'fence') AS owner FROM ${table} r)`
    : table;

/**
 * Whether a copy into the source has left its table there, or one still runs. Errors: `reserved_name` when something of its
 * name is a user's.
 */
export async function leftInSource(session: Session, database: string): Promise<boolean> {
  const found = await lookAt(session, database);
  if (found === undefined || found.why.length === 0) return found !== undefined;
  throw new EngineError(
    "reserved_name",
    `the source database has a table ${fenceTable(database)} of its own (${found.why.join(", ")}): Rowferry keeps its checkpoint in the target under that name; rename the source's table, or leave it out with options.exclude, and run again`,
  );
}

/** In what a table of the name differs from ours; undefined where there is none. */
async function lookAt(session: Session, database: string): Promise<{ why: string[]; single: boolean } | undefined> {
  const here = (schema = "TABLE_SCHEMA", table = "TABLE_NAME") =>
    `${schema} = ${literal(database)} AND ${table} = '${fenceTableName}'`;
  const found = await session.query(
    `SELECT TABLE_NAME, TABLE_TYPE, ENGINE, TABLE_COMMENT, CREATE_OPTIONS FROM information_schema.TABLES WHERE ${here()}`,
  );
  // information_schema compares without regard to case.
  const table = found.find(([name]) => name === fenceTableName);
  if (table === undefined) return undefined;
  const [, type, engine, words, options] = table;
  const why: string[] = [];
  if (type !== "BASE TABLE" || engine !== "InnoDB" || (options ?? "").includes("partitioned"))
    why.push("not a plain InnoDB table");
  if (words !== comment) why.push("another comment");
  const list = await session.query(
    `SELECT CONCAT(COLUMN_NAME, ' ', DATA_TYPE, IF(EXTRA = '', '', CONCAT(' ', EXTRA))), COLUMN_DEFAULT, GENERATION_EXPRESSION, COLUMN_NAME
       FROM information_schema.COLUMNS WHERE ${here()} ORDER BY ORDINAL_POSITION`,
  );
  const said = list.map(([column]) => column?.toLowerCase()).join(",");
  if (said !== columns && said !== singleColumns) why.push("other columns");
  if (list.some(([, value, generated, name]) => !isPlain(session, name, value) || (generated ?? "") !== ""))
    why.push("a default or generated column");
  const [[constraints] = []] = await session.query(
    `SELECT COUNT(*) FROM information_schema.TABLE_CONSTRAINTS WHERE ${here()} AND CONSTRAINT_TYPE <> 'PRIMARY KEY'`,
  );
  if (constraints !== "0") why.push("a constraint");
  const [[triggers] = []] = await session.query(
    `SELECT COUNT(*) FROM information_schema.TRIGGERS WHERE ${here("EVENT_OBJECT_SCHEMA", "EVENT_OBJECT_TABLE")}`,
  );
  if (triggers !== "0") why.push("a trigger");
  return { why, single: said === singleColumns };
}

/** Whether a column has no default, or is the owner's with a plain text as one; MySQL says in EXTRA if it is not plain. */
function isPlain({ server: { maria } }: Session, name = "" as string | null, value: string | null = null): boolean {
  if (value === null || value === "NULL") return true;
  return name === "owner" && (!maria || /^'(?:[^'\\]|''|\\.)*'$/s.test(value));
}

/** Makes the table with the first owner's row at epoch 0; `registering` (register.ts) keeps others from making theirs meanwhile. */
export async function makeTable(session: Session, database: string, owner: string, ownerName: string): Promise<void> {
  await session.run(
    `CREATE TABLE ${fenceTable(database)} (
       id bigint NOT NULL AUTO_INCREMENT PRIMARY KEY, kind varchar(16) NOT NULL, name longtext NOT NULL,
       epoch bigint NOT NULL, body longtext, owner ${ownerType})
     ENGINE=InnoDB AUTO_INCREMENT=${randomRow()} DEFAULT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin COMMENT=${literal(comment)}
     SELECT 'fence' AS kind, ${literal(owner)} AS name, 0 AS epoch, ${literal(ownerName)} AS body, ${literal(owner)} AS owner`,
  );
}

const ownerType = "varchar(4000) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL";

/**
 * Gives the table of an earlier version room for others beside `owner`, whose rows all are: in one statement, since each
 * commits by itself. What adds a row without saying whose it is is a worker of that version, and of this owner.
 */
export const makeShareable = (session: Session, { table }: FenceTable, owner: string): Promise<unknown> =>
  session.run(`ALTER TABLE ${table} ADD COLUMN owner ${ownerType} DEFAULT ${literal(owner)}`);

/** Rows that one statement names. */
const together = 500;

/**
 * Removes rows by their ids. A search by anything else would lock the rows of other runs too, and wait for as long as their
 * data transactions hold their epochs. Each id is looked up in the primary key from a list that is joined first: for a plain
 * list of ids both servers may read the whole table, and lock all of it.
 */
export async function deleteRows(session: Session, table: string, ids: readonly number[]): Promise<void> {
  for (let at = 0; at < ids.length; at += together) {
    const list = ids.slice(at, at + together).map((id) => `SELECT ${id} AS id`);
    await session.run(
      `DELETE r FROM (${list.join(" UNION ALL ")}) AS w STRAIGHT_JOIN ${table} AS r FORCE INDEX (PRIMARY) WHERE r.id = w.id`,
    );
  }
}

/** What a row is to hold from now on. */
interface RowChange {
  id: number;
  name?: string;
  body: string;
}

/** Writes rows by their ids, found as `deleteRows` finds them. All of them name the same columns. */
export async function updateRows(session: Session, table: string, rows: readonly RowChange[]): Promise<void> {
  const columns = (["name", "body"] as const).filter((column) => rows[0]?.[column] !== undefined);
  for (let at = 0; at < rows.length; at += together) {
    const list = rows.slice(at, at + together).map((row) => {
      const values = columns.map((column) => `${literal(row[column] ?? "")} AS ${column}`);
      return `SELECT ${row.id} AS id, ${values.join(", ")}`;
    });
    const set = columns.map((column) => `r.${column} = w.${column}`);
    await session.run(
      `UPDATE (${list.join(" UNION ALL ")}) AS w STRAIGHT_JOIN ${table} AS r FORCE INDEX (PRIMARY)
          SET ${set.join(", ")} WHERE r.id = w.id AND r.kind = 'made'`,
    );
  }
}
