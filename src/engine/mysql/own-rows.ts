import { EngineError } from "../contract.ts";
import { isNamed } from "../drop.ts";
import { printable } from "../postgres/names.ts";
import { qualified } from "./names.ts";
import type { Session } from "./session.ts";

/**
 * Rows alone: whether a table of others that an earlier attempt finished still holds its rows and no others, by the
 * server's own checksum over all rows, which stands in the mark of the finished table.
 */

/** The server's checksum over the rows, in whatever order they lie; empty where there is no such table. */
export async function sumOfRows(session: Session, name: readonly string[]): Promise<string> {
  const [[, sum] = []] = await session.query(`CHECKSUM TABLE ${qualified(...name)}`);
  return sum ?? "";
}

export interface FinishedRows {
  database: string;
  name: string;
  /** sumOfRows, when it was finished. */
  sum: string | undefined;
}

/** Errors: `target_not_empty`, which names the tables with rows that are not proven to be the run's, and that `drop` does not name. */
export async function refuseOthersRows(
  session: Session,
  tables: readonly FinishedRows[],
  drop: readonly string[],
): Promise<void> {
  const others: string[] = [];
  for (const { database, name, sum } of tables) {
    if (isNamed(drop, database, name)) continue;
    const found = await sumOfRows(session, [database, name]);
    if (found === "" || found === sum) continue;
    const [row] = await session.query(`SELECT 1 FROM ${qualified(database, name)} LIMIT 1`);
    if (row !== undefined) others.push(printable(name));
  }
  if (others.length === 0) return;
  throw new EngineError(
    "target_not_empty",
    `the target has rows in ${others.slice(0, 5).join(", ")}${others.length > 5 ? ` and ${others.length - 5} more` : ""} that an earlier attempt of this run did not put there, or that were changed since: save them and empty these tables, or name them in options.drop to have them emptied; nothing was emptied`,
  );
}
