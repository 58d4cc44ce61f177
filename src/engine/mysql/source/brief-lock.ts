import { setTimeout as pause } from "node:timers/promises";
import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { withoutReplyListener } from "../../run/watchdog/replies.ts";
import type { Session } from "../driver/session.ts";
import { longestIdleSeconds } from "../driver/settings.ts";
import { errorNumber } from "../driver/write-session.ts";
import { absorbCancel, wasCancelled } from "./read-again.ts";

/**
 * Read locks for the moment in which a snapshot begins. Writers wait behind us while we wait for a lock, so we wait
 * briefly, and again after a pause; and no lock outlasts a bound, whatever becomes of us.
 */

/** Seconds to wait for a lock. */
export const briefSeconds = 2;
/**
 * Each of a statement's tables has a wait of its own, during which writers wait at all tables before it: then the statement is
 * ended. To open a table takes a server some milliseconds.
 */
const statementMs = ({ tables }: { tables: number }): number => briefSeconds * 1000 + 500 + 2 * tables;
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

/** Ends the statement of a session. */
export type Cancel = (session: Session) => Promise<void>;

interface Locking {
  control: Session;
  cancel: Cancel;
  /** Tables as LOCK TABLES takes them; empty: there are none. */
  list: string;
  tables: number;
  signal: AbortSignal;
  log(message: string): void;
}

/** `control` waits `briefSeconds` for a lock. */
export async function lockBriefly(locking: Locking): Promise<BriefLock> {
  const { list, signal, log } = locking;
  const may = { flush: true, lock: list !== "" };
  let cause: string | undefined;
  for (let attempt = 0; attempt < tries; attempt++) {
    if (attempt > 0) await pause(pauseMs, undefined, { signal });
    const found = await lockOnce(locking, may);
    if (found.taken !== undefined) return found;
    if (!may.flush && !may.lock) return { taken: undefined };
    ({ cause } = found);
    if (attempt + 1 < tries)
      log(`The source's tables are not locked yet, since ${cause}; trying again in ${pauseMs / 1000} s`);
  }
  return cause === undefined ? { taken: undefined } : { taken: undefined, cause };
}

/** One wait at most: two would hold up writers for twice as long. `may`: what the user may, as far as it is known. */
async function lockOnce(locking: Locking, may: { flush: boolean; lock: boolean }): Promise<BriefLock> {
  const { control } = locking;
  const long = await longStatement(control);
  if (may.flush && long === undefined) {
    const answer = await ask(control, "FLUSH TABLES WITH READ LOCK", locking);
    if (answer === "taken") return { taken: "flush" };
    if (answer === "late") return { taken: undefined, cause: `no lock was to be had within ${briefSeconds} s` };
    may.flush = false;
  }
  if (may.lock) {
    const answer = await lockTables(locking);
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

async function lockTables(locking: Locking): Promise<Answer> {
  const { control, list } = locking;
  await control.query(lockingToo);
  const answer = await ask(control, `LOCK TABLES ${list}`, locking);
  if (answer !== "taken") await control.query("SET SESSION autocommit = 1");
  return answer;
}

/** Not granted, refused by a managed service (RDS and Aurora by 1045, as for a wrong password), or not possible on a read-only server. */
const refusals = new Set([1044, 1045, 1142, 1143, 1227, 1290, 1223, 1192, 1836]);
const notInTime = 1205;

type Answer = "taken" | "refused" | "late";

/** What became of a statement that locks so many tables. */
export async function ask(session: Session, sql: string, most: { tables: number; cancel: Cancel }): Promise<Answer> {
  let cancelled: Promise<void> | undefined;
  const timer = setTimeout(() => {
    cancelled = most.cancel(session).catch(() => undefined);
  }, statementMs(most));
  const answer = await answerOf(session, sql).finally(() => clearTimeout(timer));
  if (cancelled !== undefined) {
    await cancelled;
    await absorbCancel(session);
  }
  // MySQL's flush that has given up its wait for a table keeps the lock by which nobody writes.
  if (answer === "late") await session.query("UNLOCK TABLES");
  return answer;
}

async function answerOf(session: Session, sql: string): Promise<Answer> {
  try {
    await session.query(sql);
    return "taken";
  } catch (error) {
    if (wasCancelled(error)) return "late";
    const number = errorNumber(error) ?? 0;
    if (number === notInTime) return "late";
    if (refusals.has(number)) return "refused";
    throw error;
  }
}

/** Seconds for which everything may be locked. A busy machine needs a few for some hundred tables. */
const mostLocked = (blockingTimeout: number): number => Math.min(300, Math.max(10, Math.ceil(blockingTimeout)));
/** Seconds after these, in which a copy that is there ends its locks itself. */
const spareSeconds = 5;

/** The server ends a session that locks, and its locks, when nothing is heard of it: the copy's machine may be gone. */
export const whileLocking = (blockingTimeout: number): string =>
  `SET SESSION lock_wait_timeout = ${briefSeconds}, wait_timeout = ${mostLocked(blockingTimeout) + spareSeconds}`;
export const whenUnlocked = `SET SESSION wait_timeout = ${longestIdleSeconds}`;

/** Seconds for which nothing is heard of a copy that is there: a machine may stand still for a while. */
const aliveSeconds = 300;
const pingMs = 5_000;

/**
 * Keeps what a session has locked until the end, as long as this process is there. `lost` is called once when the session is lost,
 * and with it its locks. Answers how to stop.
 */
export async function keepLocked(locked: Session, lost: (error: unknown) => void): Promise<() => void> {
  await locked.query(`SET SESSION wait_timeout = ${aliveSeconds}`);
  let keeping = true;
  const timer = setInterval(() => {
    // Its answers are no sign that the run moves.
    withoutReplyListener(() => locked.query("DO 0")).catch((error: unknown) => {
      clearInterval(timer);
      if (keeping) lost(error);
    });
  }, pingMs);
  timer.unref();
  return () => {
    keeping = false;
    clearInterval(timer);
  };
}

/** What is done while everything is locked. Errors: `lock_timeout`, when it takes longer than it may. */
export async function underLock(blockingTimeout: number, work: () => Promise<void>): Promise<void> {
  const seconds = mostLocked(blockingTimeout);
  const late = Promise.withResolvers<never>();
  const error = new EngineError(
    "lock_timeout",
    `the source's tables were locked for ${seconds} s, in which not all of them could be held: set options.blocking_timeout to more (at most 300 count here), or options.source_locks to none`,
    { retryable: true },
  );
  const timer = setTimeout(() => late.reject(error), seconds * 1000);
  await Promise.race([work(), late.promise]).finally(() => clearTimeout(timer));
}
