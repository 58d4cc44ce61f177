import { type CopyOptions, EngineError, type SourceSnapshot } from "../../contract.ts";
import type { Session } from "../driver/connection.ts";
import { sqlState } from "../driver/errors.ts";
import { literal, notAmong, qualified } from "../driver/names.ts";
import { begin, type Held, type HeldTable, holdTables, letGo, lockAll, markReading } from "./holding.ts";

/** The source as one snapshot: which tables hold rows, locked against TRUNCATE, and how large they are. */

export interface Column {
  name: string;
  /** The type as the server writes it, for a person. */
  type: string;
  /** The same below a domain. */
  base: string;
  /** What COPY's binary form of it depends on: the built-in type's name, `enum`, or undefined where only text is safe. */
  binary: string | undefined;
  notNull: boolean;
  /** Of an enumeration. */
  labels: string[] | null;
  /** SQL of what is read of it; its name without. */
  read?: string | undefined;
}

export interface Table {
  oid: number;
  schema: string;
  name: string;
  /** Columns to copy, in order; generated ones are left out. */
  columns: Column[];
  /** All columns are copied, so that none need be named; the only way where there are none. */
  bare: boolean;
  /** Bytes of heap and TOAST. */
  bytes: number;
  pages: number;
  /** The planner's guess. */
  rows: number;
  /** Stored in the ordinary heap, in which a range of pages can be read. */
  heap: boolean;
  /** For a table of an extension: the condition for the user's own rows. */
  extension: { name: string; condition: string } | undefined;
  /** Of a partitioned table that is loaded through its root: the partitions with its rows. */
  leaves?: readonly Table[];
}

export interface Sequence {
  schema: string;
  name: string;
}

export interface Source {
  tables: Table[];
  sequences: Sequence[];
  /** As in `SET TRANSACTION SNAPSHOT`; valid while the session's transaction is open. */
  snapshot: string;
  encoding: string;
  /** Bytes of the database. */
  size: number;
  /** For the report. */
  facts: SourceSnapshot;
}

/** Schemas that belong to users. */
export const ofUsers = (schema: string) => `${schema} !~ '^pg_' AND ${schema} <> 'information_schema'`;

const tries = 5;

export interface Opening {
  /** As in CopyOptions. */
  locks?: CopyOptions["source_locks"];
  /** Seconds that another session may wait for our locks. 30. */
  blockingSeconds?: number | undefined;
  /** Oids of tables that are neither read nor locked: asked before the locks, and inside the snapshot, which decides. Absent: none. */
  left?: (() => Promise<ReadonlySet<number>>) | undefined;
  /** The caller reads the columns itself: `tables` come without. */
  columnless?: boolean;
  /** A further session on the source: two are opened. */
  open(): Promise<Session>;
  /** As in Holding. */
  giveUp(error: unknown): void;
  log(message: string): void;
}

const blockingSeconds = 30;

/**
 * Opens one snapshot on all sessions and reads with `read` on the first; leaves their transactions open. Before the
 * snapshot is taken a session of its own locks the tables (holding.ts): TRUNCATE (and ALTER TABLE's rewriting) empties
 * a table for snapshots older than itself. With `locks` none that is left out.
 * Errors: `lock_timeout`, `schema_changing` (retryable), `permission_denied`, `lock_table_full`.
 */
