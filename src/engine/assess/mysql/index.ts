import type { CopyOptions, Endpoint } from "../../contract/index.ts";
import { engineName, mysqlEngine } from "../../contract/text/engine-name.ts";
import { shortList as someOf } from "../../contract/text/short-list.ts";
import { baseTables, type Catalogue, readCatalogue } from "../../mysql/catalogue/catalogue.ts";
import { ownAccount, type Rights, readRights } from "../../mysql/catalogue/rights.ts";
import { MysqlError } from "../../mysql/driver/errors.ts";
import { literal, qualified } from "../../mysql/driver/names.ts";
import type { Session } from "../../mysql/driver/session.ts";
import type { ReportFinding } from "../finding.ts";
import {
  readSettings,
  reportBinlog,
  reportMysqlConnections,
  reportReadOnly,
  reportReplica,
  type ServerSettings,
} from "./limits.ts";

/** What a MySQL or MariaDB server says of itself before a copy, by its catalogue, settings and the user's grants. */

/** Undefined: the server does not tell, or has no grants. */
const knownRights = (session: Session): Promise<Rights | undefined> =>
  readRights(session).catch((error: unknown) => {
    if (error instanceof Error && error.cause instanceof MysqlError) return undefined;
    throw error;
  });

/** Those that tests run on, and newer ones. */
function reportOld({ server, place: { role } }: Session, report: ReportFinding): void {
  const oldest = server.maria ? 101_100 : 80_000;
  if (server.version < oldest)
    report(
      "note",
      "old_version",
      `${engineName(mysqlEngine(server))} ${server.versionText}`,
      `the ${role} is older than the versions that Rowferry is tested on (${server.maria ? "MariaDB 10.11" : "MySQL 8.0"} and newer)`,
      "try the copy on a part of the tables first, with verify: checksum",
    );
}

const transactional = /^(InnoDB|ROCKSDB|TokuDB)$/i;

export async function assessMysqlSource(
  session: Session,
  { database, user }: Endpoint,
  { source_locks: locks = "auto", jobs }: CopyOptions,
  copied: (table: string) => boolean,
  report: ReportFinding,
): Promise<Catalogue> {
  reportOld(session, report);
  await reportReplica(session, report);
  await reportMysqlConnections(session, await readSettings(session), jobs, report);
  const catalogue = await readCatalogue(session, database, copied);
  for (const { kind, name, why, grant } of catalogue.unseen) report("warning", "unseen", `${kind} ${name}`, why, grant);
  const rights = await knownRights(session);
  const all = `${qualified(database)}.*`;
  const flush = rights === undefined || ["RELOAD", "FLUSH_TABLES"].some((right) => rights.everywhere(right));
  const lock = rights === undefined || rights.onDatabase("LOCK TABLES", database);
  if (!flush && locks !== "none") {
    const account = await ownAccount(session);
    const weaker = lock
      ? "tables are locked one by one instead of all at once, for a moment"
      : `one connection reads instead of ${jobs}`;
    report(
      locks === "require" && !lock ? "blocker" : lock ? "note" : "warning",
      "right_missing",
      "RELOAD",
      `user ${user} may not FLUSH TABLES WITH READ LOCK: ${weaker}`,
      lock ? "" : `GRANT LOCK TABLES ON ${all} TO ${account}, or GRANT RELOAD ON *.* TO ${account}`,
    );
  }
  const others = catalogue.tables
    .filter(({ name, engine }) => !transactional.test(engine) && copied(name))
    .map(({ name }) => name);
  if (others.length > 0)
    report(
      "warning",
      "not_transactional",
      shortList(others),
      flush || lock
        ? "tables that are not InnoDB know no snapshot: their writers wait until they are copied"
        : "tables that are not InnoDB know no snapshot and cannot be locked: rows written meanwhile may be in the copy or not",
      "ALTER TABLE … ENGINE = InnoDB, or stop writing to them while the copy runs",
    );
  return catalogue;
}

/** Of tables, views and their parts; without the first a copy cannot begin. */
const needed = ["SELECT", "INSERT", "UPDATE", "DELETE", "CREATE", "ALTER", "DROP", "INDEX"];
/** Those that what not every source has needs. */
const wished: [right: string, what: string][] = [
  ["REFERENCES", "foreign keys"],
  ["CREATE VIEW", "views"],
  ["TRIGGER", "triggers"],
  ["CREATE ROUTINE", "functions and procedures"],
  ["EVENT", "events"],
];

