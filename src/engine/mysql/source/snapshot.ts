import { type Endpoint, EngineError, type SourceSnapshot } from "../../contract/index.ts";
import { defaultBlockingTimeout } from "../../contract/option-defaults.ts";
import { baseTables } from "../catalogue/catalogue.ts";
import { engineError } from "../driver/errors.ts";
import { qualified } from "../driver/names.ts";
import { connect, type Session } from "../driver/session.ts";
import {
  ask,
  type BriefLock,
  briefSeconds,
  type Cancel,
  keepLocked,
  lockBriefly,
  underLock,
  whenUnlocked,
  whileLocking,
} from "./brief-lock.ts";
import { hold, type Waits, watchWaiting } from "./holding.ts";
import { type LogPosition, lockedPosition, mariadbPosition } from "./log-position.ts";
import { interrupt, readsAgain } from "./read-again.ts";
import { beginUnlocked } from "./unlocked.ts";

/**
 * One state of the source, seen by N sessions: all of them start their transaction while nothing can be written. Where no lock
 * can be had, one session reads alone (unlocked.ts).
 * Writers wait for that moment only; tables of other engines than InnoDB know no snapshot and stay read-locked.
 * Rows are a snapshot's, definitions are not: every session that reads rows holds every table (holding.ts) until `unlock`.
 */
export interface Snapshot {
  /** Read-only transactions that see the same state. */
  readers: Session[];
  /**
   * For definitions, which the readers keep as they are: a server looks through all that a session holds for each table
   * that a catalogue's query opens, so that a reader's takes the square of the number of tables.
   */
  definitions: Session;
  /** What could not be had, in words for the report. */
  warnings: string[];
  /** For the report: the place in the source's log, and how many read. */
  facts: SourceSnapshot;
  /** Everything was read: ends the transactions, so that definitions may change and all writers go on. */
  unlock(): Promise<void>;
  /** Stops the statement that a reader runs, which then ends with an error; its transaction goes on. */
  cancel(reader: Session): Promise<void>;
  close(): Promise<void>;
}

/** Seconds to wait for a table, where nobody waits behind us. */
const lockSeconds = 5;
/** The same where a flush was tried in vain: its tables are free when the statements have ended that it waited for. */
const patientSeconds = 15;
const transactional = new Set(["InnoDB", "ROCKSDB", "TokuDB"]);
const isolation = "SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ";
const start = "START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY";
export interface SnapshotOptions {
  /** Seconds that another session may wait for ours. Those that write to the table wait with it. */
  blockingTimeout?: number | undefined;
  /** As in CopyOptions. */
  locks?: "auto" | "require" | "none" | undefined;
  /** Tables to hold and lock; all. */
  has?(table: string): boolean;
  /** No reader reads rows, so that each table is held by one of them alone: a server looks through all that a session holds for each more. */
  rowless?: boolean;
  /** Seconds that a statement may take; 0: no limit. */
  statementTimeout?: number | undefined;
  log?(message: string): void;
}

/**
 * `giveUp` is called once, when a change of a table or a flush has waited for us too long: the caller ends the run by it.
 * Errors: `locks_refused` where locks are required and the user may take none.
 */
