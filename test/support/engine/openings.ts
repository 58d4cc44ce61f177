import type { Connection } from "mysql2/promise";
import type { Database } from "../../../dev/databases/index.ts";
import { type DatabaseKind, kinds } from "../../../dev/databases/kinds.ts";
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
  /** Milliseconds of the longest change, for which the writer waited while a snapshot began. */
  longestWrite: number;
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
  "MariaDB, no locks": { kind: "mariadb", args: logged, rights: "ALL", locks: "none", writer },
  "MariaDB, LOCK TABLES": { kind: "mariadb", args: logged, rights: "SELECT, LOCK TABLES", writer },
  "MariaDB, LOCK TABLES and XA": { kind: "mariadb", args: loggedXa, rights: "SELECT, LOCK TABLES", writer: "xa" },
  "MariaDB, RELOAD and XA": { kind: "mariadb", args: loggedXa, rights: "SELECT", rightsOnAll: "RELOAD", writer: "xa" },
  "MySQL, SELECT alone, GTIDs without a log": { kind: "mysql", args: withoutLog, rights: "SELECT", writer },
  "MySQL, no locks": { kind: "mysql", args: withoutLog, rights: "ALL", locks: "none", writer },
  "MySQL, LOCK TABLES": { kind: "mysql", args: withoutLog, rights: "SELECT, LOCK TABLES", writer },
  "MySQL, LOCK TABLES and XA": { kind: "mysql", args: [], rights: "SELECT, LOCK TABLES", writer: "xa" },
  "MySQL 8.0, LOCK TABLES and XA": { kind: "mysql-8", args: [], rights: "SELECT, LOCK TABLES", writer: "xa" },
  "MySQL, RELOAD": { kind: "mysql", args: [], rights: "SELECT", rightsOnAll: "RELOAD", writer },
  "MySQL, RELOAD and XA": { kind: "mysql", args: [], rights: "SELECT", rightsOnAll: "RELOAD", writer: "xa" },
} as const satisfies Record<string, Opening>;

const tables = ["a", "b", "c", "d"];
const change = `UPDATE ${tables.join(", ")} SET ${tables.map((table) => `${table}.v = ${table}.v + 1`).join(", ")}`;
const sessions = 4;
/** For which the writer waits. */
const mostSeconds = 30;

/** Opens `count` snapshots, one after the other; `each` is called after every one. Errors: the writer's too. */
export async function playOpenings(
  opening: Opening,
  count: number,
  {
    signal = new AbortController().signal,
    each = () => {},
  }: { signal?: AbortSignal; each?(opened: Opened): void } = {},
): Promise<Opened> {
  const server = await borrowDatabase(opening.kind, { args: opening.args });
  try {
    const admin = await mysqlAs(server.adminUrl);
    const source = await prepare(server, admin, opening);
    const writing = await write(server, opening, signal);
    const { failed } = writing;
    const opened = await open(source, opening, count, AbortSignal.any([signal, failed]), each).catch(
      (error: unknown) => {
        failed.throwIfAborted();
        throw error;
      },
    );
    const written = await writing.stop();
    const [[last]] = (await admin.query("SELECT v FROM torn.a")) as unknown as [[{ v: number }]];
    if (Number(last.v) !== written.written)
      throw new Error(`${written.written} transactions were written, and ${last.v} are there`);
    await admin.end();
    return { ...opened, ...written };
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
  return kinds[kind].engine === "mysql" ? looked : { ...looked, tls: { mode: "disable" as const } };
}

interface Writing {
  /** Aborted by what ends the writer. */
  failed: AbortSignal;
  stop(): Promise<Pick<Opened, "written" | "longestWrite">>;
}

/** Writes as fast as the server takes it, and waits for no lock longer than `mostSeconds`. */
async function write(server: Database, { kind, writer }: Opening, signal: AbortSignal): Promise<Writing> {
  const session = await mysqlAs(server.urlOf("torn", "admin"));
  const other = await mysqlAs(server.urlOf("torn", "admin"));
  const patient = `SET SESSION lock_wait_timeout = ${mostSeconds}, innodb_lock_wait_timeout = ${mostSeconds}`;
  await Promise.all([session.query(patient), other.query(patient)]);
  if (writer === "unlogged") await session.query("SET SESSION sql_log_bin = 0");
  const failure = new AbortController();
  const done = { written: 0, longestWrite: 0 };
  let going = true;
  const work = (async () => {
    for (; going; done.written++) {
      const before = performance.now();
      if (writer !== "xa") await session.query(change);
      else if (done.written % 2 === 0)
        await session.query(`XA START 'x'; ${change}; XA END 'x'; XA PREPARE 'x'; XA COMMIT 'x'`);
      else await leaveXa(server, kind, other, signal);
      done.longestWrite = Math.max(done.longestWrite, Math.round(performance.now() - before));
    }
  })();
  work.catch((error: unknown) => failure.abort(error));
  return {
    failed: failure.signal,
    async stop() {
      going = false;
      await work;
      await Promise.all([session.end(), other.end()]);
      return done;
    },
  };
}

/** Prepares a transaction in a session that ends, and commits it in another one. */
async function leaveXa(server: Database, kind: DatabaseKind, other: Connection, signal: AbortSignal): Promise<void> {
  const preparing = await mysqlAs(server.urlOf("torn", "admin"));
  await preparing.query(`XA START 'y'; ${change}; XA END 'y'; XA PREPARE 'y'`);
  await preparing.end();
  const deadline = performance.now() + mostSeconds * 1000;
  while (!(await isLeft(other, kind))) {
    signal.throwIfAborted();
    if (performance.now() > deadline) throw new Error(`InnoDB did not take the transaction over in ${mostSeconds} s`);
  }
  await other.query("XA COMMIT 'y'");
}

/**
 * Before InnoDB has taken it from its session, MariaDB and MySQL 8.0.15 say that they commit, do not, and have lost it then, with
 * its locks. MySQL from 8.0.29 has taken it by XA PREPARE (xa_detach_on_prepare), and never shows that.
 */
const isLeft = async (other: Connection, kind: DatabaseKind): Promise<boolean> =>
  kind === "mysql" || (await innodbStatus(other)).includes("recovered trx");

const innodbStatus = async (session: Connection): Promise<string> =>
  ((await session.query("SHOW ENGINE INNODB STATUS"))[0] as { Status: string }[])[0]?.Status ?? "";

async function open(
  source: ReturnType<typeof endpoint>,
  { locks = "auto" }: Opening,
  count: number,
  signal: AbortSignal,
  each: (opened: Opened) => void,
): Promise<Opened> {
  const opened: Opened = {
    ...{ openings: 0, torn: 0, connections: {}, msEach: 0, written: 0, longestWrite: 0, warnings: [] },
  };
  let ms = 0;
  while (opened.openings < count) {
    const before = performance.now();
    const snapshot = await openSnapshot(source, sessions, "test", signal, () => undefined, { locks });
    ms += performance.now() - before;
    opened.openings++;
    opened.msEach = Math.round((10 * ms) / opened.openings) / 10;
    const values = await Promise.all(
      snapshot.readers.map((reader) => reader.query(`SELECT ${tables.map((table) => `${table}.v`)} FROM ${tables}`)),
    );
    if (new Set(values.flat(2)).size !== 1) opened.torn++;
    const { length } = snapshot.readers;
    opened.connections[length] = (opened.connections[length] ?? 0) + 1;
    for (const warning of snapshot.warnings) if (!opened.warnings.includes(warning)) opened.warnings.push(warning);
    await snapshot.close();
    each(opened);
  }
  return opened;
}
