import type { Session } from "../driver/connection.ts";

/**
 * The transactions of a run: the server tells of each row, and of each object, which transaction wrote it, and each of the
 * run's writes a row into the fence's table. What no such transaction wrote is others'.
 */

/** What the fence's table (quoted) has of one run. */
interface Owned {
  table: string;
  owner: string;
}

export async function readTransactions(session: Session, { table, owner }: Owned): Promise<string[]> {
  const rows = await session.query<{ id: string }>(
    `SELECT xmin::pg_catalog.text AS id FROM ${table} WHERE owner = $1
     UNION SELECT pg_catalog.unnest(pg_catalog.string_to_array(body, ',')) FROM ${table} WHERE owner = $1 AND kind = 'own'`,
    [owner],
  );
  return rows.map(({ id }) => id);
}

/** In the open transaction, before rows of the fence's table are deleted. */
export async function keepTransactions(
  session: Session,
  table: string,
  owner: string,
  ids: readonly number[],
): Promise<void> {
  if (ids.length === 0) return;
  await session.query(
    `INSERT INTO ${table} (owner, kind, name, epoch, body)
     SELECT $1, 'own', '', max(epoch), pg_catalog.string_agg(DISTINCT xmin::pg_catalog.text, ',') FROM ${table} WHERE id = ANY($2::pg_catalog.int8[])`,
    [owner, ids],
  );
}