export async function openSnapshot(
  source: Endpoint,
  sessions: number,
  program: string,
  signal: AbortSignal,
  giveUp: (error: EngineError) => void,
  options: SnapshotOptions = {},
): Promise<Snapshot> {
  const { blockingTimeout = defaultBlockingTimeout, locks = "auto", has = () => true } = options;
  const { log = () => undefined, rowless = false, statementTimeout } = options;
  const open: Session[] = [];
  const session = async () => {
    const opened = await connect(source, { role: "source", program, signal, statementTimeout });
    open.push(opened);
    return opened;
  };
  let stopWatching: () => void = () => undefined;
  let stopKeeping: () => void = () => undefined;
  const close = async () => {
    stopWatching();
    stopKeeping();
    await Promise.all(open.map((one) => one.end()));
  };
  try {
    const control = await session();
    const definitions = await session();
    await definitions.query("SET SESSION TRANSACTION READ ONLY");
    const readers = await Promise.all(Array.from({ length: sessions }, session));
    const selected = async () => (await baseTables(control, source.database)).filter(({ name }) => has(name));
    const tables = await selected();
    const others = tables.filter(({ engine }) => !transactional.has(engine)).map(({ name }) => name);
    const warnings: string[] = [];
    await Promise.all(readers.map((reader) => reader.query(isolation)));
    const begin = async (sessions: readonly Session[]) => {
      await Promise.all(sessions.map((one) => one.query(start)));
    };
    const holdAll = async (holders: readonly Session[], seconds = lockSeconds) => {
      const now = await selected();
      const known = new Set(tables.map(({ name }) => name));
      const made = now.find(({ name }) => !known.has(name));
      if (made !== undefined) throw changedMeanwhile(`table ${made.name} was made while the copy began`);
      const all = now.map(({ name }) => qualified(source.database, name));
      const held = (by: number) => (rowless ? all.filter((_, at) => at % holders.length === by) : all);
      await Promise.all(holders.map((holder, by) => hold(holder, held(by), seconds)));
    };
    // Control waits itself, and the readers may.
    const cancelOther: Cancel = async ({ threadId }) => void (await definitions.query(`KILL QUERY ${threadId}`));
    const names = (list: readonly string[]) =>
      list.map((name) => `${qualified(source.database, name)} READ`).join(", ");

    /**
     * MariaDB's LOCK TABLES has a writer wait at the table itself, and whoever wants to read it then, as we do, behind that
     * writer; by FLUSH the writer waits where readers pass it.
     */
    const lockForReading = async (locked: Session, flushed: boolean) => {
      await locked.query(`SET SESSION lock_wait_timeout = ${briefSeconds}`);
      const list = others.map((name) => qualified(source.database, name)).join(", ");
      const most = { tables: others.length, cancel: cancelOther };
      return (
        (locked.server.maria &&
          flushed &&
          (await ask(locked, `FLUSH TABLES ${list} WITH READ LOCK`, most)) === "taken") ||
        (await ask(locked, `LOCK TABLES ${names(others)}`, most)) === "taken"
      );
    };

    await control.query(whileLocking(blockingTimeout));
    let left = readers;
    let position: LogPosition = {};
    const beginLocked = async () => {
      await begin(readers);
      await holdAll(readers, briefSeconds);
      if (!control.server.maria) position = await lockedPosition(control);
    };
    const locked = others.length === 0 ? undefined : await session();
    let holds = false;
    const list = names(tables.map(({ name }) => name));
    const { taken, cause }: BriefLock =
      locks === "none"
        ? { taken: undefined }
        : await lockBriefly({ control, cancel: cancelOther, list, tables: tables.length, signal, log });
    if (taken !== undefined) {
      await underLock(blockingTimeout, async () => {
        await beginLocked();
        holds = locked !== undefined && (await lockForReading(locked, taken === "flush"));
      });
      if (others.length > 0 && !holds) warnings.push(unlockedWarning(others));
      await control.query("UNLOCK TABLES");
      if (holds && locked !== undefined)
        stopKeeping = await keepLocked(locked, (error) => {
          if (!signal.aborted) giveUp(engineError(error, { role: "source", endpoint: source }));
        });
      if (taken === "tables") await control.query("SET SESSION autocommit = 1");
    } else {
      if (locks === "require" && cause !== undefined)
        throw new EngineError("lock_timeout", `the source database was not locked, since ${cause}`, {
          retryable: true,
        });
      if (locks === "require" && tables.length > 0)
        throw new EngineError(
          "locks_refused",
          `user "${source.user}" may neither FLUSH TABLES WITH READ LOCK nor LOCK TABLES on the source database: grant RELOAD or LOCK TABLES, or set options.source_locks to auto`,
        );
      await control.query(whenUnlocked);
      // Nothing else keeps the tables as they are from before the readers begin until they hold them.
      await control.query("START TRANSACTION READ ONLY");
      await holdAll([control], cause === undefined ? lockSeconds : patientSeconds);
      const begun = await beginUnlocked({ control, readers, begin, locks, cause });
      ({ left, position } = begun);
      warnings.push(...begun.warnings);
      await holdAll(left);
      await control.query("COMMIT");
      if (others.length > 0) warnings.push(unlockedWarning(others));
    }
    if (control.server.maria && left[0] !== undefined) position = await mariadbPosition(left[0], control);
    await control.query(`${whenUnlocked}, lock_wait_timeout = DEFAULT`);
    const cancel = async (reader: Session) => void (await control.query(`KILL QUERY ${reader.threadId}`));
    const interruptAll = (threads: readonly number[], ...[words, advice]: Parameters<Waits>) => {
      const found = [...left, definitions].filter(({ threadId }) => threads.includes(threadId));
      log(`Interrupted ${found.length} statements that read the source, since ${words}; they are read again`);
      for (const reader of found) interrupt(reader, changedMeanwhile(words, advice), () => cancel(reader));
    };
    const watch = {
      database: source.database,
      blockingTimeout,
      readers: [...left, definitions].map(({ threadId }) => threadId),
      locked: holds,
      // Tables that know no snapshot have other rows the second time.
      interrupt: others.length === 0 ? interruptAll : undefined,
    };
    stopWatching = watchWaiting(control, watch, (words, advice) => giveUp(changedMeanwhile(words, advice)));
    return {
      readers: left.map(readsAgain),
      definitions: readsAgain(definitions),
      warnings,
      facts: { connections: left.length, ...position },
      async unlock() {
        stopWatching();
        stopKeeping();
        // Nothing is read any more: a session that is lost by now is no loss.
        await Promise.all([locked?.end(), ...left.map((reader) => reader.query("COMMIT").catch(() => undefined))]);
      },
      cancel,
      close,
    };
  } catch (error) {
    await close();
    throw engineError(error, { role: "source", endpoint: source });
  }
}

const changedMeanwhile = (
  words: string,
  advice = "change tables of the source database before the copy or after it",
): EngineError => new EngineError("source_changed", `${words}: ${advice}`, { retryable: true });

const unlockedWarning = (tables: readonly string[]): string =>
  `tables that are not InnoDB were read without a lock, so that rows written meanwhile may be in or not: ${tables.slice(0, 20).join(", ")}${tables.length > 20 ? ", …" : ""}`;
