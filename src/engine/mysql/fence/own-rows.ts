import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { shortList } from "../../contract/text/short-list.ts";
import { isNamed } from "../../run/fence/drop-option.ts";
import type { Fence } from "../../run/fence/fence.ts";
import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { errorNumber, isDenied } from "../driver/write-session.ts";
import { noTable } from "./identity.ts";

/**
 * Rows alone: which rows in a table of others are this run's own. MySQL does not say which transaction wrote a row, so the
 * transaction that loads rows also reads them back and writes their number and the sum of their checksums into the fence.
 * A table holds only the run's own rows if the marks of all its parts add up to what is in it.
 */

/** [database, name] in the target. */
type Name = readonly string[];

/** Rows, and the sum of a checksum of each, whatever their order. */
export interface RowsSum {
  rows: number;
  sum: bigint;
}

const prefix = "rows:";
const keyOf = ([database = "", name = ""]: Name): string => JSON.stringify([database, name]);

/** Types whose text differs from the value, or that functions of text refuse. */
const asHex = /^(?:bit|vector|geometry|point|linestring|polygon|multi\w+|geom\w*collection)$/;

const checksumOf = (column: string, type: string): string => {
  const name = identifier(column);
  // The text of a FLOAT is rounded.
  const text = asHex.test(type) ? `HEX(${name})` : type === "float" ? `${name} + 0e0` : name;
  return `COALESCE(CRC32(${text}), '-')`;
};

/** `where`: a condition of the target's own columns; all rows without. Undefined where there is no such table. */
async function sumOf(session: Session, name: Name, where?: string): Promise<RowsSum | undefined> {
  const [database = "", table = ""] = name;
  const here = `TABLE_SCHEMA = ${literal(database)} AND TABLE_NAME = ${literal(table)}`;
  const columns = await session.query(
    `SELECT TABLE_NAME, COLUMN_NAME, DATA_TYPE FROM information_schema.COLUMNS WHERE ${here} ORDER BY ORDINAL_POSITION`,
  );
  const sums = columns.flatMap(([of, column, type]) =>
    of === table ? [checksumOf(column ?? "", (type ?? "").toLowerCase())] : [],
  );
  if (sums.length === 0) return undefined;
  const types = await session.query(`SELECT TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE ${here}`);
  const versioned = types.some(([of, type]) => of === table && type === "SYSTEM VERSIONED");
  const from = `${qualified(database, table)}${versioned ? " FOR SYSTEM_TIME ALL" : ""}`;
  const [[rows, sum] = []] = await session.query(
    `SELECT COUNT(*), COALESCE(SUM(CRC32(CONCAT_WS(',', ${sums.join(", ")}))), 0) FROM ${from}${where === undefined ? "" : ` WHERE ${where}`}`,
  );
  return { rows: Number(rows), sum: BigInt(sum ?? 0) };
}

interface LoadedTable {
  name: Name;
  /** That the open transaction loaded. */
  rows: number;
  /** The condition that holds for these, and for no other rows of the source; undefined: the table has no others. */
  where?: string | undefined;
}

/**
 * In the transaction that loaded them. Where others wrote such rows meanwhile, none of them is marked, and so nothing is
 * proven later.
 */
export async function markOwnRows(
  session: Session,
  fence: Pick<Fence<Session>, "partDone">,
  { name, rows, where }: LoadedTable,
): Promise<void> {
  const found = await sumOf(session, name, where);
  if (found?.rows !== rows) return;
  await fence.partDone(session, `${prefix}${JSON.stringify([...name, String(found.sum)])}`, rows);
}

/** The marks of `markOwnRows` added up, by table. */
export function ownRows(parts: readonly { part: string; rows: number }[]): (name: Name) => RowsSum | undefined {
  const found = new Map<string, RowsSum>();
  for (const { part, rows } of parts) {
    if (!part.startsWith(prefix)) continue;
    const [database, table, sum] = JSON.parse(part.slice(prefix.length)) as [string, string, string];
    const key = keyOf([database, table]);
    const before = found.get(key) ?? { rows: 0, sum: 0n };
    found.set(key, { rows: before.rows + rows, sum: before.sum + BigInt(sum) });
  }
  return (name) => found.get(keyOf(name));
}

/** Whether a mark is of the rows of a table for which `has` holds. */
export function isOwnRowsMark(part: string, has: (table: string) => boolean): boolean {
  return part.startsWith(prefix) && has((JSON.parse(part.slice(prefix.length)) as [string, string])[1]);
}

type Standing = "none" | "own" | "others";

async function standing(session: Session, name: Name, own: RowsSum | undefined): Promise<Standing> {
  const [row] = await session.query(`SELECT 1 FROM ${qualified(...name)} LIMIT 1`);
  if (row === undefined) return "none";
  if (own === undefined) return "others";
  const found = await sumOf(session, name);
  return found?.rows === own.rows && found.sum === own.sum ? "own" : "others";
}

/**
 * Before anything is emptied. Errors: `target_not_empty`, which names the tables with rows that are not proven to be the
 * run's, and that `drop` does not name.
 */
export async function refuseOthersRows(
  session: Session,
  tables: readonly Name[],
  own: (name: Name) => RowsSum | undefined,
  drop: readonly string[],
): Promise<void> {
  const others: string[] = [];
  for (const name of tables) {
    const [database = "", table = ""] = name;
    if (isNamed(drop, database, table)) continue;
    const found = await standing(session, name, own(name)).catch((error: unknown) => {
      if (errorNumber(error) === noTable) return "none";
      throw error;
    });
    if (found === "others") others.push(printable(table));
  }
  if (others.length === 0) return;
  throw new EngineError(
    "target_not_empty",
    `the target has rows in ${shortList(others, 5)} that an earlier attempt of this run did not put there, or that were changed since: save them and empty these tables, or name them in options.drop to have them emptied; nothing was emptied`,
  );
}

/** Empties a table that holds nothing but the run's own rows; nobody writes between the look and that, where the user may lock it. */
export async function emptyOwnRows(
  session: Session,
  name: Name,
  own: RowsSum | undefined,
): Promise<"dropped" | "absent" | { left: string }> {
  const locked = await session.run(`LOCK TABLES ${qualified(...name)} WRITE`).then(
    () => true,
    (error: unknown) => {
      if (isDenied(error)) return false;
      throw error;
    },
  );
  try {
    const found = await standing(session, name, own);
    if (found === "none") return "absent";
    if (found === "others") return { left: "they are not verified to be exactly the rows that the copy wrote" };
    await session.run(`TRUNCATE TABLE ${qualified(...name)}`);
    return "dropped";
  } finally {
    if (locked) await session.run("UNLOCK TABLES").catch(() => undefined);
  }
}
