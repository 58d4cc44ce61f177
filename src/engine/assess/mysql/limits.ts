import { numberText } from "../../../guard/text.ts";
import type { Rights } from "../../mysql/catalogue/rights.ts";
import { MysqlError } from "../../mysql/driver/errors.ts";
import { literal } from "../../mysql/driver/names.ts";
import type { Session } from "../../mysql/driver/session.ts";
import type { ReportFinding } from "../finding.ts";

/** What a MySQL or MariaDB server allows and keeps: connections, the binary log, writes at all. */

export type ServerSettings = ReadonlyMap<string, string>;

const asked = [
  "binlog_expire_logs_seconds",
  "expire_logs_days",
  "group_replication_transaction_size_limit",
  "innodb_force_recovery",
  "innodb_read_only",
  "local_infile",
  "log_bin",
  "log_bin_trust_function_creators",
  "lower_case_table_names",
  "max_allowed_packet",
  "max_binlog_cache_size",
  "max_connections",
  "max_user_connections",
  "read_only",
  "rpl_semi_sync_master_enabled",
  "rpl_semi_sync_source_enabled",
  "super_read_only",
  "wsrep_max_ws_size",
  "wsrep_on",
];

export async function readSettings(session: Session): Promise<ServerSettings> {
  const rows = await session.query(
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${asked.map((name) => literal(name)).join(", ")})`,
  );
  return new Map(rows.map(([name, value]) => [(name ?? "").toLowerCase(), value ?? ""]));
}

const isOn = (settings: ServerSettings, name: string) => /^(on|1|yes|true)$/i.test(settings.get(name) ?? "");
const numberOf = (settings: ServerSettings, name: string) => Number(settings.get(name) ?? 0);

/** Sessions beside the readers or writers: the checkpoint's, the watchdog's, the first one's. */
export const besideJobs = 3;

/** What a server answers to whoever may ask; undefined to others. */
async function told(session: Session, sql: string): Promise<readonly (readonly (string | null)[])[] | undefined> {
  return session.query(sql).catch((error: unknown) => {
    if (error instanceof Error && error.cause instanceof MysqlError) return undefined;
    throw error;
  });
}

/** Connections that are left on the server, or to the user. */
export async function reportMysqlConnections(
  session: Session,
  settings: ServerSettings,
  jobs: number,
  report: ReportFinding,
): Promise<void> {
  const [status] = (await told(session, "SHOW GLOBAL STATUS LIKE 'Threads_connected'")) ?? [];
  const [[own] = []] = await session.query("SELECT @@session.max_user_connections");
  const used = Number(status?.[1] ?? 1) - 1;
  const free = numberOf(settings, "max_connections") - used;
  reportConnections(session.place.role, { free, jobs, limit: "max_connections" }, report);
  if (Number(own) > 0)
    reportConnections(session.place.role, { free: Number(own), jobs, limit: "max_user_connections" }, report);
}

interface Connections {
  /** How many more the server takes. */
  free: number;
  jobs: number;
  limit: string;
  /** Below that the copy cannot do: readers and writers alone, and the checkpoint's session, unless more is said. */
  least?: number;
  /** Sessions that work beside readers and writers, if there are any free. */
  besides?: number;
}

export function reportConnections(
  role: "source" | "target",
  { free, jobs, limit, least = jobs + (role === "target" ? 1 : 0), besides = 0 }: Connections,
  report: ReportFinding,
): void {
  const most = jobs + besideJobs + besides;
  if (free >= most) return;
  report(
    free < least ? "blocker" : "warning",
    "connections",
    `${limit} of the ${role}`,
    `${Math.max(0, free)} more connections are free, and a copy with ${jobs} jobs opens up to ${most}`,
    `raise ${limit}, close other sessions, or copy with fewer jobs`,
  );
}

/** Whether rows and tables can be written at all. */
export function reportReadOnly(settings: ServerSettings, rights: Rights | undefined, report: ReportFinding): void {
  const closed = ["super_read_only", "innodb_read_only"].find((name) => isOn(settings, name));
  const admin = ["SUPER", "READ_ONLY ADMIN", "CONNECTION_ADMIN"].some((right) => rights?.everywhere(right));
  if (closed !== undefined || (isOn(settings, "read_only") && !admin))
    report(
      "blocker",
      "read_only",
      closed ?? "read_only",
      "the target takes no writes",
      `name the primary server, or switch ${closed ?? "read_only"} off`,
    );
  else if (isOn(settings, "read_only"))
    report(
      "warning",
      "read_only",
      "read_only",
      "the target takes writes of administrators only, such as this user: it may be a replica, which what is copied into it would set apart from its source",
      "name the primary server, unless this is meant",
    );
  // Below that rows can be written.
  if (numberOf(settings, "innodb_force_recovery") >= 4)
    report(
      "blocker",
      "read_only",
      "innodb_force_recovery",
      "the target runs in recovery and takes no writes",
      "repair it, and start it with innodb_force_recovery = 0",
    );
}

/** Of one transaction: parts of tables, or 25 small ones. */
const transactionBytes = 128 << 20;
const days = (seconds: number) => `${Math.round(seconds / 8640) / 10} days`;

/** What is written is written to the binary log as well. */
export function reportBinlog(settings: ServerSettings, size: number, report: ReportFinding): void {
  const megabytes = numberText(Math.round(size / 1e6));
  if (isOn(settings, "log_bin")) {
    const seconds = numberOf(settings, "binlog_expire_logs_seconds") || numberOf(settings, "expire_logs_days") * 86_400;
    const large = size >= largeBytes;
    if (seconds === 0 || large)
      report(
        large && seconds === 0 ? "warning" : "note",
        "binlog_grows",
        seconds === 0 ? "binlog_expire_logs_seconds" : "log_bin",
        `rows go into the target's binary log too, up to ${megabytes} MB, which is kept ${seconds === 0 ? "for ever" : `for ${days(seconds)}`}; replicas lag behind meanwhile`,
        "have room for it, or PURGE BINARY LOGS after the copy",
      );
    const cache = numberOf(settings, "max_binlog_cache_size");
    if (cache > 0 && cache < transactionBytes)
      report(
        "warning",
        "small_binlog_cache",
        "max_binlog_cache_size",
        `a transaction of more than ${Math.floor(cache / (1 << 20))} MB fails, and parts of tables are up to ${transactionBytes >> 20} MB`,
        `SET GLOBAL max_binlog_cache_size = ${transactionBytes * 2} while the copy runs`,
      );
  }
  for (const [on, limit, what] of clusters) {
    const most = numberOf(settings, limit);
    if (on === undefined ? most > 0 && most < transactionBytes : isOn(settings, on) && most < transactionBytes)
      report(
        "warning",
        "small_transactions",
        limit,
        `${what} refuses transactions of more than ${Math.floor(most / (1 << 20))} MB, and parts of tables are up to ${transactionBytes >> 20} MB`,
        `SET GLOBAL ${limit} = ${transactionBytes * 2} while the copy runs`,
      );
  }
  for (const name of ["rpl_semi_sync_source_enabled", "rpl_semi_sync_master_enabled"])
    if (isOn(settings, name))
      report("note", "waits_for_replicas", name, "each commit waits for a replica, which makes the copy slower");
}

