import { setTimeout as pause } from "node:timers/promises";
import pg from "pg";
import type { Database } from "../../dev/databases/index.ts";
import type { Ask, Cleaner } from "./cleaner.ts";

/** Of PostgreSQL: what a file can leave behind there, and what of it is removed. */
export const postgresCleaner: Cleaner = { ask: asPostgres, clear, state };

async function asPostgres<T>(database: Database, work: (ask: Ask) => Promise<T>): Promise<T> {
  const clients = new Map<string, pg.Client>();
  const connected = async (name: string): Promise<pg.Client> => {
    const known = clients.get(name);
    if (known !== undefined) return known;
    const client = new pg.Client({
      connectionString: database.urlOf(name, "admin"),
      connectionTimeoutMillis: 5_000,
      options: "-c lock_timeout=5s -c statement_timeout=20s",
    });
    client.on("error", () => undefined);
    clients.set(name, client);
    await client.connect();
    return client;
  };
  try {
    return await work(async (text, name = "postgres") => {
      const client = await connected(name);
      return (await client.query<unknown[]>({ text, rowMode: "array" })).rows;
    });
  } finally {
    await Promise.all([...clients.values()].map((client) => client.end().catch(() => undefined)));
  }
}

const ownDatabases = "('postgres', 'template0', 'template1')";
const ownRoles = "oid >= 16384 AND rolname <> 'app'";

async function clear(ask: Ask): Promise<void> {
  const of = async (query: string) => (await ask(query)).map(([name]) => String(name));
  await endSessions(ask);
  for (const name of await of(`SELECT quote_ident(datname) FROM pg_database WHERE datname NOT IN ${ownDatabases}`))
    await ask(`DROP DATABASE ${name} WITH (FORCE)`);
  await ask("CREATE DATABASE app OWNER app");
  for (const name of await of(`SELECT quote_ident(rolname) FROM pg_roles WHERE ${ownRoles}`))
    await ask(`DROP ROLE ${name}`);
}

/** In whatever database: one in `postgres` may hold a lock or wait to write. */
async function endSessions(ask: Ask): Promise<void> {
  for (;;) {
    const sessions = await ask(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE backend_type IN ('client backend', 'walsender') AND pid <> pg_backend_pid()`,
    );
    if (sessions.length === 0) return;
    await pause(10);
  }
}

/** What every database shares, without oids and counters, which differ in what is made again. */
const shared = [
  "SELECT name, setting, pending_restart FROM pg_settings WHERE context <> 'internal' ORDER BY 1",
  "SELECT name, setting FROM pg_file_settings ORDER BY 1, 2",
  "SELECT (to_jsonb(r) - 'line_number')::text FROM pg_hba_file_rules r ORDER BY 1",
  "SELECT (to_jsonb(r) - '{oid,datfrozenxid,datminmxid}'::text[])::text FROM pg_database r ORDER BY r.datname",
  "SELECT (to_jsonb(r) - 'oid')::text FROM pg_authid r ORDER BY r.rolname",
  "SELECT (to_jsonb(r) - 'oid')::text FROM pg_auth_members r ORDER BY 1",
  "SELECT setdatabase <> 0, setrole, setconfig::text FROM pg_db_role_setting ORDER BY 1, 2",
  "SELECT to_jsonb(r)::text FROM pg_tablespace r ORDER BY 1",
  "SELECT to_jsonb(r)::text FROM pg_shdescription r ORDER BY 1",
  "SELECT to_jsonb(r)::text FROM pg_shseclabel r ORDER BY 1",
  "SELECT to_jsonb(r)::text FROM pg_replication_origin r ORDER BY 1",
  `SELECT gid FROM pg_prepared_xacts UNION ALL SELECT slot_name FROM pg_replication_slots
    UNION ALL SELECT subname FROM pg_subscription`,
  "SELECT pg_postmaster_start_time()",
];

/**
 * Of each catalog of one database its rows' versions: whatever adds, changes or removes a row changes them. Statistics, which the
 * server collects by itself, are left out.
 */
const versions = `SELECT string_agg(format(
    'SELECT %L, count(*), sum(hashtext(xmin::text || ctid::text)) FROM %s', c.oid::regclass, c.oid::regclass), ' UNION ALL ')
  FROM pg_class c WHERE c.relkind = 'r' AND NOT c.relisshared AND c.relname NOT IN ('pg_statistic', 'pg_statistic_ext_data')
    AND c.relnamespace IN ('pg_catalog'::regnamespace, 'information_schema'::regnamespace)`;

async function state(ask: Ask): Promise<string> {
  const found: unknown[] = [];
  for (const query of shared) found.push(await ask(query));
  // Rights on settings came with PostgreSQL 15.
  const [[rights] = []] = await ask("SELECT to_regclass('pg_catalog.pg_parameter_acl') IS NOT NULL");
  if (rights === true) found.push(await ask("SELECT to_jsonb(r)::text FROM pg_parameter_acl r ORDER BY 1"));
  for (const name of ["postgres", "template1"])
    for (const [query] of await ask(versions, name)) found.push(await ask(String(query), name));
  return JSON.stringify(found);
}
