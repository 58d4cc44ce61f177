import type { Endpoint } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { connect, type Session } from "../../postgres/driver/connection.ts";
import { diagnoseOnSession, noSession, statementKind } from "./diagnose.ts";
import type { Cause, Diagnose, Diagnosis } from "./watchdog.ts";

/** What a PostgreSQL server does for a run, and what it waits for, asked on a session of its own. */

interface PostgresWatch {
  role: "source" | "target";
  /** Of the run's sessions; a function where it is known later. */
  applicationName: string | (() => string);
}

/** Some sessions alone, by their server processes. */
interface PostgresProcesses {
  role: "source" | "target";
  processes: readonly number[];
}

export function diagnosePostgres(endpoint: Endpoint, watch: PostgresWatch | PostgresProcesses): Diagnose {
  const { role } = watch;
  const where = `the ${role} database`;
  return diagnoseOnSession(
    where,
    (signal) => connect(endpoint, { role, applicationName: "rowferry watchdog", signal }),
    (session) => look(session, "processes" in watch ? watch.processes : nameOf(watch), where),
  );
}

const nameOf = ({ applicationName }: PostgresWatch): string =>
  typeof applicationName === "string" ? applicationName : applicationName();

interface Activity {
  pid: number;
  state: string | null;
  type: string | null;
  event: string | null;
  query: string | null;
  blockers: number[];
  relation: string | null;
  mode: string | null;
}

async function look(session: Session, which: string | readonly number[], where: string): Promise<Diagnosis> {
  const isOurs = typeof which === "string" ? "a.application_name = $1" : "a.pid = ANY ($1::pg_catalog.int4[])";
  const sessions = await session.query<Activity>(
    `SELECT a.pid, a.state, a.wait_event_type AS type, a.wait_event AS event, pg_catalog.left(a.query, 200) AS query,
            CASE WHEN a.wait_event_type = 'Lock' THEN pg_catalog.pg_blocking_pids(a.pid) ELSE '{}' END AS blockers,
            l.relation, l.mode
       FROM pg_catalog.pg_stat_activity a
       LEFT JOIN LATERAL (SELECT l.relation::pg_catalog.regclass::text AS relation, l.mode FROM pg_catalog.pg_locks l
             WHERE l.pid = a.pid AND NOT l.granted LIMIT 1) l ON a.wait_event_type = 'Lock'
      WHERE a.datname = pg_catalog.current_database() AND ${isOurs} ORDER BY a.pid`,
    [which],
  );
  if (sessions.length === 0) return noSession(where);
  const active = sessions.filter(({ state }) => state === "active");
  const causes: Cause[] = [];
  for (const one of active) {
    const cause = await causeOf(session, one, where);
    if (cause !== undefined) causes.push(cause);
  }
  return {
    // A COPY that works tells so by its counters or by changing waits: one whose process stands still looks active too.
    working: active.some((one) => isWorking(one) && !isCopy(one)),
    mark: JSON.stringify([active.map(({ pid, type, event }) => [pid, type, event]), await counters(session)]),
    causes,
  };
}

const isCopy = ({ query }: Activity) => /^\s*COPY\b/i.test(query ?? "");

/** IO and short internal locks are work; everything else waits for somebody. */
const isWorking = ({ type }: Activity) => type === null || type === "IO" || type === "LWLock" || type === "BufferPin";

/** Counters of the server's own about the statements of this user in this database. */
async function counters(session: Session): Promise<unknown> {
  const views = [
    ...(session.version >= 140_000 ? ["copy"] : []),
    ...(session.version >= 120_000 ? ["create_index", "cluster"] : []),
    ...(session.version >= 130_000 ? ["analyze"] : []),
  ];
  const rows = views.map(
    (view) =>
      `SELECT '${view}' AS what, pg_catalog.to_json(p)::text AS now FROM pg_catalog.pg_stat_progress_${view} p WHERE p.datname = pg_catalog.current_database()`,
  );
  return rows.length === 0 ? [] : session.query(`${rows.join(" UNION ALL ")} ORDER BY 1, 2`);
}

async function causeOf(session: Session, one: Activity, where: string): Promise<Cause | undefined> {
  const what = statementKind(one.query);
  const event = printable(`${one.type}: ${one.event}`);
  if (one.type === "Lock") {
    const lock = one.relation === null ? (one.event ?? "a lock") : `${one.mode} on ${one.relation}`;
    const holders = await Promise.all([...new Set(one.blockers)].slice(0, 3).map((pid) => holder(session, pid)));
    const by = holders.length === 0 ? "" : `, held up by ${holders.join(" and ")}`;
    return { kind: "lock", words: `on ${where}, ${what} waits for the lock ${printable(lock)}${by}` };
  }
  if (one.type === "Client") {
    return {
      kind: "client",
      words: `on ${where}, ${what} waits for Rowferry (${event}), which waits for the other side`,
    };
  }
  if (one.event === "SyncRep") {
    return { kind: "throttled", words: `on ${where}, ${what} waits until a synchronous standby confirms (${event})` };
  }
  if (one.type === "Extension" || one.type === "Timeout") {
    return {
      kind: "throttled",
      words: `${where} holds back ${what} (${event}), as services do that limit their users`,
    };
  }
  if (isWorking(one)) {
    const state = one.type === null ? "its process gives no sign of progress" : event;
    return { kind: "waiting", words: `on ${where}, ${what} does not get on (${state})` };
  }
  return { kind: "waiting", words: `on ${where}, ${what} waits (${event})` };
}

/** Who holds a lock: pid, user, program, host, since when, and what kind of statement was last. */
async function holder(session: Session, pid: number): Promise<string> {
  if (pid === 0) return "a prepared transaction (see pg_prepared_xacts; COMMIT or ROLLBACK PREPARED ends it)";
  const [row] = await session.query<
    Record<"usename" | "application" | "host" | "since" | "state" | "query", string | null>
  >(
    `SELECT usename::text, application_name AS application, pg_catalog.host(client_addr) AS host, state,
            pg_catalog.left(query, 200) AS query,
            pg_catalog.to_char(COALESCE(xact_start, backend_start), 'YYYY-MM-DD HH24:MI:SS "UTC"') AS since
       FROM pg_catalog.pg_stat_activity WHERE pid = $1`,
    [pid],
  );
  if (row === undefined) return `process ${pid}`;
  const facts = [
    ...(row.usename === null ? [] : [`user ${row.usename}`]),
    ...(row.application ? [`application ${row.application}`] : []),
    ...(row.host === null ? [] : [`host ${row.host}`]),
    ...(row.since === null ? [] : [`since ${row.since}`]),
    ...(row.state === null ? [] : [row.state]),
    row.state === null
      ? "its statement is shown to members of pg_read_all_stats"
      : `last statement ${statementKind(row.query)}`,
  ];
  return printable(`process ${pid} (${facts.join(", ")})`);
}
