import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { shortList } from "../../contract/text/short-list.ts";
import type { Fence } from "../../run/fence/fence.ts";
import type { Session } from "../driver/connection.ts";
import { qualified } from "../driver/names.ts";

/**
 * Rows that this run put into a table of others: the server tells of each row which transaction wrote it, and the
 * fence's marks were written by the same ones as the rows that they tell of.
 */

/** The transactions of the run's marks, over all attempts. */
export async function ownTransactions(fence: Pick<Fence<Session>, "parts">): Promise<string[]> {
  return [...new Set((await fence.parts()).flatMap(({ transaction }) => transaction ?? []))];
}

interface Filled {
  schema: string;
  name: string;
  /** Its rows stand in its partitions. */
  partitioned?: boolean;
}

/**
 * Locks tables, in the open transaction, and looks whether all their rows are the run's own. Errors: `target_not_empty`,
 * which names those that hold a row that somebody else wrote, or changed.
 */
export async function lockOwnRows(
  session: Session,
  tables: readonly Filled[],
  transactions: readonly string[],
): Promise<void> {
  if (tables.length === 0) return;
  const names = tables.map(
    ({ schema, name, partitioned }) => `${partitioned ? "" : "ONLY "}${qualified(schema, name)}`,
  );
  await session.run(`LOCK TABLE ${names.join(", ")} IN SHARE ROW EXCLUSIVE MODE`);
  const others: string[] = [];
  for (const [at, { schema, name }] of tables.entries()) {
    const [row] = await session.query<{ found: boolean }>(
      `SELECT EXISTS (SELECT FROM ${names[at]} WHERE NOT (xmin::pg_catalog.text = ANY ($1::pg_catalog.text[]))) AS found`,
      [transactions],
    );
    if (row?.found) others.push(printable(`${schema}.${name}`));
  }
  if (others.length === 0) return;
  throw new EngineError(
    "target_not_empty",
    `the target has rows in ${shortList(others, 5)} that an earlier attempt of this run did not put there, or that were changed since: save them and empty these tables, or name them in options.drop to have them emptied; nothing was emptied`,
  );
}
