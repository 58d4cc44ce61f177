import { counted } from "../../../guard/text.ts";
import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { withoutReplyListener } from "../../run/watchdog/replies.ts";
import type { Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { literal, qualified } from "../driver/names.ts";

/**
 * Locks on the source's tables while they are copied. One session, the holder, locks every table ACCESS SHARE: a TRUNCATE
 * empties a table for snapshots older than itself. The others lock what they read just then. So the server's lock table
 * holds each table once, and a table that is copied can be released while others are still being read.
 */

export interface HeldTable {
  oid: number;
  schema: string;
  name: string;
}

export interface HeldLocks {
  /** Only these tables are still to be read: the locks of others may be released. */
  needs(oids: Iterable<number>): void;
  /** This table was read for the last time. */
  done(oid: number): void;
  /** Materialised views that are read as tables; names quoted. */
  holdViews(names: readonly string[]): Promise<void>;
  /** Everything was read: releases all locks. Errors: `connection_lost` if the holder lost its locks before. Repeatable. */
  release(): Promise<void>;
  /** Stops watching; the sessions are their opener's. Repeatable. */
  stop(): void;
}

interface Holding {
  holder: Session;
  watcher: Session;
  readers: readonly Session[];
  tables: readonly HeldTable[];
  /** The exported snapshot, in which the holder may read too. */
  snapshot: string;
  /** Seconds that another session may wait for our locks. */
  blockingTimeout: number;
  /** The database is a side of a comparison, and not a copy's source. */
  compared?: "source" | "target" | undefined;
  /** Called once: the run must end with this error, so that the waiting session goes on. */
  giveUp(error: unknown): void;
  log(message: string): void;
}

/** Of a session that joins the snapshot. */
export const begin = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
const lockTimeoutMs = 10_000;
/** Names in one LOCK TABLE. */
const batch = 500;

/** Locks the tables in the open transaction; no other session waits behind ours for longer than 10 s. */
export async function lockAll(session: Session, tables: readonly Omit<HeldTable, "oid">[]): Promise<void> {
  await session.run(`SET LOCAL lock_timeout = ${lockTimeoutMs}`);
  for (let start = 0; start < tables.length; start += batch)
    await session.run(lockStatement(tables.slice(start, start + batch)));
  await session.run("SET LOCAL lock_timeout = 0");
}

const lockStatement = (tables: readonly Omit<HeldTable, "oid">[]) =>
  `LOCK TABLE ${tables.map(({ schema, name }) => `ONLY ${qualified(schema, name)}`).join(", ")} IN ACCESS SHARE MODE`;

/** A reader keeps its snapshot when it goes back to this savepoint, and releases every lock that it took since. */
const savepoint = "reading";
export const markReading = (session: Session): Promise<void> => session.run(`SAVEPOINT ${savepoint}`);

interface Reading {
  locks(): boolean;
  instead<T>(work: (holder: Session) => Promise<T>): Promise<T>;
}

const readings = new WeakMap<Session, Reading>();
/** Behind a session that waits for the holder, a reader would wait for ever: then the holder reads in its place. */
const queueMs = 1_000;
const lockNotAvailable = "55P03";

/** Releases the locks of a reader of `holdTables`; on any other session it does nothing. */
export async function letGo(session: Session): Promise<void> {
  if (readings.has(session)) await session.run(`ROLLBACK TO SAVEPOINT ${savepoint}`);
}

/** Runs `work` on a session that may read the tables at once, and releases its locks on them. */
export async function reading<T>(
  session: Session,
  tables: readonly Omit<HeldTable, "oid">[],
  work: (session: Session) => Promise<T>,
): Promise<T> {
  const ours = readings.get(session);
  if (ours === undefined) return work(session);
  if (ours.locks() && tables.length > 0) {
    try {
      await session.run(`SET LOCAL lock_timeout = ${queueMs}; ${lockStatement(tables)}; SET LOCAL lock_timeout = 0`);
    } catch (error) {
      if (sqlState(error) !== lockNotAvailable) throw error;
      await letGo(session);
      return ours.instead(work);
    }
  }
  try {
    const result = await work(session);
    await letGo(session);
    return result;
  } catch (error) {
    await letGo(session).catch(() => undefined);
    throw error;
  }
}

const mostBetweenMs = 5_000;

/** Begins when the holder has locked the tables and every reader stands at its savepoint. */
export function holdTables(options: Holding): HeldLocks {
  const { readers, tables, snapshot, blockingTimeout, compared, giveUp, log } = options;
  let { holder, watcher } = options;
  let needed = new Set(tables.map(({ oid }) => oid));
  let locked = needed;
  const views: string[] = [];
  let released: Promise<void> | undefined;
  let turn: Promise<unknown> = Promise.resolve();
  /** The holder does one thing at a time. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const next = turn.then(work);
    turn = next.catch(() => undefined);
    return next;
  };
  const holding: Reading = {
    locks: () => tables.length > 0 && released === undefined,
    instead: (work) => inTurn(() => work(holder)),
  };
  for (const reader of readers) readings.set(reader, holding);

  /** The watcher locks what is still needed while the holder still does, and then takes its place. */
  const releaseDone = () =>
    inTurn(async () => {
      const left = tables.filter(({ oid }) => needed.has(oid));
      try {
        await watcher.run(begin);
        await lockAll(watcher, left);
        await watcher.run(`SET TRANSACTION SNAPSHOT ${literal(snapshot)}`);
        for (const view of views) await watcher.run(touch(view));
      } catch (error) {
        await watcher.run("ROLLBACK");
        // Another session waits for one of these: the next look decides.
        if (sqlState(error) === lockNotAvailable) return;
        throw error;
      }
      await holder.run("COMMIT");
      [holder, watcher] = [watcher, holder];
      log(
        `Released the locks on ${counted(locked.size - left.length, "table")} of the source, since a session waited for one`,
      );
      locked = new Set(left.map(({ oid }) => oid));
    });

  /** When each waiting session was first seen, by process and transaction. */
  const waiting = new Map<string, number>();
  const look = async () => {
    const found = await waitersOn(watcher, [holder, ...readers]);
    const now = performance.now();
    const since = ({ key }: Waiter) => now - (waiting.get(key) ?? now);
    const keys = new Set(found.map(({ key }) => key));
    for (const key of waiting.keys()) if (!keys.has(key)) waiting.delete(key);
    for (const { key } of found) if (!waiting.has(key)) waiting.set(key, now);
    const longest = found.filter((one) => since(one) >= blockingTimeout * 1000);
    const blocked = longest.find(({ oid }) => needed.has(oid) || !locked.has(oid));
    if (blocked !== undefined) throw gaveWay(blocked, Math.round(since(blocked) / 1000), compared);
    if (longest.length > 0) await releaseDone();
  };
  let looking = false;
  const timer = setInterval(
    () => {
      if (looking) return;
      looking = true;
      // Its own questions are no progress of the run.
      withoutReplyListener(look)
        .catch((error: unknown) => {
          if (released === undefined) giveUp(error);
          stop();
        })
        .finally(() => {
          looking = false;
        });
    },
    Math.min(mostBetweenMs, (blockingTimeout * 1000) / 4),
  );
  timer.unref();
  const stop = () => clearInterval(timer);
  return {
    needs(oids) {
      needed = new Set(oids);
    },
    done: (oid) => void needed.delete(oid),
    holdViews: (names) =>
      inTurn(async () => {
        views.push(...names);
        for (const view of names) await holder.run(touch(view));
      }),
    release() {
      stop();
      released ??= inTurn(async () => {
        await holder.run("COMMIT");
        for (const reader of readers) await letGo(reader);
      });
      return released;
    },
    stop,
  };
}

/** A materialised view cannot be locked by LOCK TABLE; reading it locks it. */
const touch = (view: string) => `SELECT FROM ${view} LIMIT 0`;

interface Waiter {
  key: string;
  oid: number;
  table: string;
  user: string | null;
  query: string | null;
}

/** No other mode conflicts with ACCESS SHARE. While such a session waits, every later reader waits behind it. */
const waitersOn = (watcher: Session, ours: readonly Session[]) =>
  watcher.query<Waiter>(
    `SELECT l.pid || ' ' || l.virtualtransaction AS key, l.relation::int8 AS oid, pg_catalog.concat_ws('.', n.nspname, c.relname) AS table,
            a.usename::text AS user, pg_catalog.left(a.query, 200) AS query
       FROM pg_catalog.pg_locks l LEFT JOIN pg_catalog.pg_stat_activity a ON a.pid = l.pid
       LEFT JOIN pg_catalog.pg_class c ON c.oid = l.relation LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE l.locktype = 'relation' AND l.mode = 'AccessExclusiveLock' AND NOT l.granted
        AND l.database = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
        AND pg_catalog.pg_blocking_pids(l.pid) && $1::pg_catalog.int4[]`,
    [`{${ours.map(({ processId }) => processId).join(",")}}`],
  );

function gaveWay({ key, table, user, query }: Waiter, seconds: number, compared: Holding["compared"]): EngineError {
  const side = compared ?? "source";
  const [state, work] = compared === undefined ? ["not completely copied", "copy"] : ["being compared", "comparison"];
  return new EngineError(
    "source_changed",
    printable(
      `session ${key.split(" ")[0]} (user ${user ?? "unknown"}) has waited for ${seconds} s to lock table ${table} of the ${side}, which is ${state}; later readers wait behind it (${query ?? "statement unknown"}): change tables of the ${side} before the ${work} or after it, or set a longer blocking_timeout`,
    ),
    { retryable: true, side },
  );
}
