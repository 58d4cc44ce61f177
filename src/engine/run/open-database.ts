import { type Endpoint, EngineError } from "../contract/index.ts";
import { type EngineName, engineName, mysqlEngine } from "../contract/text/engine-name.ts";
import { connect as connectMysql, type Session as MysqlSession } from "../mysql/driver/session.ts";
import { connect as connectPostgres, type Session as PostgresSession } from "../postgres/driver/connection.ts";
import { versionText } from "../postgres/driver/version.ts";

/** A database of either engine, opened for questions that write nothing: what it is, how far away, how large. */

export type OpenedDatabase =
  | { engine: "mysql"; session: MysqlSession }
  | { engine: "postgres"; session: PostgresSession };

interface Asking {
  role: "source" | "target";
  /** Shown in the server's list of sessions. */
  program: string;
  signal: AbortSignal;
  /** Seconds after which the server ends a statement by itself, also one whose asker is gone. No limit. */
  statementTimeout?: number;
  /** How long a login may take. The sessions' own limits. */
  loginMs?: number;
}

/** The session is read-only. Errors: EngineError of a server that cannot be reached. */
export async function openReading(endpoint: Endpoint, asking: Asking): Promise<OpenedDatabase> {
  const { program, ...purpose } = asking;
  const opened: OpenedDatabase =
    endpoint.engine === "mysql"
      ? { engine: "mysql", session: await connectMysql(endpoint, asking) }
      : { engine: "postgres", session: await connectPostgres(endpoint, { ...purpose, applicationName: program }) };
  const { engine, session } = opened;
  try {
    if (engine === "postgres") await session.run("SET default_transaction_read_only = on");
    else {
      await session.query("SET SESSION TRANSACTION READ ONLY");
      if (asking.statementTimeout !== undefined) await session.query(limitWaits(asking.statementTimeout));
    }
  } catch (error) {
    await session.end();
    throw error;
  }
  return opened;
}

/** A statement that waits for another's lock runs on in MySQL when its client is gone, by default for a year. */
const limitWaits = (seconds: number): string =>
  `SET SESSION lock_wait_timeout = ${seconds}, SESSION wait_timeout = ${seconds}`;

export function serverOf({ engine, session }: OpenedDatabase): { engine: EngineName; version: string } {
  if (engine === "postgres") return { engine: engineName("postgres"), version: versionText(session.version) };
  return { engine: engineName(mysqlEngine(session.server)), version: session.server.versionText };
}

const pings = 5;

/** The median of a few round trips, in milliseconds. */
export async function latencyOf({ session }: OpenedDatabase): Promise<number> {
  const taken: number[] = [];
  for (let ping = 0; ping < pings; ping++) {
    const begin = performance.now();
    await session.query("SELECT 1");
    taken.push(performance.now() - begin);
  }
  return Math.round((taken.sort((a, b) => a - b)[Math.floor(pings / 2)] ?? 0) * 100) / 100;
}

/**
 * Bytes of the complete database with indexes, also where a copy would skip some tables. Quotes and the worker's check before the first write both
 * use it, so that an unchanged source has one size. MySQL's session reads current statistics (mysql/driver/settings.ts), not those of its cache.
 */
export async function sizeOf(opened: OpenedDatabase): Promise<number> {
  const size = Math.max(0, Math.round(await reportedSize(opened)));
  if (!Number.isSafeInteger(size))
    throw new EngineError("protocol_error", "the server reported a size that is no number");
  return size;
}

async function reportedSize({ engine, session }: OpenedDatabase): Promise<number> {
  if (engine === "postgres") {
    const [row] = await session.query<{ size: number }>(
      "SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS size",
    );
    return row?.size ?? 0;
  }
  const [row] = await session.query(
    `SELECT COALESCE(SUM(DATA_LENGTH + INDEX_LENGTH), 0) FROM information_schema.TABLES
      WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE IN ('BASE TABLE', 'SYSTEM VERSIONED')`,
  );
  return Number(row?.[0] ?? 0);
}
