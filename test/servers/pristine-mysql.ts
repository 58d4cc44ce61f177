import { setTimeout as pause } from "node:timers/promises";
import mysql from "mysql2/promise";
import type { Database } from "../../dev/databases/index.ts";
import type { Ask, Cleaner } from "./cleaner.ts";

/** Of MySQL and MariaDB: what a file can leave behind there, and what of it is removed. */
export const mysqlCleaner: Cleaner = { ask: asMysql, clear, state };

/** Seconds that a statement may wait for a lock, which a prepared transaction can hold without a session. */
const lockSeconds = 5;

async function asMysql<T>(database: Database, work: (ask: Ask) => Promise<T>): Promise<T> {
  const connection = await mysql.createConnection({
    uri: database.adminUrl.replace(/^mariadb:/, "mysql:"),
    connectTimeout: 5_000,
  });
  connection.on("error", () => undefined);
  try {
    await connection.query(`SET SESSION lock_wait_timeout = ${lockSeconds}, foreign_key_checks = 0`);
    return await work(async (text) => (await connection.query({ sql: text, rowsAsArray: true }))[0] as unknown[][]);
  } finally {
    connection.destroy();
  }
}

const quoted = (name: unknown): string => `\`${String(name).replaceAll("`", "``")}\``;
const systemSchemas = "('mysql', 'sys', 'performance_schema', 'information_schema')";
const systemAccounts = "('root', 'app', 'mysql.sys', 'mysql.session', 'mysql.infoschema', 'mariadb.sys', '', 'PUBLIC')";

async function clear(ask: Ask): Promise<void> {
  await endSessions(ask);
  const schemas = await ask(
    `SELECT SCHEMA_NAME FROM information_schema.SCHEMATA WHERE SCHEMA_NAME NOT IN ${systemSchemas}`,
  );
  for (const [name] of schemas) await ask(`DROP DATABASE ${quoted(name)}`);
  await ask("CREATE DATABASE app CHARACTER SET utf8mb4");
  for (const [user, host] of await ask(`SELECT User, Host FROM mysql.user WHERE User NOT IN ${systemAccounts}`)) {
    // MariaDB's roles are accounts without a host.
    if (host === "") await ask(`DROP ROLE ${quoted(user)}`);
    else await ask(`DROP USER ${quoted(user)}@${quoted(host)}`);
  }
}

/** A session that was killed goes on until it notices, and holds its locks so long. */
async function endSessions(ask: Ask): Promise<void> {
  for (;;) {
    const sessions = await ask(
      `SELECT ID FROM information_schema.PROCESSLIST
        WHERE ID <> CONNECTION_ID() AND USER NOT IN ('system user', 'event_scheduler')`,
    );
    if (sessions.length === 0) return;
    for (const [id] of sessions) await ask(`KILL ${id}`).catch(() => undefined);
    await pause(10);
  }
}

/** What changes by itself or with every write. */
const moving =
  /^gtid_(executed|purged|binlog_pos|binlog_state|current_pos|slave_pos)$|^(timestamp|identity|insert_id|last_insert_id|last_gtid|rand_seed[12])$/;
/** Logs, and statistics that the server keeps by itself. */
const movingTables =
  "('general_log', 'slow_log', 'gtid_executed', 'gtid_slave_pos', 'innodb_index_stats', 'innodb_table_stats', 'transaction_registry')";

/** Each is asked of the servers that know it. */
const lists = [
  "SELECT * FROM information_schema.SCHEMATA ORDER BY 1, 2",
  `SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE FROM information_schema.TABLES WHERE TABLE_SCHEMA IN ${systemSchemas}
    ORDER BY 1, 2`,
  "SELECT ROUTINE_SCHEMA, ROUTINE_NAME, ROUTINE_TYPE, LAST_ALTERED FROM information_schema.ROUTINES ORDER BY 1, 2, 3",
  "SELECT EVENT_SCHEMA, EVENT_NAME FROM information_schema.EVENTS ORDER BY 1, 2",
  "SELECT PLUGIN_NAME, PLUGIN_STATUS FROM information_schema.PLUGINS ORDER BY 1",
  "XA RECOVER",
];
const ofMysql = [
  "SELECT * FROM performance_schema.persisted_variables ORDER BY 1",
  "SELECT NAME, SPACE_TYPE, STATE FROM information_schema.INNODB_TABLESPACES WHERE NAME NOT LIKE 'app/%' ORDER BY 1",
  "SELECT * FROM information_schema.RESOURCE_GROUPS ORDER BY 1",
  "SELECT UDF_NAME FROM performance_schema.user_defined_functions ORDER BY 1",
  "SHOW STATUS LIKE 'Innodb_redo_log_enabled'",
];
const ofMariadb = ["SHOW ALL SLAVES STATUS", "SELECT * FROM information_schema.APPLICABLE_ROLES ORDER BY 1, 2, 3"];

async function state(ask: Ask, { kind }: Database): Promise<string> {
  const found: unknown[] = [
    (await ask("SHOW GLOBAL VARIABLES")).filter(([name]) => !moving.test(String(name))),
    await checksums(ask),
  ];
  for (const query of [...lists, ...(kind.startsWith("mariadb") ? ofMariadb : ofMysql)]) found.push(await ask(query));
  return JSON.stringify(found);
}

/** Of the tables that hold accounts, rights, functions, servers, replication, plugins and time zones, and what is instrumented. */
async function checksums(ask: Ask): Promise<unknown[][]> {
  const tables = await ask(
    `SELECT TABLE_SCHEMA, TABLE_NAME FROM information_schema.TABLES
      WHERE TABLE_TYPE = 'BASE TABLE' AND (TABLE_SCHEMA IN ('mysql', 'sys') AND TABLE_NAME NOT IN ${movingTables}
        OR TABLE_SCHEMA = 'performance_schema' AND TABLE_NAME IN
          ('setup_actors', 'setup_consumers', 'setup_instruments', 'setup_objects', 'setup_threads'))
      ORDER BY 1, 2`,
  );
  return ask(`CHECKSUM TABLE ${tables.map((name) => name.map(quoted).join(".")).join(", ")} EXTENDED`);
}
