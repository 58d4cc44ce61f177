import mysql from "mysql2/promise";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type Database, startDatabase } from "../../dev/databases/index.ts";
import { pristine } from "../servers/pristine.ts";

/** What SQL can leave behind in a server is removed before the next file gets it, or noticed. */

type Kind = "postgres" | "mysql" | "mariadb";
const servers = new Map<Kind, Database>();
const of = (kind: Kind): Database => servers.get(kind) as Database;
beforeAll(async () => {
  const kinds = ["postgres", "mysql", "mariadb"] as const;
  const prepared = { postgres: ["-c", "max_prepared_transactions=2"], mysql: [], mariadb: [] };
  await Promise.all(kinds.map(async (kind) => servers.set(kind, await startDatabase(kind, { args: prepared[kind] }))));
});
afterAll(() => Promise.all([...servers.values()].map((server) => server.stop())));

interface Session {
  ask(text: string): Promise<unknown[][]>;
  end(): Promise<void>;
}

/** Of the superuser, in the server's own database. */
async function session(kind: Kind): Promise<Session> {
  const { adminUrl } = of(kind);
  if (kind === "postgres") {
    const client = new pg.Client(adminUrl);
    client.on("error", () => undefined);
    await client.connect();
    return {
      ask: async (text) => (await client.query<unknown[]>({ text, rowMode: "array" })).rows,
      end: () => client.end().catch(() => undefined),
    };
  }
  const connection = await mysql.createConnection({ uri: adminUrl.replace(/^mariadb:/, "mysql:") });
  connection.on("error", () => undefined);
  return {
    ask: async (sql) => (await connection.query({ sql, rowsAsArray: true }))[0] as unknown[][],
    end: async () => connection.destroy(),
  };
}

async function ask(kind: Kind, ...statements: string[]): Promise<unknown[][]> {
  const { ask: one, end } = await session(kind);
  let rows: unknown[][] = [];
  for (const text of statements) rows = await one(text);
  await end();
  return rows;
}

/** Each is left by the superuser; what the ones before left stays and belongs to the next one's beginning. */
const leavings: readonly [Kind, ...string[]][] = [
  ["postgres", "ALTER SYSTEM SET work_mem = '1MB'", "SELECT pg_reload_conf()"],
  ["postgres", "ALTER SYSTEM SET maintenance_work_mem = '1MB'"],
  ["postgres", "ALTER ROLE app SET work_mem = '1MB'"],
  ["postgres", "ALTER ROLE app CONNECTION LIMIT 3"],
  ["postgres", "ALTER DATABASE postgres SET work_mem = '1MB'"],
  ["postgres", "COMMENT ON ROLE app IS 'left'"],
  ["postgres", "COMMENT ON DATABASE postgres IS 'left'"],
  ["postgres", "GRANT SET ON PARAMETER log_statement TO app"],
  ["postgres", "GRANT pg_monitor TO app WITH ADMIN OPTION"],
  ["postgres", "GRANT EXECUTE ON FUNCTION pg_read_file(text) TO app"],
  ["postgres", "ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO app"],
  ["postgres", "ALTER TABLESPACE pg_default SET (random_page_cost = 2)"],
  ["postgres", "CREATE TABLE t (id int)"],
  ["postgres", "SELECT lo_create(0)"],
  ["postgres", "SELECT pg_create_physical_replication_slot('left')"],
  ["postgres", "SELECT pg_replication_origin_create('left')"],
  [
    "postgres",
    "CREATE FUNCTION f() RETURNS event_trigger LANGUAGE plpgsql AS 'BEGIN END'",
    "CREATE EVENT TRIGGER e ON sql_drop EXECUTE FUNCTION f()",
  ],
  ["mysql", "SET GLOBAL local_infile = 1"],
  ["mysql", "SET GLOBAL innodb_lock_wait_timeout = 7"],
  ["mysql", "SET PERSIST_ONLY max_connections = 77"],
  ["mysql", "GRANT SELECT ON *.* TO app"],
  ["mysql", "ALTER USER app WITH MAX_USER_CONNECTIONS 3"],
  ["mysql", "CREATE USER app@localhost"],
  ["mysql", "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1')"],
  ["mysql", "CREATE TABLESPACE ts ADD DATAFILE 'ts.ibd'"],
  ["mysql", "CREATE EVENT mysql.e ON SCHEDULE EVERY 1 DAY DO SELECT 1"],
  ["mysql", "CREATE FUNCTION sys.f() RETURNS int DETERMINISTIC RETURN 1"],
  ["mysql", "INSTALL PLUGIN mysql_no_login SONAME 'mysql_no_login.so'"],
  ["mysql", "CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1'"],
  ["mysql", "UPDATE performance_schema.setup_consumers SET ENABLED = 'YES'"],
  ["mysql", "INSERT INTO mysql.time_zone_name VALUES ('Left/Behind', 1)"],
  ["mariadb", "SET GLOBAL max_allowed_packet = 1048576"],
  ["mariadb", "SET GLOBAL innodb_lock_wait_timeout = 7"],
  ["mariadb", "GRANT SELECT ON mysql.* TO app"],
  ["mariadb", "ALTER USER app WITH MAX_USER_CONNECTIONS 3"],
  ["mariadb", "CREATE SERVER s FOREIGN DATA WRAPPER mysql OPTIONS (HOST '127.0.0.1')"],
  ["mariadb", "CREATE EVENT mysql.e ON SCHEDULE EVERY 1 DAY DO SELECT 1"],
  ["mariadb", "CREATE FUNCTION sys.f() RETURNS int DETERMINISTIC RETURN 1"],
  ["mariadb", "INSERT INTO mysql.plugin VALUES ('left', 'left.so')"],
  ["mariadb", "CHANGE MASTER TO MASTER_HOST = '127.0.0.1'"],
  ["mariadb", "INSERT INTO mysql.time_zone_name VALUES ('Left/Behind', 1)"],
];

