import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { Database } from "../../../dev/databases/index.ts";
import { copy } from "../../../src/engine/index.ts";
import { connect as connectMysql } from "../../../src/engine/mysql/driver/session.ts";
import { connect as connectPostgres } from "../../../src/engine/postgres/driver/connection.ts";
import { reportLockWaits } from "../../../src/engine/run/watchdog/lock-waits.ts";
import { parseDatabaseUrl } from "../../../src/guard/url.ts";
import { connect } from "../../databases/connect.ts";
import { borrowDatabase } from "../../servers/index.ts";
import * as my from "../../support/engine/mysql-mysql-support.ts";
import * as postgres from "../../support/engine/postgres-support.ts";

/** Whatever waits for another session's lock says within seconds, and again, who holds it. */

const kinds = {
  mysql: {
    table: "CREATE TABLE t (i int PRIMARY KEY) ENGINE=InnoDB",
    lock: ["LOCK TABLES t WRITE"],
    release: "UNLOCK TABLES",
    read: "SELECT i FROM t",
    holder: /on the source database, SELECT waits for a lock .*held up by session \d+ \(user root from \S+, idle/,
  },
  postgres: {
    table: "CREATE TABLE t (i int PRIMARY KEY)",
    lock: ["BEGIN", "LOCK TABLE t"],
    release: "ROLLBACK",
    read: "SELECT i FROM public.t",
    holder:
      /on the source database, SELECT waits for the lock AccessShareLock on "public"\."t", held up by process \d+ \(user postgres, .*host 127\.0\.0\.1, since .*last statement LOCK TABLE\)/,
  },
} as const;
const { signal } = new AbortController();
const place = { role: "source", program: "test", applicationName: "test", signal } as const;

describe.each(Object.keys(kinds) as (keyof typeof kinds)[])("a statement on %s", (kind) => {
  const { table, lock, release, read, holder: words } = kinds[kind];
  let server: Database;
  beforeAll(async () => {
    server = await borrowDatabase(kind);
    const session = await connect(kind, server.urlOf("app", "admin"));
    await session.query(table);
    await session.end();
  });
  afterAll(() => server?.stop());

  test("that waits for a lock is reported with the holder, regularly, until the lock is free", async () => {
    const holder = await connect(kind, server.urlOf("app", "admin"));
    const endpoint = parseDatabaseUrl(server.urlOf("app", "admin"));
    const waiter = await (kind === "mysql" ? connectMysql(endpoint, place) : connectPostgres(endpoint, place));
    for (const statement of lock) await holder.query(statement);
    const logs: string[] = [];
    const log = (_: string, said: string) => {
      logs.push(said);
      if (logs.length === 3) void holder.query(release);
    };
    await reportLockWaits(log, () => waiter.query(read), { firstMs: 100, againMs: 100 });
    for (const said of logs) expect(said).toMatch(words);
    expect(logs[2]).toMatch(/; it has waited for \d+ s$/);
    await Promise.all([holder.end(), waiter.end()]);
  });
});

test("the user of a MySQL source who may not see the holder reads which rights show it", async () => {
  const server = await borrowDatabase("mysql");
  const [holder, root] = [await connect("mysql", server.url), await connect("mysql", server.adminUrl)];
  await root.query("CREATE USER reader@'%' IDENTIFIED BY 'pw-of-reader'");
  await root.query("GRANT SELECT ON app.* TO reader@'%'");
  const url = server.url.replace(/\/\/[^@]*@/, "//reader:pw-of-reader@");
  const waiter = await connectMysql(parseDatabaseUrl(url), place);
  await holder.query("CREATE TABLE u (i int)");
  await holder.query("LOCK TABLES u WRITE");
  const logs: string[] = [];
  const log = (_: string, said: string) => {
    if (logs.push(said) === 1) void holder.query("UNLOCK TABLES");
  };
  await reportLockWaits(log, () => waiter.query("SELECT i FROM u"), { firstMs: 100 });
  expect(logs[0]).toContain(
    "(GRANT PROCESS ON *.* TO 'reader'@'%'; GRANT SELECT ON performance_schema.* TO 'reader'@'%')",
  );
  await Promise.all([holder.end(), root.end(), waiter.end()]);
  await server.stop();
});

test("a copy from PostgreSQL says who holds the table that it wants to read, and goes on when it is free", async () => {
  const servers = await postgres.startServers();
  const source = await postgres.database(servers.new, "CREATE TABLE t (i int); INSERT INTO t VALUES (1)");
  const target = await postgres.database(servers.new);
  const holder = await connect("postgres", servers.new.urlOf(source.database, "admin"));
  await holder.query("BEGIN");
  await holder.query("LOCK TABLE t");
  const logs: string[] = [];
  const using = postgres.hooks({
    log(level, words) {
      if (!words.includes("held up by")) return;
      logs.push(`${level}: ${words}`);
      if (logs.length === 1) void holder.query("ROLLBACK");
    },
  });
  await postgres.copied(source, target, {}, using);
  expect(logs[0]).toMatch(
    /^warning: on the source database, LOCK TABLE waits for the lock AccessShareLock on "public"\."t", held up by process \d+ \(user postgres/,
  );
  await holder.end();
  await servers.stop();
});

test("a copy from MySQL says who holds the table that it wants to lock", async () => {
  const servers = await my.startServers();
  const where = await my.pair(servers, "mysql", "mysql", "CREATE TABLE t (i int); INSERT INTO t VALUES (1)");
  const holder = await connect("mysql", servers.of.mysql.server.urlOf(where.source.database, "admin"));
  await holder.query("LOCK TABLES t WRITE");
  const logs: string[] = [];
  const using = postgres.hooks({
    log(_, words) {
      if (words.includes("held up by") && logs.push(words) === 1) void holder.query("UNLOCK TABLES");
    },
  });
  const asked = { source: where.source, target: where.target, options: { jobs: 2 }, reset: false };
  const { finish } = await copy({ ...asked, owner: "owner-1", ownerName: "the test" }, using);
  await finish();
  expect(logs[0]).toMatch(/waits for a lock \(Waiting for .*\), held up by session \d+ \(user root from/);
  await holder.end();
  await my.closeClients();
  await servers.close();
});
