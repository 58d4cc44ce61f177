import { orNothing } from "./log-position.ts";
import type { Session } from "./session.ts";

const variables = [
  "log_bin",
  "log_slave_updates",
  "wsrep_on",
  "binlog_storage_engine",
  "binlog_do_db",
  "binlog_ignore_db",
];

/**
 * Why MariaDB's binary log may lack writes, or have them at another moment than others see them; as a clause for a report.
 * Undefined: it has all but those of sessions that switched their log off (sql_log_bin = 0), which nobody else can see.
 */
export async function unloggedWrites(session: Session): Promise<string | undefined> {
  const found = await session.query(
    `SHOW GLOBAL VARIABLES WHERE Variable_name IN (${variables.map((name) => `'${name}'`).join(", ")})`,
  );
  const values = new Map(found.map(([name, value]) => [name?.toLowerCase(), value ?? ""]));
  if (values.get("log_bin") !== "ON") return "it keeps no binary log that would show whether several see one state";
  if (values.get("wsrep_on") === "ON")
    return "the binary log of a Galera node does not show whether several see one state";
  if ((values.get("binlog_storage_engine") ?? "") !== "")
    return "its kind of binary log does not show whether several see one state";
  const filters = values.has("binlog_do_db")
    ? [values.get("binlog_do_db"), values.get("binlog_ignore_db")]
    : (await orNothing(session.query("SHOW MASTER STATUS")))[0]?.slice(2, 4);
  if (filters === undefined) return "its user may not see whether the binary log leaves databases out (BINLOG MONITOR)";
  if (filters.some((filter) => filter)) return "its binary log leaves databases out";
  // Counted when they begin, before anybody sees what they wrote.
  if ((await status(session, "Com_xa_commit")) !== "0")
    return "XA transactions are in use, which others see at another moment than they are logged";
  if (values.get("log_slave_updates") !== "ON" && (await status(session, "Slaves_running")) !== "0")
    return "it is a replica whose binary log lacks what it replicates (log_slave_updates)";
  return undefined;
}

async function status(session: Session, name: string): Promise<string | null | undefined> {
  const [[, value] = []] = await session.query(`SHOW GLOBAL STATUS LIKE '${name}'`);
  return value;
}
