import { EngineError, type MadeObject } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { registerLocked, registerPatienceMs, targetInUse, transacted } from "../../run/fence/fence.ts";
import type { Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { literal } from "../driver/names.ts";
import { claimEverything } from "./claim-rows.ts";
import type { FenceOpening } from "./cut.ts";
import { disableMade } from "./event-triggers.ts";
import { clusterIdentity } from "./same-database.ts";
import { type FenceTable, findTable, lockTable, makeShareable, makeTable } from "./table.ts";

/**
 * How runs come into the fence's table and leave it. Each owner has a row `fence` of its own; the first one makes the table,
 * and the last one drops it.
 */

/** Of all copies into one database: "rowferry" as a number. */
const lockKey = "8245940724411036281";
/** A worker that stops answering within such a transaction would hold up all others. */
const longestIdle = "30s";

/**
 * Runs work in a transaction beside which nobody else's opens, claims, or leaves. Rolls back when work rejects. No lock in it
 * is waited for longer than `patienceMs`. Errors: `target_locked`, where another session keeps the lock that long.
 */
export const registering = <T>(
  session: Session,
  work: () => Promise<T>,
  patienceMs: number = registerPatienceMs,
): Promise<T> =>
  transacted(
    session,
    `BEGIN; SET LOCAL idle_in_transaction_session_timeout = '${longestIdle}'; SET LOCAL lock_timeout = ${patienceMs}`,
    async () => {
      await takeLock(session, patienceMs);
      return work();
    },
  );

/** Anyone who may connect to the database may take it too: whoever has it for long is named. */
async function takeLock(session: Session, patienceMs: number): Promise<void> {
  try {
    await session.run(`SELECT pg_catalog.pg_advisory_xact_lock(${lockKey})`);
  } catch (error) {
    if (sqlState(error) !== lockTimedOut) throw error;
    await session.run("ROLLBACK");
    throw await lockedBySomebody(session, patienceMs);
  }
}

/** The error that names who has the lock. */
export async function lockedBySomebody(session: Session, waitedMs: number): Promise<EngineError> {
  const [holder] = await session.query<{ pid: number; user: string | null; program: string | null }>(
    `SELECT l.pid, a.usename AS user, a.application_name AS program
       FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
      WHERE l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
        AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
        AND (l.classid::int8 << 32) + l.objid::int8 = ${lockKey}`,
  );
  const words =
    holder && `pid ${holder.pid} of user ${holder.user ?? "unknown"}${holder.program ? ` (${holder.program})` : ""}`;
  return registerLocked(words, { waitedMs, fix: `SELECT pg_terminate_backend(${holder?.pid ?? "pid"})` });
}

export interface Registration {
  owner: string;
  ownerName: string;
  /** A finished run's list: its event triggers are disabled before anything is made. */
  made: readonly MadeObject[];
}

export interface RaisedEpoch {
  /** Quoted. */
  table: string;
  epoch: number;
  /** The id of the owner's row. */
  row: number;
}

const lockTimedOut = "55P03";
/** A lock was not had in time, or the table vanished between two looks: 42P01. */
const passing = new Set([lockTimedOut, "40P01", "42P01"]);

/** Whether registering may succeed a moment later. */
export const isPassing = (error: unknown): boolean => passing.has(sqlState(error) ?? "");

/**
 * Makes the owner's row where it is not there, and raises its epoch. Errors: `target_in_use` (an earlier version's table of
 * another owner), `other_database` (the rows came with a copy of the target), `target_locked`, and those of which `isPassing` is true.
 */
export async function register(
  session: Session,
  placing: Registration,
  opening: FenceOpening,
  patienceMs: number,
): Promise<RaisedEpoch> {
  const { owner, ownerName } = placing;
  // Its error would end a transaction.
  const cluster = await clusterIdentity(session);
  return registering(
    session,
    async () => {
      const { table } = await enter(session, placing, cluster);
      await refuseCloned(session, table, placing, cluster);
      // No two owners ever have one epoch: a worker of an earlier version looks at no more than that.
      const [row] = await session.query<{ epoch: number; row: number; transaction: string }>(
        `UPDATE ${table} SET epoch = (SELECT pg_catalog.max(epoch) FROM ${table} WHERE kind = 'fence') + 1
        WHERE kind = 'fence' AND name = $1 AND owner = $1 RETURNING epoch, id AS row, xmin::pg_catalog.text AS transaction`,
        [owner],
      );
      if (row === undefined) throw targetInUse({ table, owner, ownerName });
      opening.transaction = row.transaction;
      return { table, epoch: row.epoch, row: row.row };
    },
    patienceMs,
  );
}

/** The table with this owner in it. Errors: `target_in_use`, where an earlier version made it for another owner alone. */
async function enter(
  session: Session,
  { owner, ownerName, made }: Registration,
  cluster: string | undefined,
): Promise<FenceTable> {
  let found = await findTable(session);
  const there = found === undefined ? false : await isIn(session, found, owner);
  if (found?.single === true) {
    if (!there) throw await ofAnother(session, found);
    await makeShareable(session, found, owner);
    await claimEverything(session, { table: found.table, owner, epoch: 0 });
  }
  // Before the table: it is made under them.
  const held = there ? [] : await disableMade(session, made);
  if (found === undefined) await makeTable(session);
  found = await findTable(session);
  if (found === undefined)
    throw new EngineError("database_error", "the table _rowferry vanished from the target as soon as it was made", {
      retryable: true,
    });
  await lockTable(session, found);
  if (there) return found;
  const rows = [
    ["fence", owner, ownerName],
    ...(cluster === undefined ? [] : [["place", cluster, ""]]),
    ...held.map((mark) => ["part", mark, "0"]),
  ].map((row) => `(${[owner, ...row].map((text) => literal(text ?? "")).join(", ")}, 0)`);
  await session.run(`INSERT INTO ${found.table} (owner, kind, name, body, epoch) VALUES ${rows.join(", ")}`);
  return found;
}

/** Whether the table has a row of this owner. */
export async function isIn(session: Session, { table, single }: FenceTable, owner: string): Promise<boolean> {
  const rows = await session.query(`SELECT FROM ${table} WHERE kind = 'fence' AND ${single ? "name" : "owner"} = $1`, [
    owner,
  ]);
  return rows.length > 0;
}

async function ofAnother(session: Session, { table }: FenceTable): Promise<EngineError> {
  const [other] = await session.query<{ name: string; body: string }>(
    `SELECT name, body FROM ${table} WHERE kind = 'fence'`,
  );
  return targetInUse({ table, owner: other?.name, ownerName: other?.body });
}

/**
 * Whether an owner's rows came with a copy of their database: one made from it as a template has every object under its old id.
 * Errors: `other_database`.
 */
async function refuseCloned(
  session: Session,
  table: string,
  { owner, ownerName }: Registration,
  cluster: string | undefined,
): Promise<void> {
  const [row] = await session.query<{ name: string }>(`SELECT name FROM ${table} WHERE kind = 'place' AND owner = $1`, [
    owner,
  ]);
  if (row === undefined || row.name === (cluster ?? row.name)) return;
  throw new EngineError(
    "other_database",
    `the target's table ${table} is from another database (a template, a restored dump), so its list of ${printable(ownerName)} does not apply here: name the database of the copy, or drop that table and the run's objects by hand; nothing was dropped`,
  );
}

/** Removes what the table has of an owner, in the open transaction; with the last one's it drops the table. */
export async function leaveFence(session: Session, { table, owner }: { table: string; owner: string }): Promise<void> {
  const others = await session.query(`SELECT FROM ${table} WHERE kind = 'fence' AND owner <> $1 LIMIT 1`, [owner]);
  if (others.length > 0) {
    await session.query(`DELETE FROM ${table} WHERE owner = $1`, [owner]);
    return;
  }
  await session.run(`DROP TABLE ${table}`);
  try {
    await session.run("SAVEPOINT own; DROP SCHEMA IF EXISTS _rowferry; RELEASE SAVEPOINT own");
  } catch (error) {
    // Not ours to drop, or not empty.
    if (!["42501", "2BP01"].includes(sqlState(error) ?? "")) throw error;
    await session.run("ROLLBACK TO SAVEPOINT own; RELEASE SAVEPOINT own");
  }
}
