import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Assessment, assess } from "../../../src/engine/assess/index.ts";
import type { CopyOptions, Endpoint } from "../../../src/engine/contract/index.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { closeClients, pair, type Servers, startServers } from "../../support/engine/mysql-mysql-support.ts";
import { endpoint, mysqlAs } from "../../support/engine/mysql-support.ts";
import * as postgres from "../../support/engine/postgres-support.ts";
import { run } from "../../support/engine/run.ts";

/** What an operator misses: connections, logs that fill disks, servers that take no writes or belong to a cluster, locales. */

let mysql: Servers;
let pg: postgres.Servers;

beforeAll(async () => {
  [mysql, pg] = await Promise.all([startServers(["--log-bin=binlog", "--server-id=7"]), postgres.startServers()]);
});
afterAll(async () => {
  await closeClients();
  await Promise.all([mysql?.close(), pg?.stop()]);
});

const look = (source: Endpoint, target: Endpoint, options: Partial<CopyOptions> = {}): Promise<Assessment> =>
  assess(
    { source, target, options: { jobs: 2, ...options } },
    { signal: new AbortController().signal, log: () => undefined },
  );
const codes = ({ findings }: Assessment) =>
  findings.map(({ severity, code, object }) => `${severity} ${code} ${object}`);

test("a schema that pg_dump has no room for stands in the way of the copy alone, not of a look with less room", async () => {
  const source = postgres.endpoint(
    await postgres.database(pg.new, "CREATE TABLE t (id int); CREATE TABLE out (id int)"),
  );
  const target = postgres.endpoint(await postgres.database(pg.new));
  const folder = await mkdtemp(join(tmpdir(), "rowferry-"));
  await writeFile(join(folder, "pg_dump"), "#!/bin/sh\nexec sleep 60\n", { mode: 0o755 });
  process.env.ROWFERRY_PG_BIN = folder;
  try {
    const found = await assess(
      { source, target, options: { jobs: 2, exclude: ["out"] }, pgDump: 18, dumpBytes: 1 },
      { signal: new AbortController().signal, log: () => undefined },
    );
    expect(codes(found)).toContain("note objects_unread the source's schema");
    expect(found.ready).toBe(true);
  } finally {
    process.env.ROWFERRY_PG_BIN = pg.tools;
    await rm(folder, { recursive: true });
  }
});

test.each(["mysql", "mariadb"] as const)("%s as a target: logs, packets, connections and writes", async (kind) => {
  const both = await pair(mysql, kind, kind, "CREATE TABLE t (id INT PRIMARY KEY, v LONGTEXT)");
  const quiet = codes(await look(both.source, both.target));
  expect(quiet.filter((one) => !/room_unknown|binlog_grows|local_infile/.test(one))).toEqual([]);

  const { admin, server } = mysql.of[kind];
  const settings: [name: string, value: string, found: string][] = [
    ["max_binlog_cache_size", "4096", "warning small_binlog_cache max_binlog_cache_size"],
    ["max_allowed_packet", "4194304", "note small_packet max_allowed_packet"],
    ["max_connections", "12", "blocker connections max_connections of the target"],
    ["read_only", "1", "warning read_only read_only"],
    ...(kind === "mysql"
      ? [["super_read_only", "1", "blocker read_only super_read_only"] as [string, string, string]]
      : []),
  ];
  for (const [name, value, found] of settings) {
    const [[before]] = (await admin.query({ sql: `SELECT @@global.${name}`, rowsAsArray: true })) as unknown as [
      [string][],
    ];
    await admin.query(`SET GLOBAL ${name} = ${value}`);
    try {
      const jobs = name === "max_connections" ? 12 : 2;
      expect(codes(await look(both.source, both.target, { jobs }))).toContain(found);
    } finally {
      await admin.query(`SET GLOBAL ${name} = ${before}`);
      if (name === "super_read_only") await admin.query("SET GLOBAL read_only = 0");
    }
  }
  await admin.query(
    `CREATE USER few IDENTIFIED BY 'few' WITH MAX_USER_CONNECTIONS 4; GRANT ALL ON *.* TO few; GRANT SELECT ON ${both.target.database}.* TO few`,
  );
  const few = { ...endpoint(server.urlOf(both.target.database, "admin"), "mysql"), user: "few", password: "few" };
  expect(codes(await look(both.source, few))).toContain("warning connections max_user_connections of the target");
});

test("a binary log that is kept for ever is told, and a source that is a replica", async () => {
  const both = await pair(mysql, "mysql", "mysql", "CREATE TABLE t (id INT PRIMARY KEY)");
  await both.to.query("SET GLOBAL binlog_expire_logs_seconds = 0");
  await both.from.query("CHANGE REPLICATION SOURCE TO SOURCE_HOST = '127.0.0.1', SOURCE_PORT = 1");
  try {
    const found = await look(both.source, both.target);
    expect(codes(found)).toEqual(
      expect.arrayContaining(["note binlog_grows binlog_expire_logs_seconds", "note replica the source server"]),
    );
  } finally {
    await both.from.query("RESET REPLICA ALL");
    await both.to.query("SET GLOBAL binlog_expire_logs_seconds = 2592000");
  }
});

