import type { Endpoint } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { ownAccount } from "../../mysql/catalogue/rights.ts";
import { connect, type Session } from "../../mysql/driver/session.ts";
import { diagnoseOnSession, noSession, statementKind } from "./diagnose.ts";
import type { Cause, Diagnose, Diagnosis } from "./watchdog.ts";

/** What a MySQL or MariaDB server does for a run, and what it waits for, asked on a session of its own. */

interface MysqlWatch {
  role: "source" | "target";
  /** Connection ids of the run's sessions, as they are at the time. */
  threads(): readonly number[];
}

export function diagnoseMysql(endpoint: Endpoint, { role, threads }: MysqlWatch): Diagnose {
  const where = `the ${role} database`;
  return diagnoseOnSession(
    where,
    (signal) => connect(endpoint, { role, program: "rowferry watchdog", signal }),
    (session) => look(session, threads(), where),
  );
}

interface Thread {
  id: number;
  command: string;
  state: string;
  /** The statement's kind; values never leave the server's answer. */
  what: string;
  user: string;
  host: string;
  seconds: number;
}

async function look(session: Session, ids: readonly number[], where: string): Promise<Diagnosis> {
  const threads = await readThreads(session);
  const ours = threads.filter(({ id }) => ids.includes(id));
  if (ours.length === 0) return noSession(where);
  const active = ours.filter(({ command }) => command !== "Sleep" && command !== "Daemon");
  const causes: Cause[] = [];
  for (const one of active) {
    // A wait for a row has no state of its own: the tables of locks tell it.
    const cause = await causeOf(session, one, threads, where);
    if (cause !== undefined) causes.push(cause);
  }
  const rows = await session
    .query("SELECT trx_mysql_thread_id, trx_rows_modified FROM information_schema.innodb_trx ORDER BY 1")
    .catch(() => []);
  return {
    working: causes.length < active.length,
    mark: JSON.stringify([active.map(({ id, state }) => [id, state]), rows.filter(([id]) => ids.includes(Number(id)))]),
    causes,
  };
}

/** Without PROCESS a user sees their own threads only, which is enough but for who holds a lock. */
async function readThreads(session: Session): Promise<Thread[]> {
  const rows = await session.query(
    "SELECT id, command, COALESCE(state, ''), LEFT(COALESCE(info, ''), 200), user, host, time FROM information_schema.processlist",
  );
  return rows.map(([id, command, state, info, user, host, time]) => ({
    id: Number(id),
    command: command ?? "",
    state: state ?? "",
    what: statementKind(info ?? null),
    user: user ?? "",
    host: host ?? "",
    seconds: Number(time),
  }));
}

/** Undefined where the thread is at work. */
function kindOfWait({ state }: Thread): Cause["kind"] | undefined {
  if (/disk space|disk full/i.test(state)) return "disk";
  if (/^(Waiting for|waiting for).*(lock|table flush)|^User lock|^Locked/.test(state)) return "lock";
  if (/semi.?sync|flow control|wsrep.{0,80}(queue|flow)|Waiting for .{0,80}(ACK|replica|slave)/i.test(state))
    return "throttled";
  if (/(net|client)$|^(Writing to net|Sending to client|Reading from net|Receiving from client)/.test(state))
    return "client";
  return /^waiting/i.test(state) ? "waiting" : undefined;
}

async function causeOf(
  session: Session,
  one: Thread,
  threads: readonly Thread[],
  where: string,
): Promise<Cause | undefined> {
  const by = isFlush(one) ? flushers(threads) : await blockers(session, one.id, threads);
  const kind = by.length > 0 ? "lock" : kindOfWait(one);
  const state = printable(one.state);
  switch (kind) {
    case undefined:
      return undefined;
    case "disk":
      return { kind, words: `${where} waits for room on its disk (${state}): free space there` };
    case "lock": {
      const held = by.length === 0 ? `, ${await unnamedHolder(session, threads)}` : `, held up by ${by.join(" and ")}`;
      return { kind, words: `on ${where}, ${one.what} waits for a lock (${state})${held}` };
    }
    case "client":
      return { kind, words: `on ${where}, ${one.what} waits for Rowferry (${state}), which waits for the other side` };
    case "throttled":
      return { kind, words: `${where} holds back ${one.what} (${state})` };
    default:
      return { kind, words: `on ${where}, ${one.what} waits (${state})` };
  }
}

