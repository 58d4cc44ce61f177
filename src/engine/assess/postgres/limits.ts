import { numberText } from "../../../guard/text.ts";
import { otherLocale } from "../../postgres/catalogue/locale.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import type { ReportFinding } from "../finding.ts";
import { shortList } from "../mysql/index.ts";
import { besideJobs, largeBytes, reportConnections } from "../mysql/limits.ts";

/** What a PostgreSQL server allows and keeps: connections, WAL, collations. */

/** Connections that are left on the server, in the database and to the user. `building`: indexes are built beside the rows, from MySQL. */
export async function reportPostgresConnections(
  session: Session,
  { jobs, building = false }: { jobs: number; building?: boolean },
  report: ReportFinding,
): Promise<void> {
  const rows = await session.query<{ limit: string; most: number; used: number }>(
    `WITH others AS (SELECT datname, usename FROM pg_catalog.pg_stat_activity WHERE pid <> pg_catalog.pg_backend_pid()
                        AND backend_type NOT IN ('autovacuum launcher', 'logical replication launcher', 'walsender', 'background worker') AND usename IS NOT NULL),
          me AS (SELECT * FROM pg_catalog.pg_roles WHERE rolname = current_user),
          db AS (SELECT * FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())
     SELECT 'max_connections' AS limit, pg_catalog.current_setting('max_connections')::int8 - CASE WHEN (SELECT rolsuper FROM me) THEN 0
              ELSE pg_catalog.current_setting('superuser_reserved_connections')::int8 + COALESCE(pg_catalog.current_setting('reserved_connections', true)::int8, 0) END AS most,
            (SELECT pg_catalog.count(*) FROM others) AS used
     UNION ALL SELECT 'CONNECTION LIMIT of database ' || datname, datconnlimit::int8, (SELECT pg_catalog.count(*) FROM others o WHERE o.datname = db.datname)
       FROM db WHERE datconnlimit >= 0 AND NOT (SELECT rolsuper FROM me)
     UNION ALL SELECT 'CONNECTION LIMIT of role ' || rolname, rolconnlimit::int8, (SELECT pg_catalog.count(*) FROM others o WHERE o.usename = me.rolname)
       FROM me WHERE rolconnlimit >= 0 AND NOT rolsuper`,
  );
  const { role } = session.place;
  // A target that refuses one of them ends the copy in the middle.
  const least = role === "target" ? { least: jobs + besideJobs } : {};
  for (const { limit, most, used } of rows)
    reportConnections(role, { free: most - used, jobs, limit, ...least, besides: building ? jobs : 0 }, report);
}

/** What is written is written to the WAL as well, which slots, archives and standbys may hold back. */
export async function reportWal(session: Session, size: number, report: ReportFinding): Promise<void> {
  const megabytes = numberText(Math.round(size / 1e6));
  const keeps = session.version >= 130_000 ? "pg_catalog.current_setting('max_slot_wal_keep_size')" : "'-1'";
  const [state] = await session.query<{
    idle: string[];
    slots: string[];
    keeps: string;
    standbys: string;
    archiving: boolean;
    failing: boolean;
  }>(
    `SELECT COALESCE((SELECT pg_catalog.json_agg(slot_name) FROM pg_catalog.pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL), '[]') AS idle,
            COALESCE((SELECT pg_catalog.json_agg(slot_name) FROM pg_catalog.pg_replication_slots WHERE restart_lsn IS NOT NULL), '[]') AS slots,
            ${keeps} AS keeps, pg_catalog.current_setting('synchronous_standby_names') AS standbys, pg_catalog.current_setting('archive_mode') <> 'off' AS archiving,
            COALESCE((SELECT last_failed_time > COALESCE(last_archived_time, '-infinity') FROM pg_catalog.pg_stat_archiver), false) AS failing`,
  );
  if (state === undefined) return;
  const { idle, slots, standbys } = state;
  if (slots.length > 0) {
    const large = size >= largeBytes;
    const held =
      state.keeps === "-1"
        ? "WAL that they have not read is kept until the disk is full (max_slot_wal_keep_size is -1)"
        : `a slot that falls behind by more than max_slot_wal_keep_size (${state.keeps}) is lost to its reader`;
    report(
      idle.length > 0 || large ? "warning" : "note",
      "slots_keep_wal",
      shortList(idle.length > 0 ? idle : slots),
      `the target has replication slots${idle.length > 0 ? " that nobody reads" : ""}, and the copy writes up to ${megabytes} MB of WAL: ${held}`,
      idle.length > 0
        ? "drop slots that are not needed: SELECT pg_drop_replication_slot(…)"
        : "watch them during the copy",
    );
  }
  if (state.archiving && state.failing)
    report(
      "warning",
      "archive_fails",
      "archive_command",
      `the target's last WAL file could not be archived: all that follows is kept until it can be, the copy's ${megabytes} MB among it`,
      "fix the archive first (pg_stat_archiver tells of it)",
    );
  else if (state.archiving && size >= largeBytes)
    report(
      "note",
      "archive_grows",
      "archive_mode",
      `the copy's WAL, up to ${megabytes} MB, goes into the target's archive too`,
      "have room for it there",
    );
  if (standbys !== "")
    report(
      "note",
      "waits_for_replicas",
      "synchronous_standby_names",
      "each commit on the target waits for a standby, which makes the copy slower",
    );
}

interface Collation {
  name: string;
  used: string;
}

/** Collations of the server's own that columns and indexes of the tables name, without which these cannot be made. */
export async function reportCollations(
  source: Session,
  target: Session,
  oids: readonly number[],
  report: ReportFinding,
): Promise<void> {
  const used = await source.query<Collation>(
    `SELECT o.collname AS name, pg_catalog.min(n.nspname || '.' || c.relname || '.' || a.attname) AS used
       FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       JOIN pg_catalog.pg_collation o ON o.oid = a.attcollation
      WHERE a.attnum > 0 AND NOT a.attisdropped
        AND (c.oid = ANY ($1::pg_catalog.oid[]) OR c.oid IN (SELECT indexrelid FROM pg_catalog.pg_index WHERE indrelid = ANY ($1::pg_catalog.oid[])))
        AND o.collnamespace = 'pg_catalog'::pg_catalog.regnamespace AND o.collname NOT IN ('default', 'C', 'POSIX') GROUP BY 1`,
    [oids],
  );
  if (used.length > 0) {
    const there = await target.query<{ name: string }>(
      `SELECT collname AS name FROM pg_catalog.pg_collation WHERE collname = ANY ($1::pg_catalog.text[])
          AND collencoding IN (-1, (SELECT encoding FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database()))`,
      [used.map(({ name }) => name)],
    );
    const known = new Set(there.map(({ name }) => name));
    for (const { name, used: column } of used)
      if (!known.has(name))
        report(
          "blocker",
          "collation_missing",
          column,
          `it has the collation ${name}, which the target server does not know`,
          "install the locale on the target's host and run pg_import_system_collations there, or change the collation in the source",
        );
  }
  const words = await otherLocale(source, target);
  if (words !== undefined)
    report(
      "note",
      "locale_differs",
      "the target database",
      words,
      `CREATE DATABASE … LOCALE … TEMPLATE template0, with the source's LOCALE_PROVIDER, if the order matters`,
    );
}
