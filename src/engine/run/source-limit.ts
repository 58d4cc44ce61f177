import { type CopyHooks, type CopyRequest, EngineError, type EngineProgress } from "../contract/index.ts";
import { type OpenedDatabase, openReading, sizeOf } from "./open-database.ts";

/** The size that a source may have: measured before the first write, and held against what is read. */

type Limited = Pick<CopyRequest, "source" | "target" | "mostBytes" | "isBegun" | "finishedBefore">;

/**
 * Measures the source before anything is written, with the same function as a price quote. Without `mostBytes` it does nothing. Returns
 * what the copy may read; undefined: no limit. Throws EngineError `source_too_large`, and what a server that cannot be reached throws.
 */
export async function checkSourceSize(
  { source, target, mostBytes, isBegun = false, finishedBefore = 0 }: Limited,
  { signal, measured }: Pick<CopyHooks, "signal" | "measured">,
): Promise<Allowance | undefined> {
  if (mostBytes === undefined) return undefined;
  const opened = await openReading(source, { role: "source", program: "rowferry", signal });
  try {
    if (!isBegun) {
      const size = await sizeOf(opened);
      measured(size, source.engine === target.engine ? "transfer" : "conversion");
      if (size > mostBytes) throw tooLarge(size, mostBytes);
    }
    const most = await mostRead(opened, mostBytes);
    return { most: Math.min(most, most * readings - finishedBefore), before: finishedBefore };
  } finally {
    await opened.session.end();
  }
}

/**
 * Statistics can be old, or not be kept at all (STATS_AUTO_RECALC=0), and a server can report any size. As text a row takes less than four
 * times its room in the table, but for rows of enums and timestamps alone: a smaller share of what is read is no proof.
 */
const textPerByte = 4;
/** Tables that the engine compresses. PostgreSQL compresses the long values of any table (TOAST). */
const textPerCompressedByte = 64;
/** How often a table may be copied to its end: one that changed since is copied again by the next pod. */
const readings = 2;
/** A table that was cut is read again: so many tries of it count as one, but not any number. */
const cutsPerReading = 4;

/** What an attempt takes from the limit of all attempts. Bytes. */
export function countedBytes(progress: Pick<EngineProgress, "read" | "finished"> | undefined): number {
  const { read = 0, finished = 0 } = progress ?? {};
  return Math.round(finished + Math.max(0, read - finished) / cutsPerReading);
}
/** Of a size, before its factor: the sizes of small tables are estimates. */
const least = 1 << 20;

/**
 * What is paid for times the tables' factors, averaged by the tables' sizes: a table's compression raises the limit by its own size alone,
 * and a source that grew within its payment has the limit of its new size.
 */
async function mostRead(opened: OpenedDatabase, mostBytes: number): Promise<number> {
  const share = await compressedShare(opened);
  const averaged = Math.max(least, mostBytes) * (textPerByte + (textPerCompressedByte - textPerByte) * share);
  return Math.ceil(Math.max(averaged, share > 0 ? least * textPerCompressedByte : 0));
}

/** From 0 to 1. Of a source below `least`, the share of `least`: an empty compressed table beside old statistics is no proof. */
async function compressedShare({ engine, session }: OpenedDatabase): Promise<number> {
  if (engine === "postgres") return 1;
  // Two queries: a subquery on COLUMNS could open every table once for each table.
  const columns = await session.query(
    `SELECT DISTINCT TABLE_NAME FROM information_schema.COLUMNS
      WHERE TABLE_SCHEMA = DATABASE() AND DATA_TYPE NOT IN ('enum', 'set') AND COLUMN_TYPE LIKE '%compressed*/'`,
  );
  const withCompressed = new Set(columns.map(([name]) => String(name)));
  const tables = await session.query(
    `SELECT TABLE_NAME, COALESCE(DATA_LENGTH + INDEX_LENGTH, 0), COALESCE(ROW_FORMAT = 'Compressed', 0)
         OR COALESCE(CREATE_OPTIONS LIKE '%compress%', 0)
         OR COALESCE(ENGINE NOT IN ('InnoDB', 'MyISAM', 'Aria', 'MEMORY', 'CSV'), 0)
       FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`,
  );
  let [all, compressed] = [0, 0];
  for (const [name, size, isCompressed] of tables) {
    all += Number(size);
    if (Number(isCompressed) === 1 || withCompressed.has(String(name))) compressed += Number(size);
  }
  return Math.min(1, compressed / Math.max(least, all));
}

const tooLarge = (size: number, mostBytes: number) =>
  new EngineError(
    "source_too_large",
    `the source has ${size} bytes, and this run may copy at most ${mostBytes}; nothing was written`,
    { side: "source" },
  );

/** Ends the copy when it has read more than a source of the measured size can have. */
interface ReadLimit {
  /** Aborted when the copy has read too much, or when the signal given is. */
  readonly signal: AbortSignal;
  /** `read`: bytes so far. */
  heard(read: number): void;
  /** The error to throw instead of one that follows from the abort. */
  explain(error: unknown): unknown;
}

/** Bytes that this attempt may read, and what earlier ones count. */
interface Allowance {
  most: number;
  before: number;
}

export function limitReading(
  signal: AbortSignal,
  allowance: Allowance | undefined,
  engine: OpenedDatabase["engine"],
): ReadLimit {
  const { most = Number.POSITIVE_INFINITY, before = 0 } = allowance ?? {};
  const over = new AbortController();
  return {
    signal: AbortSignal.any([signal, over.signal]),
    heard(read) {
      if (read > most && !over.signal.aborted) over.abort(wrongSize(read + before, engine));
    },
    explain: (error) => (over.signal.aborted && !signal.aborted ? over.signal.reason : error),
  };
}

const wrongSize = (read: number, engine: OpenedDatabase["engine"]) =>
  new EngineError(
    "source_statistics_wrong",
    `the copy has read ${read} bytes, far more than this run may copy and than the source's ${engine === "mysql" ? "statistics say: run ANALYZE TABLE on its tables" : "pg_database_size says: check what the server reports"}`,
    { side: "source" },
  );