/** Without PROCESS only the user's own threads are listed. */
async function unnamedHolder(session: Session, threads: readonly Thread[]): Promise<string> {
  const users = new Set(threads.map(({ user }) => user));
  const rights = [
    ...(users.size > 1 ? [] : ["PROCESS ON *.*"]),
    ...(session.server.maria ? [] : ["SELECT ON performance_schema.*"]),
  ];
  if (rights.length === 0) return "whose holder the server does not name";
  const account = printable(await ownAccount(session));
  return `whose holder this user may not see (${rights.map((right) => `GRANT ${right} TO ${account}`).join("; ")})`;
}

/** Waits until a table that another session flushes is used by nobody. */
const isFlush = ({ state }: Thread): boolean => /^Waiting for table flush/.test(state);

const flushers = (threads: readonly Thread[]): string[] =>
  threads
    .filter((one) => isFlush(one) && one.what === "FLUSH")
    .slice(0, 3)
    .map(({ id }) => holder(id, threads));

/** Each server has its own tables for this, which a user may not be allowed to read: then nobody is named. */
const lockTables = [
  // MySQL 8: rows, then definitions.
  (id: number) => `SELECT DISTINCT t.PROCESSLIST_ID FROM performance_schema.data_lock_waits w
     JOIN performance_schema.threads r ON r.THREAD_ID = w.REQUESTING_THREAD_ID
     JOIN performance_schema.threads t ON t.THREAD_ID = w.BLOCKING_THREAD_ID WHERE r.PROCESSLIST_ID = ${id}`,
  (id: number) => `SELECT DISTINCT t.PROCESSLIST_ID FROM performance_schema.metadata_locks p
     JOIN performance_schema.threads r ON r.THREAD_ID = p.OWNER_THREAD_ID
     JOIN performance_schema.metadata_locks g ON g.OBJECT_TYPE = p.OBJECT_TYPE AND g.LOCK_STATUS = 'GRANTED'
       AND g.OBJECT_SCHEMA <=> p.OBJECT_SCHEMA AND g.OBJECT_NAME <=> p.OBJECT_NAME AND g.OWNER_THREAD_ID <> p.OWNER_THREAD_ID
     JOIN performance_schema.threads t ON t.THREAD_ID = g.OWNER_THREAD_ID
     WHERE p.LOCK_STATUS = 'PENDING' AND r.PROCESSLIST_ID = ${id} AND t.PROCESSLIST_ID IS NOT NULL`,
  // MariaDB
  (id: number) => `SELECT DISTINCT b.trx_mysql_thread_id FROM information_schema.innodb_lock_waits w
     JOIN information_schema.innodb_trx r ON r.trx_id = w.requesting_trx_id
     JOIN information_schema.innodb_trx b ON b.trx_id = w.blocking_trx_id WHERE r.trx_mysql_thread_id = ${id}`,
];

async function blockers(session: Session, id: number, threads: readonly Thread[]): Promise<string[]> {
  for (const query of lockTables) {
    const rows = await session.query(query(id)).catch(() => []);
    if (rows.length > 0) return rows.slice(0, 3).map(([blocker]) => holder(Number(blocker), threads));
  }
  return [];
}

function holder(id: number, threads: readonly Thread[]): string {
  const found = threads.find((one) => one.id === id);
  if (found === undefined) return `session ${id}`;
  const doing = found.command === "Sleep" ? "idle in a transaction" : found.what;
  return printable(`session ${id} (user ${found.user} from ${found.host}, ${doing} for ${found.seconds} s)`);
}
