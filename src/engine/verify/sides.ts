import { type CopyOptions, type Endpoint, EngineError } from "../contract/index.ts";
import { type EngineName, engineName, mysqlEngine } from "../contract/text/engine-name.ts";
import { baseTables } from "../mysql/catalogue/catalogue.ts";
import { findUnseen } from "../mysql/catalogue/hidden-objects.ts";
import { literal } from "../mysql/driver/names.ts";
import { connect as connectMysql, type Session as MysqlSession } from "../mysql/driver/session.ts";
import { tellsCase } from "../mysql/fence/taken-names.ts";
import { openSnapshot } from "../mysql/source/snapshot.ts";
import { ofUsers } from "../postgres/catalogue/tables.ts";
import { connect as connectPostgres, type Session as PostgresSession } from "../postgres/driver/connection.ts";
import { versionText } from "../postgres/driver/version.ts";
import { openSource } from "../postgres/source/source.ts";
import type { TableName } from "./checksum/rows.ts";
import { readColumnTypes, type SideSessions } from "./checksum/side.ts";
import { type TableType, tableKey } from "./checksum/types.ts";

/** Each side of a verification as one state of it, seen by several sessions, with its tables. */
export interface OpenedSide {
  side: SideSessions;
  engine: EngineName;
  version: string;
  /** lower_case_table_names is 0; always of PostgreSQL. */
  exact: boolean;
  tables: OpenedTable[];
  /** Materialised ones too. */
  views: TableName[];
  warnings: string[];
  close(): Promise<void>;
}

export interface OpenedTable {
  name: TableName;
  /** A partition of another one. */
  part: boolean;
  partitioned: boolean;
  /** The user may not read its rows. Of PostgreSQL: MySQL does not show one. */
  unreadable?: boolean;
  type: TableType;
}

interface SideOptions {
  role: "source" | "target";
  jobs: number;
  signal: AbortSignal;
  locks?: CopyOptions["source_locks"];
  /** Seconds; 0 for no limit. */
  statementTimeout?: number | undefined;
  /** Seconds. */
  blockingTimeout?: number | undefined;
  /** A change of a table waited for us too long. */
  giveUp(error: unknown): void;
}

const program = "rowferry verify";

export const openSide = (endpoint: Endpoint, opening: SideOptions): Promise<OpenedSide> =>
  endpoint.engine === "mysql" ? openMysql(endpoint, opening) : openPostgres(endpoint, opening);

