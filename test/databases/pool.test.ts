import mysql from "mysql2/promise";
import pg from "pg";
import { expect, test } from "vitest";
import type { Database } from "../../dev/databases/index.ts";
import { borrowDatabase } from "../servers/index.ts";
import { useOwnPool } from "./own-pool.ts";

/** What one test file does to a server that it borrows does not reach the next one. */

const pool = useOwnPool();

async function ask(database: Database, ...statements: string[]): Promise<unknown[][]> {
  let rows: unknown[][] = [];
  if (database.kind.startsWith("postgres")) {
    const client = new pg.Client(database.adminUrl);
    await client.connect();
    for (const text of statements) rows = (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
    await client.end();
    return rows;
  }
  const connection = await mysql.createConnection({ uri: database.adminUrl.replace(/^mariadb:/, "mysql:") });
  for (const sql of statements) rows = (await connection.query({ sql, rowsAsArray: true }))[0] as unknown[][];
  await connection.end();
  return rows;
}

const lists = {
  postgres: "SELECT datname::text FROM pg_database UNION ALL SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_'",
  mysql: "SELECT SCHEMA_NAME FROM information_schema.SCHEMATA UNION ALL SELECT CONCAT(User, '@', Host) FROM mysql.user",
};

test.each(["postgres", "postgres-old", "mysql", "mariadb"] as const)(
  "databases and accounts that a file made at %s are gone for the next, which has the same server",
  async (kind) => {
    const list = kind.startsWith("postgres") ? lists.postgres : lists.mysql;
    const first = await borrowDatabase(kind);
    const before = (await ask(first, list)).flat().sort();
    if (kind.startsWith("postgres")) await ask(first, "CREATE ROLE reader", "CREATE DATABASE shop OWNER reader");
    else
      await ask(
        first,
        "CREATE DATABASE shop",
        "CREATE TABLE app.t (id int)",
        "CREATE USER reader@localhost",
        "CREATE ROLE r",
      );
    expect((await ask(first, list)).flat()).toContain("shop");
    await first.stop();

    const second = await borrowDatabase(kind);
    expect(second.port).toBe(first.port);
    expect((await ask(second, list)).flat().sort()).toEqual(before);
    await second.stop();
  },
);

test.each([
  ["postgres", "ALTER SYSTEM SET maintenance_work_mem = '1MB'"],
  ["mysql", "SET GLOBAL local_infile = 1"],
  ["mariadb", "SET GLOBAL innodb_lock_wait_timeout = 7"],
] as const)("a server of %s is not lent again after %s", async (kind, statement) => {
  const first = await borrowDatabase(kind);
  await ask(first, statement);
  const { spoilt } = pool.counts();
  await first.stop();
  const second = await borrowDatabase(kind);
  expect(second.port).not.toBe(first.port);
  expect(pool.counts().spoilt).toBe(spoilt + 1);
  await second.stop();
});

test("two that borrow the same kind have two servers", async () => {
  const both = await Promise.all([borrowDatabase("postgres"), borrowDatabase("postgres")]);
  expect(both[0].port).not.toBe(both[1].port);
  await Promise.all(both.map((one) => one.stop()));
});