interface MysqlTarget {
  tables: string[];
  /** Names of tables are told apart by case. */
  exact: boolean;
  settings: ServerSettings;
  free: number | null;
  may(right: string): boolean;
}

interface MysqlLoad {
  /** Rights of those that not every copy needs, without which this one fails. */
  needs: readonly string[];
  /** Functions or triggers are made. */
  code: boolean;
  /** Bytes of the source. */
  size: number;
  jobs: number;
}

export async function assessMysqlTarget(
  session: Session,
  { database, user }: Endpoint,
  { needs, code, size, jobs }: MysqlLoad,
  report: ReportFinding,
): Promise<MysqlTarget> {
  reportOld(session, report);
  const rights = await knownRights(session);
  const on = qualified(database);
  const account = await ownAccount(session);
  const missing = rights === undefined ? [] : needed.filter((right) => !rights.onDatabase(right, database));
  if (missing.length > 0)
    report(
      "blocker",
      "right_missing",
      missing.join(", "),
      `user ${user} may not make and fill tables in ${database}`,
      `GRANT ${missing.join(", ")} ON ${on}.* TO ${account}`,
    );
  for (const [right, what] of wished)
    if (rights !== undefined && needs.includes(right) && !rights.onDatabase(right, database))
      report(
        "blocker",
        "right_missing",
        right,
        `without it ${what} cannot be made, and the source has some`,
        `GRANT ${right} ON ${on}.* TO ${account}, or copy the rows alone with options.content data`,
      );
  const settings = await readSettings(session);
  reportReadOnly(settings, rights, report);
  await reportMysqlConnections(session, settings, jobs, report);
  reportBinlog(settings, size, report);
  const is = (name: string, value: RegExp) => value.test(settings.get(name) ?? "");
  if (is("local_infile", /^off$/i))
    report(
      "note",
      "local_infile_off",
      "local_infile",
      "LOAD DATA LOCAL is not allowed there: rows are written by INSERT, which takes about twice as long",
      "SET GLOBAL local_infile = 1 while the copy runs",
    );
  const isSuper = rights?.everywhere("SUPER") !== false;
  if (code && is("log_bin", /^on$/i) && is("log_bin_trust_function_creators", /^off$/i) && !isSuper)
    report(
      "warning",
      "untrusted_functions",
      "log_bin_trust_function_creators",
      "functions and triggers of a user without SUPER are refused while the binary log is on, and the source has some",
      "SET GLOBAL log_bin_trust_function_creators = 1 while the copy runs",
    );
  return {
    tables: (await baseTables(session, database)).map(({ name }) => name),
    exact: settings.get("lower_case_table_names") === "0",
    settings,
    free: await freeBytes(session),
    may: (right) => rights === undefined || rights.onDatabase(right, database),
  };
}

/** MariaDB's plugin `disks` tells it, where it is installed; MySQL does not. */
async function freeBytes(session: Session): Promise<number | null> {
  if (!session.server.maria) return null;
  try {
    const [[place] = []] = await session.query("SELECT @@datadir");
    const rows = await session.query("SELECT Path, Available FROM information_schema.DISKS");
    return freeOn(
      place ?? "",
      rows.map(([path, kilobytes]) => ({ path: path ?? "", kilobytes: Number(kilobytes) })),
    );
  } catch (error) {
    if (error instanceof Error && error.cause instanceof MysqlError) return null;
    throw error;
  }
}

/** Bytes free where the folder is, by the file system that is mounted nearest above it. */
export function freeOn(folder: string, disks: readonly { path: string; kilobytes: number }[]): number | null {
  const [nearest] = disks
    .filter(({ path }) => path !== "" && `${folder}/`.startsWith(path.endsWith("/") ? path : `${path}/`))
    .sort((a, b) => b.path.length - a.path.length);
  return nearest === undefined || !Number.isFinite(nearest.kilobytes) ? null : nearest.kilobytes * 1024;
}

/** Names of relations of any kind that stand in a database. */
export async function relationsOf(session: Session, database: string): Promise<string[]> {
  const rows = await session.query(
    `SELECT TABLE_NAME FROM information_schema.TABLES WHERE TABLE_SCHEMA = ${literal(database)}`,
  );
  return rows.map(([name]) => name ?? "");
}

/** Of a finding. */
export const shortList = (names: readonly string[]): string => someOf(names, 10);
