import { type CopyHooks, type CopyRequest, EngineError } from "./contract.ts";
import { type Opened, openReading, sizeOf } from "./opened.ts";

/** The size that a source may have: measured before the first write, and held against what is read. */

type Limited = Pick<CopyRequest, "source" | "target" | "mostBytes" | "isBegun">;

/**
 * Measures the source before anything is written, with the same function as a price quote. Without `mostBytes` it does nothing. Returns the
 * bytes that the copy may read; undefined: no limit. Throws EngineError `source_too_large`, and what a server that cannot be reached throws.
 */
export async function checkSourceSize(
  { source, target, mostBytes, isBegun = false }: Limited,
  { signal, measured }: Pick<CopyHooks, "signal" | "measured">,
): Promise<number | undefined> {
  if (mostBytes === undefined) return undefined;
  const opened = await openReading(source, { role: "source", program: "rowferry", signal });
  try {
    if (!isBegun) {
      const size = await sizeOf(opened);
      measured(size, source.engine === target.engine ? "transfer" : "conversion");
      if (size > mostBytes) throw tooLarge(size, mostBytes);
    }
    return await mostRead(opened, mostBytes);
  } finally {
    await opened.session.end();
  }
}

/**
 * PostgreSQL measures its files. InnoDB's statistics can be old, or not be kept at all (STATS_AUTO_RECALC=0). As text a row takes less than
 * four times its room in the table, but for rows of enums and timestamps alone: a smaller share of what is read is no proof.
 */
const textPerByte = 4;
const textPerCompressedByte = 64;
/** Of a limit: the sizes of small tables are estimates. */
const least = 1 << 20;

async function mostRead({ engine, session }: Opened, mostBytes: number): Promise<number | undefined> {
  if (engine === "postgres") return undefined;
  const [row] = await session.query(
    `SELECT EXISTS (SELECT 1 FROM information_schema.TABLES
       WHERE TABLE_SCHEMA = DATABASE() AND (ROW_FORMAT = 'Compressed' OR CREATE_OPTIONS LIKE '%compress%'
         OR ENGINE NOT IN ('InnoDB', 'MyISAM', 'Aria', 'MEMORY', 'CSV')))
     OR EXISTS (SELECT 1 FROM information_schema.COLUMNS
       WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_TYPE LIKE '%compressed%')`,
  );
  return Math.max(least, mostBytes) * (Number(row?.[0] ?? 0) === 1 ? textPerCompressedByte : textPerByte);
}

const tooLarge = (size: number, mostBytes: number) =>
  new EngineError(
    "source_too_large",
    `the source has ${size} bytes, and this run may copy at most ${mostBytes}; nothing was written`,
    { side: "source" },
  );

/** Ends the copy when it has read more than a source of the measured size can have. */
export interface ReadLimit {
  /** Aborted when the copy has read too much, or when the signal given is. */
  readonly signal: AbortSignal;
  /** `read`: bytes so far. */
  heard(read: number): void;
  /** The error to throw instead of one that follows from the abort. */
  explain(error: unknown): unknown;
}

export function limitReading(signal: AbortSignal, most: number | undefined): ReadLimit {
  const over = new AbortController();
  return {
    signal: AbortSignal.any([signal, over.signal]),
    heard(read) {
      if (most !== undefined && read > most && !over.signal.aborted) over.abort(staleStatistics(read));
    },
    explain: (error) => (over.signal.aborted && !signal.aborted ? over.signal.reason : error),
  };
}

const staleStatistics = (read: number) =>
  new EngineError(
    "source_statistics_wrong",
    `the copy has read ${read} bytes, far more than this run may copy and than the source's statistics say: run ANALYZE TABLE on its tables`,
    { side: "source" },
  );
