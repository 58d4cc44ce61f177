import { EngineError } from "../../contract/index.ts";
import { registerLocked, registerPatienceMs, targetInUse } from "../../run/fence/fence.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { longestIdleSeconds } from "../driver/settings.ts";
import { errorNumber } from "../driver/write-session.ts";
import { claimEverything } from "./claim-rows.ts";
import { digest, noTable } from "./identity.ts";
import { endSessions, noLocks } from "./predecessors.ts";
import { foldedDatabase } from "./same-database.ts";
import { deleteRows, type FenceTable, findTable, makeShareable, makeTable, ownedRows, singleRow } from "./table.ts";

/**
 * How runs come into the fence's table and leave it. Each owner has a row `fence` of its own; the first one makes the table,
 * and the last one drops it. DDL commits by itself, so a lock of the server's (GET_LOCK) stands around each of these steps.
 */

/** A worker that stops answering meanwhile would hold up all others. */
const longestIdle = 30;
/** Somebody's open transaction that has read the table holds up its change, and with it all others. */
const longestDdlWait = 20;

/**
 * Runs work while nobody else's opens, claims, or leaves: one at a time for each database of the server. Errors: `target_locked`,
 * where another session keeps the lock for `patienceMs`.
 */
export async function registering<T>(
  session: Session,
  work: () => Promise<T>,
  patienceMs: number = registerPatienceMs,
): Promise<T> {
  const lock = await lockName(session);
  await session.run(`SET SESSION wait_timeout = ${longestIdle}, SESSION lock_wait_timeout = ${longestDdlWait}`);
  try {
    await takeRegister(session, lock, patienceMs);
    try {
      return await work();
    } finally {
      // A session that is gone has let go already.
      await session.query(`SELECT RELEASE_LOCK(${literal(lock)})`).catch(() => undefined);
    }
  } finally {
    await session
      .run(`SET SESSION wait_timeout = ${longestIdleSeconds}, SESSION lock_wait_timeout = DEFAULT`)
      .catch(() => undefined);
  }
}

/** The server has one space of names for the locks of all its databases. */
const lockName = async (session: Session): Promise<string> =>
  `rowferry register ${digest(await foldedDatabase(session))}`;

async function takeRegister(session: Session, lock: string, patienceMs: number): Promise<void> {
  const begun = performance.now();
  for (;;) {
    const [[taken] = []] = await session.query(`SELECT GET_LOCK(${literal(lock)}, 1)`);
    if (taken === "1") return;
    if (taken !== "0") throw noLocks();
    if (performance.now() - begun >= patienceMs) throw await lockedBySomebody(session, lock, patienceMs);
  }
}

/** Anyone who may log in to the server may take the lock too: whoever has it is named. */
async function lockedBySomebody(session: Session, lock: string, waitedMs: number): Promise<EngineError> {
  const [[id] = []] = await session.query(`SELECT IS_USED_LOCK(${literal(lock)})`);
  if (id === null || id === undefined) return registerLocked(undefined, { waitedMs, fix: "KILL" });
  // Without the right PROCESS only the user's own are shown.
  const [[user, host] = []] = await session.query(
    `SELECT USER, HOST FROM information_schema.PROCESSLIST WHERE ID = ${Number(id)}`,
  );
  const who = user ? ` of user ${user}@${host ?? ""}` : ", whose user the server does not show to this one";
  return registerLocked(`connection ${id}${who}`, { waitedMs, fix: `KILL ${Number(id)}` });
}

interface Registration {
  database: string;
  owner: string;
  ownerName: string;
}

/** The owner's row. */
interface RaisedEpoch {
  /** Its id, by which alone it is locked. */
  row: number;
  epoch: number;
}

const lockWaitSeconds = 1;
const raiseTimeoutMs = 60_000;
const lockWait = 1205;
const deadlock = 1213;
const passing = new Set([lockWait, deadlock, noTable]);

/**
 * Makes the owner's row where it is not there and raises its epoch, ending the sessions that hold the old one as often as
 * they stand in the way. Errors: `target_in_use` (an earlier version's table of another owner), `target_locked`.
 */