export const largeBytes = 1e9;
const clusters: [on: string | undefined, limit: string, what: string][] = [
  ["wsrep_on", "wsrep_max_ws_size", "Galera"],
  [undefined, "group_replication_transaction_size_limit", "group replication"],
];

/** A source that is a replica may lack what its own source has written. */
export async function reportReplica(session: Session, report: ReportFinding): Promise<void> {
  const { maria, version } = session.server;
  const modern = maria ? version >= 100_501 : version >= 80_022;
  const rows = await told(session, modern ? "SHOW REPLICA STATUS" : "SHOW SLAVE STATUS");
  if (rows === undefined || rows.length === 0) return;
  const [state] = (await told(session, "SHOW GLOBAL STATUS LIKE 'Slave_running'")) ?? [];
  const stopped = state?.[1] === "OFF" ? ", and does not run at the moment" : "";
  report(
    "note",
    "replica",
    "the source server",
    `it is a replica${stopped}: rows that its own source has, and it has not yet, are not copied`,
    "see that it has caught up (SHOW REPLICA STATUS), or copy from the primary server",
  );
}

/** Values that may be too long for a statement or a function of the target. `longest`: a row's bytes, where some were read. */
export function reportPacket(settings: ServerSettings, may: boolean, longest: number, report: ReportFinding): void {
  const packet = numberOf(settings, "max_allowed_packet");
  const infile = isOn(settings, "local_infile");
  const most = Math.floor(packet / (1 << 20));
  const fix = "SET GLOBAL max_allowed_packet = 1073741824 while the copy runs";
  if (longest * 2 > packet)
    report(
      "warning",
      "small_packet",
      "max_allowed_packet",
      `the target takes ${most} MB at once, and rows of ${(longest / (1 << 20)).toFixed(1)} MB were read in the sample: those that it cannot take fail the copy`,
      fix,
    );
  else if (may && packet < smallPacket)
    report(
      infile ? "note" : "warning",
      "small_packet",
      "max_allowed_packet",
      `columns of the source may hold longer values than the ${most} MB that the target takes at once; such a row fails the copy`,
      fix,
    );
}

const smallPacket = 64 << 20;
