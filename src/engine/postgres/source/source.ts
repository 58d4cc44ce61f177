import { type CopyOptions, EngineError, type SourceSnapshot } from "../../contract/index.ts";
import { defaultBlockingTimeout } from "../../contract/option-defaults.ts";
import { type DataTable, ofUsers, readDataTables, readSequences, type Sequence } from "../catalogue/tables.ts";
import type { Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { literal, qualified } from "../driver/names.ts";
import { begin, type HeldLocks, type HeldTable, holdTables, letGo, lockAll, markReading } from "./holding.ts";

/** The source as one snapshot: which tables hold rows, locked against TRUNCATE, and how large they are. */

export interface PostgresSource {
  tables: DataTable[];
  sequences: Sequence[];
  /** As in `SET TRANSACTION SNAPSHOT`; valid while the session's transaction is open. */
  snapshot: string;
  encoding: string;
  /** Bytes of the database. */
  size: number;
  /** For the report. */
  facts: SourceSnapshot;
  /** What may be wrong with the rows, in words. */
  warnings: string[];
}

const tries = 5;

export interface SourceOptions {
  /** As in CopyOptions. */
  locks?: CopyOptions["source_locks"];
  /** Seconds that another session may wait for our locks. */
  blockingTimeout?: number | undefined;
  /** Oids of tables that are neither read nor locked: asked before the locks, and inside the snapshot, which decides. Absent: none. */
  left?: (() => Promise<ReadonlySet<number>>) | undefined;
  /** The caller reads the columns itself: `tables` come without. */
  columnless?: boolean;
  /** As in Holding. */
  compared?: "source" | "target";
  /** A further session on the source: two are opened. */
  open(): Promise<Session>;
  /** As in Holding. */
  giveUp(error: unknown): void;
  log(message: string): void;
}

/**
 * Opens one snapshot on all sessions and reads with `read` on the first; leaves their transactions open. Before the
 * snapshot is taken a session of its own locks the tables (holding.ts): TRUNCATE (and ALTER TABLE's rewriting) empties
 * a table for snapshots older than itself. With `locks` none that is left out.
 * Errors: `lock_timeout`, `schema_changing` (retryable), `permission_denied`, `lock_table_full`.
 */
export async function openSource<T>(
  first: Session,
  others: readonly Session[],
  read: (source: PostgresSource) => Promise<T>,
  {
    locks = "auto",
    left,
    columnless = false,
    blockingTimeout = defaultBlockingTimeout,
    compared,
    open,
    giveUp,
    log,
  }: SourceOptions,
): Promise<{ source: PostgresSource; found: T; held: HeldLocks }> {
  const [holder, watcher] = await Promise.all([open(), open()]);
  const readers: [Session, ...Session[]] = [first, ...others];
  for (let attempt = 1; ; attempt++) {
    try {
      const { source, tables } = await lockAndExport(holder, readers, { locks, left, columnless });
      const { snapshot } = source;
      const held = holdTables({ holder, watcher, readers, tables, snapshot, blockingTimeout, compared, giveUp, log });
      try {
        const found = await read(source);
        await letGo(first);
        return { source, found, held };
      } catch (error) {
        held.stop();
        throw error;
      }
    } catch (error) {
      // 42P01, 42809, 3F000: dropped, or another kind of thing now; the list is read again.
      const again =
        ["42P01", "42809", "3F000"].includes(sqlState(error) ?? "") ||
        (error instanceof EngineError && ["lock_timeout", "schema_changing"].includes(error.code));
      if (!again || attempt >= tries) throw error;
    }
    await Promise.all([holder, ...readers].map((session) => session.run("ROLLBACK")));
  }
}

async function lockAndExport(
  holder: Session,
  readers: readonly [Session, ...Session[]],
  { locks = "auto", left, columnless = false }: Pick<SourceOptions, "locks" | "left" | "columnless">,
): Promise<{ source: PostgresSource; tables: HeldTable[] }> {
  const [first, ...others] = readers;
  const lsn = await logPosition(first);
  const wanted = async () => {
    const all = await lockable(first);
    const not = await left?.();
    return { not, tables: not === undefined ? all : all.filter(({ oid }) => !not.has(oid)) };
  };
  const { tables } = locks === "none" ? { tables: [] } : await wanted();
  await holder.run(begin);
  await lockAll(holder, tables).catch(tooFewLocks(first, tables.length));
  await first.run(begin);
  const [exported] = await first.query<{ snapshot: string; transactions: string; encoding: string; size: number }>(
    `SELECT pg_catalog.pg_export_snapshot() AS snapshot, pg_catalog.txid_current_snapshot()::text AS transactions,
            pg_catalog.current_setting('server_encoding') AS encoding,
            pg_catalog.pg_database_size(pg_catalog.current_database()) AS size`,
  );
  if (exported === undefined) throw new EngineError("database_error", "the source exported no snapshot");
  // The snapshot may see a table that came, or was swapped, between the list and the locks.
  const known = new Set(tables.map(({ oid }) => oid));
  const seen = await wanted();
  const missed = seen.tables.filter(({ oid }) => !known.has(oid));
  if (missed.length > 0 && locks !== "none") throw changing(missed.map(({ schema, name }) => qualified(schema, name)));
  const snapshot = `SET TRANSACTION SNAPSHOT ${literal(exported.snapshot)}`;
  await holder.run(snapshot);
  for (const session of others) await session.run(`${begin}; ${snapshot}`);
  for (const session of readers) await markReading(session);
  const { transactions, ...rest } = exported;
  const facts = { connections: readers.length, ...(lsn === undefined ? {} : { lsn }), transactions };
  const source = {
    ...rest,
    facts,
    tables: await readDataTables(first, seen.not, columnless),
    sequences: await readSequences(first),
    warnings: locks === "none" ? [unlocked] : [],
  };
  return { source, tables };
}

const unlocked = "the source's tables were not locked (source_locks: none): one truncated meanwhile is read as empty";

/** Of the write-ahead log, of a standby what it has replayed. Undefined where the server, or a service, does not tell. */
async function logPosition(session: Session): Promise<string | undefined> {
  const sql = `SELECT CASE WHEN pg_catalog.pg_is_in_recovery() THEN pg_catalog.pg_last_wal_replay_lsn()
                           ELSE pg_catalog.pg_current_wal_lsn() END::text AS lsn`;
  const [row] = await session.query<{ lsn: string | null }>(sql).catch((error: unknown) => {
    if (sqlState(error) === undefined) throw error;
    return [];
  });
  return row?.lsn ?? undefined;
}

/** The server's table of locks has no room for one session's. Errors: `lock_table_full`. */
const tooFewLocks = (session: Session, tables: number) => async (error: unknown) => {
  if (sqlState(error) !== "53200") throw error;
  const [row] = await session.query<{ most: string; sessions: number }>(
    `SELECT pg_catalog.current_setting('max_locks_per_transaction') AS most,
            pg_catalog.current_setting('max_connections')::int8 + pg_catalog.current_setting('max_prepared_transactions')::int8 AS sessions`,
  );
  const wanted = Math.ceil((2 * tables) / (row?.sessions ?? 100));
  throw new EngineError(
    "lock_table_full",
    `the source has ${tables} tables, and its table of locks has no room for them: set max_locks_per_transaction to ${wanted} or more there (now ${row?.most}), restart it, and run again`,
    { side: "source", cause: error },
  );
};

const changing = (names: string[]) =>
  new EngineError(
    "schema_changing",
    `tables were made on the source faster than they could be locked: ${names.slice(0, 5).join(", ")}`,
    {
      retryable: true,
    },
  );

const lockable = (session: Session) =>
  session.query<HeldTable>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")} ORDER BY c.oid`,
  );