export async function raiseEpoch(session: Session, placing: Registration, patienceMs: number): Promise<RaisedEpoch> {
  const deadline = performance.now() + raiseTimeoutMs;
  await session.run(`SET SESSION innodb_lock_wait_timeout = ${lockWaitSeconds}`);
  for (;;) {
    try {
      const raised = await registering(session, () => enter(session, placing), patienceMs);
      await session.run("SET SESSION innodb_lock_wait_timeout = DEFAULT");
      return raised;
    } catch (error) {
      if (!passing.has(errorNumber(error) ?? 0) || performance.now() > deadline) throw error;
    }
    // A predecessor's transaction holds the epoch: only this owner's sessions are ended for it.
    const found = await findTable(session, placing.database);
    if (found === undefined) continue;
    const locks = await session.query(
      `SELECT name FROM ${ownedRows(found)} r WHERE kind = 'session' AND owner = ${literal(placing.owner)}`,
    );
    await endSessions(
      session,
      locks.map(([lock]) => lock ?? ""),
    );
  }
}

async function enter(session: Session, { database, owner, ownerName }: Registration): Promise<RaisedEpoch> {
  let found = await findTable(session, database);
  if (found?.single === true) {
    await shareOwn(session, found, owner);
    found = { ...found, single: false };
  }
  if (found === undefined) {
    await makeTable(session, database, owner, ownerName);
    found = await findTable(session, database);
  }
  if (found === undefined)
    throw new EngineError("database_error", "the table _rowferry vanished from the target as soon as it was made", {
      retryable: true,
    });
  const { table } = found;
  const [[known] = []] = await session.query(
    `SELECT id FROM ${table} WHERE kind = 'fence' AND owner = ${literal(owner)}`,
  );
  const row =
    known == null
      ? (
          await session.run(
            `INSERT INTO ${table} (owner, kind, name, epoch, body) VALUES (${literal(owner)}, 'fence', ${literal(owner)}, 0, ${literal(ownerName)})`,
          )
        ).insertId
      : Number(known);
  const { insertId } = await session.run(
    `UPDATE ${table} SET epoch = LAST_INSERT_ID(epoch + 1) WHERE id = ${row} AND kind = 'fence'`,
  );
  return { row, epoch: insertId };
}

/** Of an earlier version. What it makes is not known until it says so: the claim of everything is written first. */
async function shareOwn(session: Session, found: FenceTable, owner: string): Promise<void> {
  const [[other, otherName] = []] = await session.query(
    `SELECT name, body FROM ${found.table} WHERE id = ${singleRow} AND kind = 'fence'`,
  );
  if (other !== undefined && other !== owner)
    throw targetInUse({ table: found.table, owner: other ?? undefined, ownerName: otherName ?? undefined });
  await claimEverything(session, found);
  await makeShareable(session, found, owner);
}

/** The owner's rows in the table. */
interface Owned {
  table: string;
  owner: string;
  /** Id of its `fence`. */
  row: number;
}

/**
 * Removes what the table has of an owner; with the last one's it drops the table. `fenced`: a transaction that has passed the
 * guard.
 */
export async function leaveFence(
  session: Session,
  { table, owner, row }: Owned,
  fenced: (work: () => Promise<unknown>) => Promise<unknown>,
): Promise<void> {
  const mine = `owner = ${literal(owner)}`;
  const removed = () =>
    fenced(async () => {
      // Waits for every open data transaction of the owner: what these wrote is in the list below.
      await deleteRows(session, table, [row]);
      const rows = await session.query(`SELECT id FROM ${table} WHERE ${mine}`);
      await deleteRows(
        session,
        table,
        rows.map(([id]) => Number(id)),
      );
    });
  const [other] = await session.query(`SELECT 1 FROM ${table} WHERE kind = 'fence' AND NOT ${mine} LIMIT 1`);
  if (other !== undefined) {
    await removed();
    return;
  }
  await fenced(async () => undefined);
  try {
    await session.run(`DROP TABLE ${table}`);
  } catch (error) {
    // Somebody else's transaction reads it: without rows it is nobody's, and the next run's last step drops it.
    if (errorNumber(error) === lockWait) await removed();
    throw error;
  }
}
