import type { Connection } from "mysql2/promise";
import type { Database } from "../../../dev/databases/index.ts";
import type { DatabaseKind } from "../../../dev/databases/kinds.ts";
import { openSnapshot, type SnapshotOptions } from "../../../src/engine/mysql/source/snapshot.ts";
import { borrowDatabase } from "../../servers/index.ts";
import { endpoint, mysqlAs } from "./mysql-support.ts";

/**
 * Snapshots of a server that somebody writes to all the time: every reader looks at every table, and each transaction of the
 * writer changes them all, so that one value other than the rest is a torn snapshot.
 */
export interface Opening {
  kind: DatabaseKind;
  args: readonly string[];
  /** Of the user that reads: on its database, and on everything. */
  rights: string;
  rightsOnAll?: string;
  locks?: SnapshotOptions["locks"];
  /** `plain`: logged; `unlogged`: with sql_log_bin = 0; `xa`: prepared, and committed by another session. */
  writer: "plain" | "unlogged" | "xa";
}

export interface Opened {
  openings: number;
  torn: number;
  /** By the number of connections that read. */
  connections: Record<number, number>;
  written: number;
  msEach: number;
  warnings: string[];
}

const logged = ["--log-bin=log", "--server-id=7"];
const loggedXa = ["--log-bin=log", "--server-id=8"];
const withoutLog = ["--gtid-mode=ON", "--enforce-gtid-consistency=ON", "--skip-log-bin"];
const writer = "plain";

export const cases = {
  "MariaDB, SELECT alone": { kind: "mariadb", args: logged, rights: "SELECT", writer },
  "MariaDB, SELECT alone, writes that are not logged": {
    kind: "mariadb",
    args: logged,
    rights: "SELECT",
    rightsOnAll: "BINLOG MONITOR",
    writer: "unlogged",
  },
  "MariaDB 11, SELECT alone": { kind: "mariadb-11", args: logged, rights: "SELECT", writer },
  "MariaDB, LOCK TABLES": { kind: "mariadb", args: logged, rights: "SELECT, LOCK TABLES", writer },
  "MariaDB, LOCK TABLES and XA": { kind: "mariadb", args: loggedXa, rights: "SELECT, LOCK TABLES", writer: "xa" },
  "MariaDB, RELOAD and XA": { kind: "mariadb", args: loggedXa, rights: "SELECT", rightsOnAll: "RELOAD", writer: "xa" },
  "MySQL, SELECT alone, GTIDs without a log": { kind: "mysql", args: withoutLog, rights: "SELECT", writer },
  "MySQL, no locks": { kind: "mysql", args: withoutLog, rights: "ALL", locks: "none", writer },
  "MySQL, LOCK TABLES": { kind: "mysql", args: withoutLog, rights: "SELECT, LOCK TABLES", writer },
  "MySQL, LOCK TABLES and XA": { kind: "mysql", args: [], rights: "SELECT, LOCK TABLES", writer: "xa" },
  "MySQL, RELOAD": { kind: "mysql", args: [], rights: "SELECT", rightsOnAll: "RELOAD", writer },
} as const satisfies Record<string, Opening>;

const tables = ["a", "b", "c", "d"];
const change = `UPDATE ${tables.join(", ")} SET ${tables.map((table) => `${table}.v = ${table}.v + 1`).join(", ")}`;
const sessions = 4;

/** Opens `count` snapshots, one after the other. */
export async function playOpenings(opening: Opening, count: number): Promise<Opened> {
  const server = await borrowDatabase(opening.kind, { args: opening.args });
  try {
    const admin = await mysqlAs(server.adminUrl);
    const source = await prepare(server, admin, opening);
    const stopWriting = await write(server, opening.writer);
    const opened = await open(source, opening, count);
    const written = await stopWriting();
    await admin.end();
    return { ...opened, written };
  } finally {
    await server.stop();
  }
}

async function prepare(server: Database, admin: Connection, { kind, rights, rightsOnAll }: Opening) {
  const made = tables.map(
    (table) => `CREATE TABLE ${table} (id int PRIMARY KEY, v bigint); INSERT INTO ${table} VALUES (1, 0)`,
  );
  await admin.query(`CREATE DATABASE torn; USE torn; ${made.join("; ")}`);
  await admin.query("CREATE USER looker IDENTIFIED BY 'pass-word-1'");
  await admin.query(`GRANT ${rights} ON torn.* TO looker`);
  if (rightsOnAll !== undefined) await admin.query(`GRANT ${rightsOnAll} ON *.* TO looker`);
  const looked = { ...endpoint(server.urlOf("torn", "admin"), "mysql"), user: "looker", password: "pass-word-1" };
  // A login without TLS takes a tenth of the time; MySQL wants it for the password.
  return kind === "mysql" ? looked : { ...looked, tls: { mode: "disable" as const } };
}

/** Writes as fast as the server takes it. Answers how to stop, which answers how many transactions there were. */
async function write(server: Database, writer: Opening["writer"]): Promise<() => Promise<number>> {
  const session = await mysqlAs(server.urlOf("torn", "admin"));
  const other = await mysqlAs(server.urlOf("torn", "admin"));
  if (writer === "unlogged") await session.query("SET SESSION sql_log_bin = 0");
  let written = 0;
  let going = true;
  const work = (async () => {
    for (; going; written++) {
      if (writer !== "xa") await session.query(change);
      else if (written % 2 === 0)
        await session.query(`XA START 'x'; ${change}; XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'`);
      else await leaveXa(server, other);
    }
  })();
  return async () => {
    going = false;
    await work;
    await Promise.all([session.end(), other.end()]);
    return written;
  };
}

/** Prepares a transaction in a session that ends, and commits it in another one. */
async function leaveXa(server: Database, other: Connection): Promise<void> {
  const preparing = await mysqlAs(server.urlOf("torn", "admin"));
  await preparing.query(`XA START 'y'; ${change}; XA END 'y'; XA PREPARE 'y'`);
  await preparing.end();
  // Before InnoDB has taken it from the session, MariaDB says that it commits, does not, and has lost it then, with its locks.
  while (!(await innodbStatus(other)).includes("recovered trx"));
  await other.query("XA COMMIT 'y'");
}

const innodbStatus = async (session: Connection): Promise<string> =>
  ((await session.query("SHOW ENGINE INNODB STATUS"))[0] as { Status: string }[])[0]?.Status ?? "";

async function open(source: ReturnType<typeof endpoint>, { locks }: Opening, count: number) {
  const opened: Omit<Opened, "written"> = {
    openings: 0,
    torn: 0,
    connections: {},
    msEach: 0,
    warnings: [],
  };
  let ms = 0;
  const seen = new Set<string>();
  for (; opened.openings < count; opened.openings++) {
    const before = performance.now();
    const snapshot = await openSnapshot(source, sessions, "test", new AbortController().signal, () => undefined, {
      locks: locks ?? "auto",
    });
    ms += performance.now() - before;
    const values = await Promise.all(
      snapshot.readers.map((reader) => reader.query(`SELECT ${tables.map((table) => `${table}.v`)} FROM ${tables}`)),
    );
    if (new Set(values.flat(2)).size !== 1) opened.torn++;
    const { length } = snapshot.readers;
    opened.connections[length] = (opened.connections[length] ?? 0) + 1;
    for (const warning of snapshot.warnings) seen.add(warning);
    await snapshot.close();
  }
  return { ...opened, msEach: Math.round((10 * ms) / count) / 10, warnings: [...seen] };
}
