import { randomInt } from "node:crypto";
import type { Session } from "../driver/connection.ts";

/**
 * Whether two sessions are on one database, however their URLs name it (alias, proxy, standby): an advisory lock of
 * one is seen by the other, or one is a standby and they share cluster and database oid. Two primaries may share both and
 * still be different servers: clones of one base backup or template.
 */
export async function isSameDatabase(one: Session, other: Session): Promise<boolean> {
  const key = randomInt(2 ** 47);
  await one.query("SELECT pg_catalog.pg_advisory_lock($1::int8)", [key]);
  try {
    const [row] = await other.query<{ free: boolean }>(
      "SELECT CASE WHEN pg_catalog.pg_try_advisory_lock($1::int8) THEN pg_catalog.pg_advisory_unlock($1::int8) ELSE false END AS free",
      [key],
    );
    if (row?.free === false) return true;
  } finally {
    await one.query("SELECT pg_catalog.pg_advisory_unlock($1::int8)", [key]);
  }
  const [a, b] = await Promise.all([identity(one), identity(other)]);
  return a !== undefined && b !== undefined && a.name === b.name && (a.standby || b.standby);
}

/** Cluster and database in it. A promoted standby has the same; a database that was made from this one as its template has not. */
export async function databaseIdentity(session: Session): Promise<string> {
  const known = await clusterIdentity(session);
  if (known !== undefined) return known;
  const [row] = await session.query<{ name: string }>(
    `SELECT pg_catalog.concat_ws(' ', pg_catalog.inet_server_addr(), pg_catalog.inet_server_port(), oid) AS name
       FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()`,
  );
  return `postgresql at ${row?.name}`;
}

/** Undefined where the server does not let the user ask. */
export async function clusterIdentity(session: Session): Promise<string | undefined> {
  const known = await identity(session);
  return known && `postgresql ${known.name}`;
}

async function identity(session: Session): Promise<{ name: string; standby: boolean } | undefined> {
  const [row] = await session
    .query<{ name: string; standby: boolean }>(
      `SELECT pg_catalog.pg_is_in_recovery() AS standby,
              pg_catalog.concat_ws(' ', system_identifier, (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())) AS name
         FROM pg_catalog.pg_control_system()`,
    )
    // Some services do not let their users ask; the lock has answered for the common case.
    .catch(() => []);
  return row;
}