test("PostgreSQL as a target: slots, a standby to wait for, connections, default rights, the database's locale", async () => {
  const source = await postgres.database(pg.new, "CREATE TABLE t (id int PRIMARY KEY)");
  const target = await postgres.database(pg.new);
  const [from, to] = [postgres.endpoint(source), postgres.endpoint(target)];
  expect(codes(await look(from, to)).filter((one) => !one.includes("room_unknown"))).toEqual([]);
  expect(codes(await look(from, to, { jobs: 200 }))).toContain("blocker connections max_connections of the target");

  await postgres.sql(
    target,
    `CREATE ROLE narrow LOGIN PASSWORD 'narrow' CONNECTION LIMIT 4; GRANT ALL ON SCHEMA public TO narrow;
     CREATE ROLE wider LOGIN PASSWORD 'wider' CONNECTION LIMIT 5; GRANT ALL ON SCHEMA public TO wider; CREATE ROLE looker;
     ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO looker; SELECT pg_create_physical_replication_slot('idle_slot', true);`,
  );
  await postgres.sql(target, "ALTER SYSTEM SET synchronous_standby_names = 'nobody'");
  await postgres.sql(target, "SELECT pg_reload_conf()");
  try {
    await postgres.until(
      async () =>
        (await postgres.sql(target, "SHOW synchronous_standby_names"))[0]?.synchronous_standby_names === "nobody",
      "the setting",
    );
    const found = await look(from, to);
    expect(codes(found)).toEqual(
      expect.arrayContaining([
        "warning slots_keep_wal idle_slot",
        "note waits_for_replicas synchronous_standby_names",
        "note default_rights looker",
      ]),
    );
    const narrow = await look(from, postgres.endpoint(target, { name: "narrow", password: "narrow" }));
    expect(codes(narrow)).toContain("blocker connections CONNECTION LIMIT of role narrow of the target");
    // The copy needs five with two jobs, and fails in the middle with fewer.
    const enough = await look(from, postgres.endpoint(target, { name: "wider", password: "wider" }));
    expect(codes(enough).filter((one) => one.includes(" connections "))).toEqual([]);
  } finally {
    await postgres.sql(target, "ALTER SYSTEM RESET synchronous_standby_names");
    await postgres.sql(target, "SELECT pg_reload_conf(), pg_drop_replication_slot('idle_slot')");
  }

  const other = { server: pg.new, database: "in_c" };
  await postgres.sql({ server: pg.new, database: "postgres" }, "CREATE DATABASE in_c LOCALE 'C' TEMPLATE template0");
  const localeOf = async (where: postgres.Where) =>
    (await postgres.sql(where, "SELECT datcollate AS l FROM pg_database WHERE datname = current_database()"))[0]?.l;
  const [ours, theirs] = [await localeOf(source), await localeOf(other)];
  const differs = codes(await look(from, postgres.endpoint(other))).includes("note locale_differs the target database");
  expect(differs).toBe(ours !== theirs);
});

test("a collation that the target does not know is a blocker, as the copy then fails", async () => {
  const source = await postgres.database(pg.new, `CREATE TABLE t (id int PRIMARY KEY, v text COLLATE "unicode")`);
  const target = await postgres.database(pg.old);
  const found = await look(postgres.endpoint(source), postgres.endpoint(target));
  expect(codes(found)).toContain("blocker collation_missing public.t.v");
  const without = await look(postgres.endpoint(source), postgres.endpoint(target), { exclude: ["t"] });
  expect(without.ready).toBe(true);
  await expect(postgres.copied(source, target)).rejects.toThrow(/unicode/);
});

test("a target that folds names of tables: those that it does not tell apart end the copy, others are kept in lower case", async () => {
  const both = await pair(
    mysql,
    "mariadb",
    "mariadb",
    "CREATE TABLE t (id INT PRIMARY KEY); CREATE TABLE T (id INT PRIMARY KEY); CREATE TABLE Mixed (id INT PRIMARY KEY)",
  );
  const folding = await borrowDatabase("mariadb", { args: ["--lower-case-table-names=1"] });
  const admin = await mysqlAs(folding.adminUrl);
  try {
    await admin.query("CREATE DATABASE folded");
    const target = endpoint(folding.urlOf("folded", "admin"), "mysql");
    expect(codes(await look(both.source, target))).toEqual(
      expect.arrayContaining(["blocker names_alike T and t", "note names_fold Mixed, T"]),
    );
    await expect(run({ source: both.source, target })).rejects.toThrow("already exists");
    await admin.query("DROP DATABASE folded; CREATE DATABASE folded");
    const found = await look(both.source, target, { exclude: ["T"] });
    expect([found.ready, codes(found)]).toEqual([true, expect.arrayContaining(["note names_fold Mixed"])]);
    await run({ source: both.source, target }, { options: { jobs: 2, exclude: ["T"] } });
    expect((await admin.query("SELECT COUNT(*) AS n FROM folded.mixed"))[0]).toEqual([{ n: "0" }]);
  } finally {
    await admin.end();
    await folding.stop();
  }
});
