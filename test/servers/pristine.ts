import mysql from "mysql2/promise";
import pg from "pg";
import type { Database } from "../../dev/databases/index.ts";
import { kinds } from "../../dev/databases/kinds.ts";

/**
 * Makes a server that a test file used like a fresh one: ends its sessions, drops its databases and accounts, and compares all
 * that a file may have changed besides with what it was.
 */
export interface Pristine {
  /** Whether the server is like a fresh one now. Otherwise it must not be used again. */
  restore(): Promise<boolean>;
}

type Ask = (text: string, database?: string) => Promise<unknown[][]>;

/** Of a server that nobody has used yet. */
export async function pristine(database: Database): Promise<Pristine> {
  const postgres = kinds[database.kind].engine === "postgres";
  const asking = <T>(work: (ask: Ask) => Promise<T>): Promise<T> =>
    postgres ? asPostgres(database, work) : asMysql(database, work);
  const [state, clear] = postgres ? [postgresState, clearPostgres] : [mysqlState, clearMysql];
  const before = await asking(state);
  return {
    restore: () =>
      asking(async (ask) => {
        await clear(ask);
        return (await state(ask)) === before;
      }),
  };
}

async function asPostgres<T>(database: Database, work: (ask: Ask) => Promise<T>): Promise<T> {
  const ask: Ask = async (text, name = "postgres") => {
    const client = new pg.Client({ connectionString: database.urlOf(name, "admin"), connectionTimeoutMillis: 5_000 });
    client.on("error", () => undefined);
    await client.connect();
    try {
      return (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
    } finally {
      await client.end();
    }
  };
  return work(ask);
}

const ownDatabases = "('postgres', 'template0', 'template1')";
const ownRoles = "oid >= 16384 AND rolname <> 'app'";

async function clearPostgres(ask: Ask): Promise<void> {
  const of = async (query: string) => (await ask(query)).map(([name]) => String(name));
  // Backends that were told to end hold on to their database for a moment: FORCE waits for them.
  for (const name of await of(`SELECT quote_ident(datname) FROM pg_database WHERE datname NOT IN ${ownDatabases}`))
    await ask(`DROP DATABASE ${name} WITH (FORCE)`);
  await ask("CREATE DATABASE app OWNER app");
  for (const name of await of(`SELECT quote_ident(rolname) FROM pg_roles WHERE ${ownRoles}`))
    await ask(`DROP ROLE ${name}`);
}

/** Oids and counters differ in what is made again. */
async function postgresState(ask: Ask): Promise<string> {
  const whole = await Promise.all(
    [
      "SELECT name, setting FROM pg_settings WHERE context <> 'internal' ORDER BY 1",
      `SELECT datname, pg_get_userbyid(datdba), encoding, datcollate, datctype, datconnlimit, datallowconn, datacl::text,
        dattablespace FROM pg_database ORDER BY 1`,
      "SELECT (to_jsonb(r) - 'oid')::text FROM pg_authid r ORDER BY r.rolname",
      "SELECT setdatabase <> 0, setrole, setconfig::text FROM pg_db_role_setting ORDER BY 1, 2",
      "SELECT roleid, member FROM pg_auth_members ORDER BY 1, 2",
      "SELECT spcname FROM pg_tablespace ORDER BY 1",
      "SELECT gid FROM pg_prepared_xacts UNION ALL SELECT slot_name FROM pg_replication_slots UNION ALL SELECT subname FROM pg_subscription",
      "SELECT pg_postmaster_start_time()",
    ].map((query) => ask(query)),
  );
  const made = ["pg_class", "pg_proc", "pg_namespace", "pg_type", "pg_event_trigger", "pg_extension", "pg_publication"];
  const objects = made.map((catalog) => `SELECT '${catalog}', count(*) FROM ${catalog} WHERE oid >= 16384`);
  for (const name of ["postgres", "template1"]) whole.push(await ask(objects.join(" UNION ALL "), name));
  return JSON.stringify(whole);
}

async function asMysql<T>(database: Database, work: (ask: Ask) => Promise<T>): Promise<T> {
  const connection = await mysql.createConnection({
    uri: database.adminUrl.replace(/^mariadb:/, "mysql:"),
    connectTimeout: 5_000,
  });
  try {
    return await work(async (text) => (await connection.query({ sql: text, rowsAsArray: true }))[0] as unknown[][]);
  } finally {
    connection.destroy();
  }
}

const quoted = (name: unknown): string => `\`${String(name).replaceAll("`", "``")}\``;
const systemSchemas = "('mysql', 'sys', 'performance_schema', 'information_schema')";
const systemAccounts = "('root', 'app', 'mysql.sys', 'mysql.session', 'mysql.infoschema', 'mariadb.sys', '', 'PUBLIC')";

async function clearMysql(ask: Ask): Promise<void> {
  // A session that holds a lock would hold up what follows.
  const sessions = await ask(
    "SELECT ID FROM information_schema.PROCESSLIST WHERE ID <> CONNECTION_ID() AND USER NOT IN ('system user', 'event_scheduler')",
  );
  for (const [id] of sessions) await ask(`KILL ${id}`).catch(() => undefined);
  await ask("SET foreign_key_checks = 0");
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

/** What changes by itself. */
const moving = /^(gtid_|innodb_|server_audit|last_|rpl_semi)|_pos$|^(timestamp|identity|insert_id|rand_seed[12])$/;

async function mysqlState(ask: Ask): Promise<string> {
  const variables = (await ask("SHOW GLOBAL VARIABLES")).filter(([name]) => !moving.test(String(name)));
  const accounts = await ask("SELECT User, Host FROM mysql.user ORDER BY 1, 2");
  const grants = [];
  for (const [user, host] of accounts)
    if ((user === "root" || user === "app") && host === "%")
      grants.push(await ask(`SHOW GRANTS FOR ${quoted(user)}@${quoted(host)}`));
  const rest = [
    "SELECT SCHEMA_NAME, DEFAULT_CHARACTER_SET_NAME, DEFAULT_COLLATION_NAME FROM information_schema.SCHEMATA ORDER BY 1",
    `SELECT TABLE_SCHEMA, COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA IN ${systemSchemas} GROUP BY 1 ORDER BY 1`,
    "SELECT ROUTINE_SCHEMA, COUNT(*) FROM information_schema.ROUTINES GROUP BY 1 ORDER BY 1",
    "SELECT PLUGIN_NAME, PLUGIN_STATUS FROM information_schema.PLUGINS ORDER BY 1",
  ];
  const more = [];
  for (const query of rest) more.push(await ask(query));
  return JSON.stringify([variables, accounts, grants, more]);
}
