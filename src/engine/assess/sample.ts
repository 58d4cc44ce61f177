import { type CopyOptions, type Endpoint, EngineError } from "../contract/index.ts";
import { identifier, qualified as mysqlQualified } from "../mysql/driver/names.ts";
import { connect as connectMysql, type Session as MysqlSession } from "../mysql/driver/session.ts";
import { connect as connectPostgres, type Session as PostgresSession } from "../postgres/driver/connection.ts";
import { qualified } from "../postgres/driver/names.ts";
import { mysqlRows } from "../verify/checksum/mysql/rows.ts";
import { postgresRows } from "../verify/checksum/postgres/rows.ts";

/**
 * Rates measured on the spot: the first rows of the largest table are read as a copy reads them, and a text is sent to the
 * target. Both are bounded by bytes and seconds, on sessions of their own which are cut at the bounds; nothing is written, and no lock
 * is taken but that of a SELECT, for which it waits a second at most. No value is kept.
 */

export interface Sampled {
  schema: string;
  name: string;
  columns: readonly string[];
  /** By statistics. */
  rows: number;
  bytes: number;
}

export interface RowSample {
  rows: number;
  bytes: number;
  seconds: number;
  /** Bytes of the longest row's values. */
  longest: number;
}

const mostBytes = 8 << 20;
const mostSeconds = 2;
/** Below this it tells nothing of the rate. */
const leastBytes = 256 << 10;
const unknownRows = 1_000_000;
const program = "rowferry assess";

export const rateOf = (sample: Pick<RowSample, "bytes" | "seconds"> | undefined): number | undefined =>
  sample === undefined || sample.bytes < leastBytes ? undefined : sample.bytes / Math.max(sample.seconds, 0.001);

/** Undefined where the table cannot be read now. Errors: the signal's reason. */
export async function sampleRows(
  source: Endpoint,
  { schema, name, columns, rows, bytes }: Sampled,
  { bandwidth = 0 }: Pick<CopyOptions, "bandwidth">,
  signal: AbortSignal,
): Promise<RowSample | undefined> {
  const room = bandwidth > 0 ? Math.min(mostBytes, bandwidth) : mostBytes;
  // Without statistics the bytes alone bound it.
  const limit = rows > 0 ? Math.max(1, Math.ceil(room / Math.max(1, bytes / rows))) : unknownRows;
  const found: RowSample = { rows: 0, bytes: 0, seconds: 0, longest: 0 };
  let begin = 0;
  let reader: Reader | undefined;
  const cut = () => {
    if (found.seconds === 0) found.seconds = (performance.now() - begin) / 1000;
    reader?.destroy();
  };
  let timer: NodeJS.Timeout | undefined;
  try {
    reader = await (source.engine === "mysql" ? mysqlReader : postgresReader)(source, signal);
    begin = performance.now();
    timer = setTimeout(cut, mostSeconds * 1000);
    await reader.rows({ schema, name, columns, limit }, (fields) => {
      if (found.seconds > 0) return;
      const length = fields.reduce((sum, field) => sum + (field?.length ?? 0), 0);
      found.rows++;
      found.bytes += length;
      found.longest = Math.max(found.longest, length);
      if (found.bytes >= room) cut();
    });
    if (found.seconds === 0) found.seconds = (performance.now() - begin) / 1000;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EngineError)) throw error;
    // Cut at the bounds, or it cannot be read.
    if (found.seconds === 0) return undefined;
  } finally {
    clearTimeout(timer);
    await reader?.end();
  }
  return found;
}

type Take = (fields: readonly (Buffer | null)[]) => void;

interface Asked extends Pick<Sampled, "schema" | "name" | "columns"> {
  limit: number;
}

interface Reader {
  rows(asked: Asked, take: Take): Promise<void>;
  destroy(): void;
  end(): Promise<void>;
}

async function mysqlReader(source: Endpoint, signal: AbortSignal): Promise<Reader> {
  const session = await connectMysql(source, { role: "source", program, signal });
  await session.query("SET SESSION TRANSACTION READ ONLY, SESSION lock_wait_timeout = 1").catch(() => undefined);
  return {
    rows: ({ schema, name, columns, limit }, take) =>
      mysqlRows(
        session,
        `SELECT ${columns.map(identifier).join(", ")} FROM ${mysqlQualified(schema, name)} LIMIT ${limit}`,
        columns.length,
        take,
        undefined,
      ),
    destroy: session.destroy,
    end: session.end,
  };
}

async function postgresReader(source: Endpoint, signal: AbortSignal): Promise<Reader> {
  const session = await connectPostgres(source, { role: "source", applicationName: program, signal });
  await session.run(
    `SET default_transaction_read_only = on; SET lock_timeout = '1s'; SET statement_timeout = '${mostSeconds}s'`,
  );
  return {
    rows: ({ schema, name, columns, limit }, take) =>
      postgresRows(
        session,
        `SELECT ${columns.map((column) => qualified(column)).join(", ")} FROM ONLY ${qualified(schema, name)} LIMIT ${limit}`,
        columns.length,
        take,
        undefined,
      ),
    destroy: session.destroy,
    end: session.end,
  };
}

const sentBytes = 1 << 20;

/** A text that the target counts. Undefined where it does not take one of that length. Errors: the signal's reason. */
export async function sampleSending(target: Endpoint, signal: AbortSignal): Promise<RowSample | undefined> {
  const text = "x".repeat(sentBytes);
  const sql = `SELECT LENGTH('${text}')`;
  let begin = performance.now();
  let session: MysqlSession | PostgresSession | undefined;
  let timer: NodeJS.Timeout | undefined;
  const seconds = () => (performance.now() - begin) / 1000;
  try {
    session = await (target.engine === "mysql"
      ? connectMysql(target, { role: "target", program, signal })
      : connectPostgres(target, { role: "target", applicationName: program, signal }));
    begin = performance.now();
    timer = setTimeout(() => session?.destroy(), mostSeconds * 1000);
    await session.query(sql);
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof EngineError)) throw error;
    // So slow that it was cut: at most this rate.
    if (seconds() < mostSeconds) return undefined;
  } finally {
    clearTimeout(timer);
    await session?.end();
  }
  return { rows: 0, bytes: sentBytes, seconds: seconds(), longest: 0 };
}