describe("noticed", () => {
  test.each(leavings)("%s: %s", async (kind, ...statements) => {
    const { restore } = await pristine(of(kind));
    expect(await restore()).toBe(true);
    await ask(kind, ...statements);
    expect(await restore()).toBe(false);
  });

  const prepare = ["CREATE TABLE app.t (id int)", "XA START 'x'", "INSERT INTO app.t VALUES (1)", "XA END 'x'"];
  test.each([
    ["postgres", ["BEGIN", "SELECT pg_advisory_xact_lock(1)", "PREPARE TRANSACTION 'x'"], "ROLLBACK PREPARED 'x'"],
    ["mysql", [...prepare, "XA PREPARE 'x'"], "XA ROLLBACK 'x'"],
    ["mariadb", [...prepare, "XA PREPARE 'x'"], "XA ROLLBACK 'x'"],
  ] as const)("%s: a prepared transaction, which holds its locks without a session", async (kind, statements, undo) => {
    const { restore } = await pristine(of(kind));
    await ask(kind, ...statements);
    expect(await restore()).toBe(false);
    await ask(kind, undo);
    expect(await restore()).toBe(true);
  });
});

describe("removed", () => {
  test.each([
    ["postgres", "SELECT pg_advisory_lock(1)", "SELECT pg_try_advisory_lock(1)::int"],
    ["mysql", "SELECT GET_LOCK('x', 1)", "SELECT GET_LOCK('x', 0)"],
    ["mariadb", "SELECT GET_LOCK('x', 1)", "SELECT GET_LOCK('x', 0)"],
  ] as const)("%s: an open session and its lock", async (kind, lock, again) => {
    const { restore } = await pristine(of(kind));
    const left = await session(kind);
    await left.ask(lock);
    expect(await restore()).toBe(true);
    expect(await ask(kind, again)).toEqual([[1]]);
    await left.end();
  });

  test.each([
    ["postgres", "ALTER DATABASE app SET work_mem = '1MB'"],
    ["postgres", "ALTER ROLE app IN DATABASE app SET work_mem = '1MB'"],
    ["postgres", "COMMENT ON DATABASE app IS 'left'"],
    ["mysql", "ALTER DATABASE app CHARACTER SET latin1"],
    ["mariadb", "ALTER DATABASE app COMMENT 'left'"],
  ] as const)("%s: %s", async (kind, statement) => {
    const { restore } = await pristine(of(kind));
    await ask(kind, statement);
    expect(await restore()).toBe(true);
  });
});
