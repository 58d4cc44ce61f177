import { MysqlError } from "../../mysql/driver/errors.ts";
import type { Session as MysqlSession } from "../../mysql/driver/session.ts";
import { readAgain } from "../../mysql/source/read-again.ts";
import type { Session as PostgresSession } from "../../postgres/driver/connection.ts";
import { reading } from "../../postgres/source/holding.ts";
import type { Throttle } from "../../run/throttle.ts";
import { mysqlRows } from "./mysql/rows.ts";
import { readMysqlTypes } from "./mysql/types.ts";
import { postgresRows } from "./postgres/rows.ts";
import { readPostgresTypes } from "./postgres/types.ts";
import type { TableName, TakeRow } from "./rows.ts";
import type { Tables } from "./types.ts";

/** One side of a comparison: sessions that see one state of it, pinned as the engine pins them. Only ever read. */
export type SideSessions =
  | { engine: "mysql"; sessions: readonly MysqlSession[] }
  | { engine: "postgres"; sessions: readonly PostgresSession[] };

/** What is asked of a session, whatever its engine. */
export interface Reader {
  /** The few rows of an aggregate, as text. */
  query(sql: string): Promise<(string | null)[][]>;
  /** Any number of rows of text or bytes, as they come. An exception of `take` ends it. */
  rows(sql: string, columns: number, take: TakeRow): Promise<void>;
  /** Runs `work` with a reader that may read the table at once, and releases the locks that it takes. */
  reading<T>(table: TableName | undefined, work: (reader: Reader) => Promise<T>): Promise<T>;
  /** Runs `work`, whose effects are in its answer alone, again where it was interrupted for another session. */
  again<T>(work: () => Promise<T>): Promise<T>;
}

export function readersOf(side: SideSessions, throttle: Throttle | undefined): Reader[] {
  return side.engine === "mysql"
    ? side.sessions.map((session) => mysqlReader(session, throttle))
    : side.sessions.map((session) => postgresReader(session, throttle));
}

function mysqlReader(session: MysqlSession, throttle: Throttle | undefined): Reader {
  const reader: Reader = {
    query: async (sql) => (await session.query(sql)).map((row) => [...row]),
    rows: (sql, columns, take) => mysqlRows(session, sql, columns, take, throttle),
    reading: (_table, work) => work(reader),
    again: (work) => readAgain(session, work),
  };
  return reader;
}

function postgresReader(session: PostgresSession, throttle: Throttle | undefined): Reader {
  const reader: Reader = {
    query: async (sql) =>
      (await session.query<Record<string, unknown>>(sql)).map((row) =>
        Object.values(row).map((value) => (value === null ? null : String(value))),
      ),
    rows: (sql, columns, take) => postgresRows(session, sql, columns, take, throttle),
    reading: (table, work) =>
      reading(session, table === undefined ? [] : [{ schema: table[0], name: table[1] }], (one) =>
        work(one === session ? reader : postgresReader(one, throttle)),
      ),
    again: (work) => work(),
  };
  return reader;
}

/** The columns' types of the source's and the target's tables. */
export const readBoth = (
  source: SideSessions,
  target: SideSessions,
  pairs: readonly { source: TableName; target: TableName }[],
): Promise<[source: Tables, target: Tables]> =>
  Promise.all([
    readColumnTypes(
      source,
      pairs.map((pair) => pair.source),
    ),
    readColumnTypes(
      target,
      pairs.map((pair) => pair.target),
    ),
  ]);

export async function readColumnTypes(side: SideSessions, names: readonly TableName[]): Promise<Tables> {
  const [first] = side.sessions;
  if (first === undefined) return new Map();
  return side.engine === "mysql"
    ? readMysqlTypes(first as MysqlSession, names)
    : readPostgresTypes(first as PostgresSession, names);
}

/** No such function; for a user without EXECUTE on the database, to whom the server does not say so, "execute command denied". */
const noFunction = new Set([1305, 1370]);

/** MySQL has moved it into a component (9.6), which need not be installed. */
export async function hasMd5(side: SideSessions): Promise<boolean> {
  if (side.engine === "postgres") return true;
  try {
    await side.sessions[0]?.query("SELECT MD5('')");
    return true;
  } catch (error) {
    if (error instanceof Error && error.cause instanceof MysqlError && noFunction.has(error.cause.number)) return false;
    throw error;
  }
}