export async function openSource<T>(
  first: Session,
  others: readonly Session[],
  read: (source: Source) => Promise<T>,
  { locks = "auto", left, columnless = false, blockingSeconds: seconds = blockingSeconds, open, giveUp, log }: Opening,
): Promise<{ source: Source; found: T; held: Held }> {
  const [holder, watcher] = await Promise.all([open(), open()]);
  const readers: [Session, ...Session[]] = [first, ...others];
  for (let attempt = 1; ; attempt++) {
    try {
      const { source, tables } = await lockAndExport(holder, readers, { locks, left, columnless });
      const { snapshot } = source;
      const held = holdTables({ holder, watcher, readers, tables, snapshot, seconds, giveUp, log });
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
  { locks = "auto", left, columnless = false }: Pick<Opening, "locks" | "left" | "columnless">,
): Promise<{ source: Source; tables: HeldTable[] }> {
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
    tables: await readTables(first, seen.not, columnless),
    sequences: await readSequences(first),
  };
  return { source, tables };
}

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

interface TableRow extends HeldTable {
  columns: Column[];
  generated: boolean;
  bytes: number;
  pages: number;
  rows: number;
  heap: boolean;
  extension: string | null;
  condition: string | null;
}

/** One row for a type's oid: the type below its domains with the length that these give, and whether they want a value or have one. */
export const belowDomains = (oid: string): string =>
  `WITH RECURSIVE up AS (
     SELECT t.oid, t.typtype, t.typbasetype, t.typname, t.typtypmod AS below, -1 AS typmod, t.typnotnull AS notnull, t.typdefault IS NOT NULL AS preset
       FROM pg_catalog.pg_type t WHERE t.oid = ${oid}
     UNION ALL
     SELECT b.oid, b.typtype, b.typbasetype, b.typname, b.typtypmod, GREATEST(up.below, up.typmod), up.notnull OR b.typnotnull, up.preset OR b.typdefault IS NOT NULL
       FROM up JOIN pg_catalog.pg_type b ON b.oid = up.typbasetype)
   SELECT * FROM up WHERE up.typbasetype = 0`;

/** The labels of the type `base`, or NULL. */
export const labelsBelow =
  "(SELECT pg_catalog.json_agg(l.enumlabel ORDER BY l.enumsortorder) FROM pg_catalog.pg_enum l WHERE base.typtype = 'e' AND l.enumtypid = base.oid)";

/** Of a column `a` whose type below its domains is `base`: no row has NULL. Since 18, such a constraint may be NOT VALID. */
export const notNull =
  "(a.attnotnull AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND NOT k.convalidated AND k.conkey[1] = a.attnum)) OR base.notnull";

/** `generated`: SQL that tells whether the column is. */
const columnList = (generated: string): string =>
  `SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
            'name', a.attname,
            'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
            'base', pg_catalog.format_type(base.oid, CASE WHEN base.oid = a.atttypid THEN a.atttypmod ELSE base.typmod END),
            'binary', CASE WHEN base.typtype = 'e' THEN 'enum' WHEN base.oid < 10000 THEN base.typname END,
            'notNull', ${notNull},
            'labels', ${labelsBelow}
          ) ORDER BY a.attnum) FILTER (WHERE NOT (${generated})) AS list,
          pg_catalog.bool_or(${generated}) AS generated
     FROM pg_catalog.pg_attribute a
     JOIN LATERAL (${belowDomains("a.atttypid")}) base ON true
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped`;

/** Every table that holds rows of its own, the largest first, but for those in `left`. */
export async function readTables(
  session: Session,
  left: ReadonlySet<number> = new Set(),
  columnless = false,
): Promise<Table[]> {
  const generated = session.version >= 120_000 ? "a.attgenerated <> ''" : "false";
  const heap = session.version >= 120_000 ? "c.relam = 2" : "true";
  const rows = await session.query<TableRow>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name,
            COALESCE(columns.list, '[]') AS columns, COALESCE(columns.generated, false) AS generated,
            pg_catalog.pg_table_size(c.oid) AS bytes,
            pg_catalog.pg_relation_size(c.oid) / pg_catalog.current_setting('block_size')::int8 AS pages,
            GREATEST(c.reltuples, 0)::int8 AS rows, ${heap} AS heap,
            e.extname AS extension, config.condition
       FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid
            AND d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.deptype = 'e'
       LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
       LEFT JOIN LATERAL (
            SELECT e.extcondition[i] AS condition
              FROM pg_catalog.generate_subscripts(e.extconfig, 1) i WHERE e.extconfig[i] = c.oid) config ON true
       LEFT JOIN LATERAL (${columnless ? "SELECT NULL::pg_catalog.json AS list, false AS generated" : columnList(generated)}) columns ON true
      WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND (e.oid IS NULL OR c.oid = ANY (e.extconfig)) AND ${notAmong("c.oid", left)}
      ORDER BY bytes DESC, c.oid`,
  );
  return rows.map(({ generated, extension, condition, columns, ...row }) => ({
    ...row,
    columns: columns.map((column) => ({ ...column, binary: column.binary ?? undefined })),
    bare: !generated || columns.length === 0,
    extension: extension === null ? undefined : { name: extension, condition: condition ?? "" },
  }));
}

const readSequences = (session: Session) =>
  session.query<Sequence>(
    `SELECT n.nspname AS schema, c.relname AS name
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'S' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
             WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
               AND d.refclassid = 'pg_catalog.pg_extension'::regclass AND NOT c.oid = ANY (COALESCE(e.extconfig, '{}')))
      ORDER BY c.oid`,
  );
