import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, startDatabase } from "../../../dev/databases/index.ts";
import { type Endpoint, EngineError } from "../../../src/engine/contract/index.ts";
import { connect as connectMysql } from "../../../src/engine/mysql/driver/session.ts";
import { connect as connectPostgres } from "../../../src/engine/postgres/driver/connection.ts";
import { watchBeginning } from "../../../src/engine/run/watchdog/beginning.ts";
import { parseDatabaseUrl } from "../../../src/guard/url.ts";
import { borrowDatabase } from "../../servers/index.ts";

/** A catalogue query that takes longer than a run may stand still is no standstill as long as the server works on it. */

type Session = { query(sql: string): Promise<unknown[]>; end(): Promise<void> };

const open = (endpoint: Endpoint, signal: AbortSignal): Promise<Session> =>
  endpoint.engine === "mysql"
    ? connectMysql(endpoint, { role: "source", program: "test", signal })
    : connectPostgres(endpoint, { role: "source", applicationName: "test", signal });

const stallTimeout = 1;
/** The server itself ends the statement then. */
const workSeconds = 4;

const product = (view: string) =>
  `SELECT COUNT(*) FROM ${"abcdef"
    .split("")
    .map((name) => `${view} ${name}`)
    .join(", ")}`;
const kinds = {
  mysql: {
    limit: `SET SESSION max_execution_time = ${workSeconds * 1000}`,
    work: product("information_schema.COLUMNS"),
    ended: /maximum statement execution time exceeded/,
    lock: "SELECT GET_LOCK('beginning', 60)",
  },
  mariadb: {
    limit: `SET SESSION max_statement_time = ${workSeconds}`,
    work: product("information_schema.COLUMNS"),
    ended: /max_statement_time exceeded/,
    lock: "SELECT GET_LOCK('beginning', 60)",
  },
  postgres: {
    limit: `SET statement_timeout = ${workSeconds * 1000}`,
    work: product("pg_catalog.pg_attribute"),
    ended: /statement timeout/,
    lock: "SELECT pg_catalog.pg_advisory_lock(7)",
  },
} as const;

const endpointOf = (server: Database): Endpoint => parseDatabaseUrl(server.url);

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])("the beginning on %s", (kind) => {
  const { limit, work, ended, lock } = kinds[kind];
  let server: Database;
  beforeAll(async () => {
    server = await borrowDatabase(kind);
  });
  afterAll(() => server?.stop());

  /** The error of the last of these statements, and whether the beginning ended it. */
  const during = async (statements: readonly string[]) => {
    const beginning = watchBeginning(new AbortController().signal, stallTimeout);
    const session = await open(endpointOf(server), beginning.signal);
    try {
      const error = await beginning
        .hear(async () => {
          for (const statement of statements) await session.query(statement);
        })
        .catch((caught: unknown) => beginning.explain(caught));
      return error instanceof EngineError ? error : undefined;
    } finally {
      beginning.over();
      await session.end();
    }
  };

  test("lasts as long as a query is at work", async () => {
    const error = await during([limit, work]);
    expect(error?.code).not.toBe("stalled");
    expect(error?.message).toMatch(ended);
  });

  test("ends where a query waits for another session", async () => {
    const holder = await open(endpointOf(server), new AbortController().signal);
    try {
      await holder.query(lock);
      expect(await during([lock])).toMatchObject({ code: "stalled", retryable: true });
    } finally {
      await holder.end();
    }
  });
});

test("the beginning ends where the server's process stands still", async () => {
  const server = await startDatabase("mariadb");
  const beginning = watchBeginning(new AbortController().signal, stallTimeout);
  try {
    const session = await open(endpointOf(server), beginning.signal);
    const query = beginning.hear(() => session.query(kinds.mariadb.work));
    process.kill(server.pid, "SIGSTOP");
    const error = await query.catch((caught: unknown) => beginning.explain(caught));
    expect(error).toMatchObject({ code: "stalled" });
  } finally {
    process.kill(server.pid, "SIGCONT");
    beginning.over();
    await server.stop();
  }
});
