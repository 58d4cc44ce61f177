import { printable } from "../../contract/text/printable.ts";
import { literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { isDenied } from "../driver/write-session.ts";
import type { MysqlFence } from "../fence/fence.ts";
import { isRefusedObject } from "./refusal.ts";

/** The largest number of a column by its type; undefined where it is no whole number. */
function mostOf(type: string): bigint | undefined {
  const bits = { tinyint: 8n, smallint: 16n, mediumint: 24n, int: 32n, bigint: 64n }[/^\w+/.exec(type)?.[0] ?? ""];
  if (bits === undefined) return undefined;
  return 2n ** (/\b(?:unsigned|zerofill)\b/.test(type) ? bits : bits - 1n) - 1n;
}

/**
 * Rows alone: sets the next number of a table that is there to the source's, where that is higher. Before the rows: the table
 * is empty, so that it costs nothing, and the rows raise it themselves. Answers what is left to be done, in words.
 */
export async function raiseCounter(
  session: Session,
  fence: Pick<MysqlFence, "guard">,
  [database, table]: readonly [string, string],
  next: bigint,
): Promise<string | undefined> {
  const [[column, type] = []] = await session.query(
    `SELECT COLUMN_NAME, COLUMN_TYPE FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = ${literal(database)} AND TABLE_NAME = ${literal(table)} AND EXTRA LIKE '%auto_increment%'`,
  );
  if (column === undefined) return undefined;
  const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table)}`);
  const there = /\n\) ENGINE=\w+ AUTO_INCREMENT=(\d+)/.exec(shown ?? "")?.[1] ?? "1";
  if (next <= BigInt(there)) return undefined;
  const name = printable(`${table}.${column}`);
  const most = mostOf((type ?? "").toLowerCase());
  if (most !== undefined && next > most)
    return `AUTO_INCREMENT of ${name}: the source's next number ${next} is above the largest number of the target's column (${type}), and was not set: give the column a wider type`;
  const statement = `ALTER TABLE ${qualified(database, table)} AUTO_INCREMENT = ${next}`;
  await fence.guard(session);
  try {
    await session.run(statement);
    return undefined;
  } catch (error) {
    if (!isRefusedObject(error) && !isDenied(error)) throw error;
    return `AUTO_INCREMENT of ${name} is not the source's next number ${next} (${printable((error as Error).message)}): run ${printable(statement)} in the target`;
  }
}
