import { setTimeout as pause } from "node:timers/promises";
import { printable } from "../../contract/text/printable.ts";
import { MysqlError } from "../driver/errors.ts";
import type { Session } from "../driver/session.ts";

/**
 * Read locks for the moment in which a snapshot begins. Writers wait behind us while we wait for a lock, so we wait
 * briefly, and again after a pause.
 */

/** Seconds to wait for a lock. */
export const briefSeconds = 2;
const tries = 3;
const pauseMs = 2_000;
/** Seconds that a statement has run which a flush would have to wait for. */
const longSeconds = 1;

export interface BriefLock {
  /** Undefined: none. */
  taken: "flush" | "tables" | undefined;
  /** Why the lock was not taken; undefined: the user lacks the right. */
  cause?: string;
}

interface Locking {
  control: Session;
  /** Tables as LOCK TABLES takes them; empty: there are none. */
  list: string;
  signal: AbortSignal;
  log(message: string): void;
}

/** `control` waits `briefSeconds` for a lock. */
export async function lockBriefly({ control, list, signal, log }: Locking): Promise<BriefLock> {
  const may = { flush: true, lock: list !== "" };
  let cause: string | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    if (attempt > 0) await pause(pauseMs, undefined, { signal });
    const found = await lockOnce(control, list, may);
    if (found.taken !== undefined) return found;
    if (!may.flush && !may.lock) return { taken: undefined };
    ({ cause } = found);
    if (attempt + 1 < tries)
      log(`The source's tables are not locked yet, since ${cause}; trying again in ${pauseMs / 1000} s`);
  }
  return cause === undefined ? { taken: undefined } : { taken: undefined, cause };
}

/** One wait at most: two would hold up writers for twice as long. `may`: what the user may, as far as it is known. */
async function lockOnce(control: Session, list: string, may: { flush: boolean; lock: boolean }): Promise<BriefLock> {
  const long = await longStatement(control);
  if (may.flush && long === undefined) {
    const answer = await ask(control, "FLUSH TABLES WITH READ LOCK");
    if (answer === "taken") return { taken: "flush" };
    if (answer === "late") return { taken: undefined, cause: `no lock was to be had within ${briefSeconds} s` };
    may.flush = false;
  }
  if (may.lock) {
    const answer = await lockTables(control, list);
    if (answer === "taken") return { taken: "tables" };
    if (answer === "late")
      return { taken: undefined, cause: `tables of the source database were not free within ${briefSeconds} s` };
    may.lock = false;
  }
  return { taken: undefined, cause: `a flush would wait for ${long}` };
}

/**
 * MySQL's flush waits for every statement that runs, and even when it has given up, all others who use their tables wait for
 * them to end. Only a user with PROCESS sees other users' statements.
 */
async function longStatement(control: Session): Promise<string | undefined> {
  if (control.server.maria) return undefined;
  for (const [id, user, , , command, seconds, , statement] of await control.query("SHOW PROCESSLIST"))
    if (
      /^(?:Query|Execute)$/.test(command ?? "") &&
      !/^(?:system user|event_scheduler)$/.test(user ?? "") &&
      Number(id) !== control.threadId &&
      Number(seconds) >= longSeconds
    )
      return `session ${id}, whose statement has run for ${seconds} s (${printable(statement ?? "")})`;
  return undefined;
}

/**
 * With autocommit off LOCK TABLES waits for InnoDB's own locks too: those of an XA transaction that was prepared and left by
 * its session are all that is in its way.
 */
const lockingToo = `SET SESSION autocommit = 0, innodb_table_locks = 1, innodb_lock_wait_timeout = ${briefSeconds}`;

async function lockTables(session: Session, list: string): Promise<Answer> {
  await session.query(lockingToo);
  const answer = await ask(session, `LOCK TABLES ${list}`);
  if (answer !== "taken") await session.query("SET SESSION autocommit = 1");
  return answer;
}

/** Not granted, refused by a managed service (RDS and Aurora by 1045, as for a wrong password), or not possible on a read-only server. */
const refusals = new Set([1044, 1045, 1142, 1143, 1227, 1290, 1223, 1192, 1836]);
const notInTime = 1205;

type Answer = "taken" | "refused" | "late";

/** What became of a statement that locks. */
export async function ask(session: Session, sql: string): Promise<Answer> {
  try {
    await session.query(sql);
    return "taken";
  } catch (error) {
    const number = error instanceof Error && error.cause instanceof MysqlError ? error.cause.number : 0;
    if (number === notInTime) return "late";
    if (refusals.has(number)) return "refused";
    throw error;
  }
}