async function openMysql(endpoint: Endpoint, opening: SideOptions): Promise<OpenedSide> {
  const { sessions, warnings, close } = await (opening.role === "source"
    ? mysqlSource(endpoint, opening)
    : mysqlTarget(endpoint, opening));
  try {
    const [first] = sessions;
    if (first === undefined) throw new EngineError("database_error", "no session was opened");
    const side: SideSessions = { engine: "mysql", sessions };
    const names = (await baseTables(first, endpoint.database)).map(({ name }) => [endpoint.database, name] as const);
    const types = await readColumnTypes(side, names);
    const unseen = await findUnseen(
      first,
      endpoint.database,
      names.map(([, table]) => table),
    );
    const exact = await tellsCase(first);
    const views = await first.query(
      `SELECT TABLE_NAME FROM information_schema.VIEWS WHERE TABLE_SCHEMA = ${literal(endpoint.database)}`,
    );
    return {
      side,
      engine: engineName(mysqlEngine(first.server)),
      version: first.server.versionText,
      exact,
      tables: names
        .filter(([, table]) => table !== ownTable)
        .flatMap((name) => tableOf(name, types.get(tableKey(...name)), false, false)),
      views: views.map(([name]) => [endpoint.database, name ?? ""]),
      warnings: [
        ...warnings,
        ...unseen.map(({ kind, name, note }) => `not compared in the ${opening.role}: ${kind} ${name}: ${note}`),
      ],
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const ownTable = "_rowferry";

interface Sessions {
  sessions: MysqlSession[];
  warnings: string[];
  close(): Promise<void>;
}

async function mysqlSource(
  endpoint: Endpoint,
  { jobs, signal, giveUp, locks, statementTimeout, blockingTimeout }: SideOptions,
): Promise<Sessions> {
  const snapshot = await openSnapshot(endpoint, jobs, program, signal, giveUp, {
    locks,
    statementTimeout,
    blockingTimeout,
  });
  return { sessions: snapshot.readers, warnings: snapshot.warnings, close: snapshot.close };
}

/** Nobody but the copy writes there, so that no lock is needed for one state. */
async function mysqlTarget(endpoint: Endpoint, { jobs, signal }: SideOptions): Promise<Sessions> {
  const sessions: MysqlSession[] = [];
  const close = async () => void (await Promise.all(sessions.map((session) => session.end())));
  try {
    for (let opened = 0; opened < jobs; opened++) {
      const session = await connectMysql(endpoint, { role: "target", program, signal });
      sessions.push(session);
      await session.query("SET SESSION TRANSACTION ISOLATION LEVEL REPEATABLE READ");
      await session.query("START TRANSACTION WITH CONSISTENT SNAPSHOT, READ ONLY");
    }
    return { sessions, warnings: [], close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function openPostgres(
  endpoint: Endpoint,
  { role, jobs, signal, locks, statementTimeout, blockingTimeout, giveUp }: SideOptions,
): Promise<OpenedSide> {
  const sessions: PostgresSession[] = [];
  const all: PostgresSession[] = [];
  let stop: () => void = () => undefined;
  const close = async () => {
    stop();
    await Promise.all(all.map((session) => session.end()));
  };
  const open = async () => {
    const session = await connectPostgres(endpoint, { role, applicationName: program, signal, statementTimeout });
    all.push(session);
    return session;
  };
  try {
    for (let opened = 0; opened < jobs; opened++) sessions.push(await open());
    const [first, ...others] = sessions;
    if (first === undefined) throw new EngineError("database_error", "no session was opened");
    const side: SideSessions = { engine: "postgres", sessions };
    const {
      source: { warnings },
      found,
      held,
    } = await openSource(
      first,
      others,
      async () => ({ tables: await postgresTables(first, side), views: await postgresViews(first) }),
      {
        locks: role === "source" ? locks : "auto",
        // Only tables that are compared need the right.
        left: () => unreadableTables(first),
        blockingTimeout,
        compared: role,
        open,
        giveUp,
        log: () => undefined,
      },
    );
    stop = held.stop;
    return {
      side,
      engine: engineName("postgres"),
      version: versionText(first.version),
      exact: true,
      ...found,
      warnings,
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

const isReadable =
  "pg_catalog.has_table_privilege(c.oid, 'SELECT') AND pg_catalog.has_schema_privilege(c.relnamespace, 'USAGE')";

const unreadableTables = async (session: PostgresSession): Promise<ReadonlySet<number>> => {
  const rows = await session.query<{ oid: number }>(
    `SELECT c.oid::int8 AS oid FROM pg_catalog.pg_class c WHERE c.relkind IN ('r', 'p') AND NOT (${isReadable})`,
  );
  return new Set(rows.map(({ oid }) => oid));
};

const postgresViews = async (session: PostgresSession): Promise<TableName[]> =>
  (
    await session.query<{ schema: string; name: string }>(
      `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('v', 'm') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}`,
    )
  ).map(({ schema, name }) => [schema, name]);

async function postgresTables(session: PostgresSession, side: SideSessions): Promise<OpenedTable[]> {
  const rows = await session.query<{ schema: string; name: string; kind: string; part: boolean; readable: boolean }>(
    `SELECT n.nspname AS schema, c.relname AS name, c.relkind::text AS kind, c.relispartition AS part, ${isReadable} AS readable
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY n.nspname, c.relname`,
  );
  const own = rows.filter(({ name }) => name !== ownTable);
  const types = await readColumnTypes(
    side,
    own.map(({ schema, name }) => [schema, name]),
  );
  return own.flatMap(({ schema, name, kind, part, readable }) =>
    tableOf([schema, name], types.get(tableKey(schema, name)), part, kind === "p").map((table) =>
      readable ? table : { ...table, unreadable: true },
    ),
  );
}

const tableOf = (name: TableName, type: TableType | undefined, part: boolean, partitioned: boolean): OpenedTable[] =>
  type === undefined ? [] : [{ name, part, partitioned, type }];
