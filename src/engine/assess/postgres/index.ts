import type { Endpoint } from "../../contract/index.ts";
import { ofUsers, type Sequence } from "../../postgres/catalogue/tables.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { identifier } from "../../postgres/driver/names.ts";
import { oldest, versionText } from "../../postgres/driver/version.ts";
import { tableGrant } from "../../postgres/source/table-grant.ts";
import { sequenceGrant, sequenceNames } from "../../postgres/source/unreadable-sequences.ts";
import type { ReportFinding } from "../finding.ts";
import { shortList } from "../mysql/index.ts";
import type { Sampled } from "../sample.ts";
import { reportPostgresConnections, reportWal } from "./limits.ts";

/** What a PostgreSQL server says of itself before a copy, by its catalogues, settings and the user's rights. */

export interface PostgresReadings {
  size: number;
  tables: Omit<TableRow, "hidden">[];
  extensions: string[];
  encoding: string;
}

interface TableRow {
  oid: number;
  schema: string;
  name: string;
  rows: number;
  bytes: number;
  data: number;
  /** Its rows are in its partitions. */
  partitioned: boolean;
  /** A partition of another table. */
  part: boolean;
  readable: boolean;
  hidden: boolean;
  /** The owner too. */
  forced: boolean;
}

const oldestTested = 150_000;

export async function assessPostgresSource(
  session: Session,
  { user }: Endpoint,
  { jobs, skipped, dumped }: { jobs: number; skipped: ReadonlySet<number>; dumped: boolean },
  report: ReportFinding,
): Promise<PostgresReadings> {
  old(session, report);
  await reportPostgresConnections(session, { jobs }, report);
  const tables = await session.query<TableRow>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, CASE WHEN c.reltuples < 0 OR c.relpages = 0 THEN pg_catalog.pg_stat_get_live_tuples(c.oid) ELSE c.reltuples::int8 END AS rows, pg_catalog.pg_total_relation_size(c.oid) AS bytes,
            pg_catalog.pg_table_size(c.oid) AS data, c.relkind = 'p' AS partitioned, c.relispartition AS part,
            pg_catalog.has_table_privilege(c.oid, 'SELECT') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS readable,
            pg_catalog.row_security_active(c.oid) AS hidden, c.relforcerowsecurity AS forced
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND c.relname <> '_rowferry' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')`,
  );
  const words = ({ schema, name }: TableRow) => `${schema}.${name}`;
  // pg_dump locks every table, whatever is left out.
  const unreadable = tables.filter(({ oid, readable }) => !readable && (dumped || !skipped.has(oid)));
  const some = unreadable.some(({ oid }) => skipped.has(oid));
  if (unreadable.length > 0)
    report(
      "blocker",
      "right_missing",
      shortList(unreadable.map(words)),
      `user ${user} may not read ${unreadable.length === 1 ? "the table" : "the tables"}${some ? ", and pg_dump needs this right for excluded tables too" : ""}`,
      tableGrant(unreadable, user),
    );
  const hidden = tables.filter(({ oid, hidden: active, readable }) => active && readable && !skipped.has(oid));
  if (hidden.length > 0)
    report(
      "blocker",
      "row_security",
      shortList(hidden.map(words)),
      `row-level security hides rows from user ${user}`,
      hidden.some(({ forced }) => forced)
        ? "copy with a role that has BYPASSRLS: FORCE ROW LEVEL SECURITY is in force for the tables' owner too"
        : "copy as the tables' owner or with a role that has BYPASSRLS",
    );
  const [facts] = await session.query<{ size: number; standby: boolean; encoding: string }>(
    `SELECT pg_catalog.pg_database_size(pg_catalog.current_database()) AS size, pg_catalog.pg_is_in_recovery() AS standby,
            pg_catalog.current_setting('server_encoding') AS encoding`,
  );
  if (facts?.standby)
    report(
      "note",
      "standby",
      "the source server",
      "it is a standby: a long copy may be cancelled by conflicts with what it replays",
      "raise max_standby_streaming_delay there, or copy from the primary",
    );
  if (facts?.encoding === "SQL_ASCII")
    report(
      "warning",
      "encoding",
      "SQL_ASCII",
      "the source does not know the encoding of its texts: a PostgreSQL target takes their bytes as texts of its own encoding, MySQL and MariaDB as UTF-8; bytes that are no text there are refused",
      "recode the texts, or make the target database with ENCODING 'SQL_ASCII'",
    );
  const extensions = await session.query<{ name: string }>(
    "SELECT extname AS name FROM pg_catalog.pg_extension WHERE extname <> 'plpgsql'",
  );
  return {
    size: facts?.size ?? 0,
    tables,
    extensions: extensions.map(({ name }) => name),
    encoding: facts?.encoding ?? "",
  };
}

/** Whose values the source's user may not read. */
export function reportSequences({ place }: Session, refused: readonly Sequence[], report: ReportFinding): void {
  if (refused.length === 0) return;
  const { user } = place.endpoint;
  report(
    "blocker",
    "right_missing",
    sequenceNames(refused),
    `user ${user} may not read ${refused.length === 1 ? "the sequence" : "the sequences"}`,
    sequenceGrant(refused, user),
  );
}

/** Of which a sample may be read. */
export async function largestOf(session: Session, tables: PostgresReadings["tables"]): Promise<Sampled | undefined> {
  const [largest] = [...tables].sort((a, b) => b.data - a.data);
  if (largest === undefined) return undefined;
  const columns = await session.query<{ name: string }>(
    "SELECT attname AS name FROM pg_catalog.pg_attribute WHERE attrelid = $1 AND attnum > 0 AND NOT attisdropped ORDER BY attnum",
    [largest.oid],
  );
  const { schema, name, rows, data: bytes } = largest;
  return columns.length === 0
    ? undefined
    : { schema, name, rows, bytes, columns: columns.map((column) => column.name) };
}

function old({ version, place }: Session, report: ReportFinding): void {
  if (version < oldest)
    report(
      "blocker",
      "unsupported_version",
      `PostgreSQL ${versionText(version)}`,
      `the ${place.role} is older than 12`,
      "upgrade the server to 12 or newer",
    );
  else if (version < oldestTested)
    report(
      "note",
      "old_version",
      `PostgreSQL ${versionText(version)}`,
      `the ${place.role} is older than the versions that Rowferry is tested on (15 and newer)`,
      "try the copy on a part of the tables first, with verify: checksum",
    );
}

/** Encodings that hold any text, or do not look. */
const universal = new Set(["UTF8", "SQL_ASCII"]);

interface PostgresTarget {
  /** `schema.table` of what is there, without `_rowferry`. */
  relations: string[];
}

interface PostgresWanted {
  /** The source's; undefined: texts come in any character, as from MySQL. */
  encoding: string | undefined;
  extensions?: readonly string[];
  /** Those that the copy will make tables in. */
  schemas: readonly string[];
  /** Bytes of the source. */
  size: number;
  jobs: number;
  /** Objects are made, which default privileges give rights on. */
  makes: boolean;
}

export async function assessPostgresTarget(
  session: Session,
  { user, database }: Endpoint,
  { encoding, extensions = [], schemas, size, jobs, makes }: PostgresWanted,
  report: ReportFinding,
): Promise<PostgresTarget> {
  old(session, report);
  await reportPostgresConnections(session, { jobs, building: encoding === undefined }, report);
  await reportWal(session, size, report);
  if (makes) await reportDefaultRights(session, report);
  const [facts] = await session.query<{
    standby: boolean;
    create: boolean;
    encoding: string;
  }>(
    `SELECT pg_catalog.pg_is_in_recovery() AS standby, pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') AS create,
            pg_catalog.current_setting('server_encoding') AS encoding`,
  );
  if (facts?.standby)
    report(
      "blocker",
      "read_only",
      "the target server",
      "it is a standby and takes no writes",
      "name the primary server",
    );
  if (facts?.create === false && extensions.length > 0)
    report(
      "warning",
      "right_missing",
      "CREATE",
      `user ${user} may not make extensions in database ${database}`,
      `GRANT CREATE ON DATABASE ${identifier(database)} TO ${identifier(user)}, unless they are there`,
    );
  const needed = [...new Set(["public", ...schemas])];
  const closed = await session.query<{ name: string; there: boolean }>(
    `SELECT s.name, n.oid IS NOT NULL AS there FROM pg_catalog.unnest($1::pg_catalog.text[]) AS s (name) LEFT JOIN pg_catalog.pg_namespace n ON n.nspname = s.name
      WHERE NOT CASE WHEN n.oid IS NULL THEN pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE')
                     ELSE pg_catalog.has_schema_privilege(n.oid, 'CREATE') END`,
    [needed],
  );
  for (const { name, there } of closed)
    if (name !== "public" || schemas.includes(name) || closed.length === needed.length)
      report(
        "blocker",
        "right_missing",
        there ? `CREATE on schema ${name}` : "CREATE",
        there ? `user ${user} may not make tables in schema ${name}` : `user ${user} may not make schema ${name}`,
        there
          ? `GRANT CREATE ON SCHEMA ${identifier(name)} TO ${identifier(user)}`
          : `CREATE SCHEMA ${identifier(name)} AUTHORIZATION ${identifier(user)}, or GRANT CREATE ON DATABASE ${identifier(database)} TO ${identifier(user)}`,
      );
  if (encoding === undefined && facts?.encoding !== "UTF8")
    report(
      "blocker",
      "target_encoding",
      facts?.encoding ?? "",
      "the target's encoding is not UTF-8, which holds every text",
      "CREATE DATABASE … ENCODING 'UTF8' TEMPLATE template0",
    );
  else if (encoding !== facts?.encoding && encoding !== undefined && !universal.has(facts?.encoding ?? ""))
    report(
      "warning",
      "encoding",
      facts?.encoding ?? "",
      `the source's encoding is ${encoding}: characters that the target's lacks end the copy`,
      `CREATE DATABASE … ENCODING '${encoding}' TEMPLATE template0`,
    );
  if (extensions.length > 0) await reportExtensions(session, user, extensions, report);
  return { relations: await userRelations(session) };
}

/** Names `schema.relation` of the tables, views and sequences that users made; those of extensions are not counted. */
export async function userRelations(session: Session): Promise<string[]> {
  const relations = await session.query<{ name: string }>(
    `SELECT n.nspname || '.' || c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")} AND c.relname NOT LIKE '\\_rowferry%'
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')`,
  );
  return relations.map(({ name }) => name);
}

/** ALTER DEFAULT PRIVILEGES of the target: the source never gave these rights, and the copy takes them back. */
async function reportDefaultRights(session: Session, report: ReportFinding): Promise<void> {
  const rows = await session.query<{ role: string }>(
    `SELECT DISTINCT CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(a.grantee)::text END AS role
       FROM pg_catalog.pg_default_acl d, pg_catalog.aclexplode(d.defaclacl) a
      WHERE d.defaclrole = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user) AND a.grantee <> d.defaclrole ORDER BY 1`,
  );
  if (rows.length === 0) return;
  report(
    "note",
    "default_rights",
    shortList(rows.map(({ role }) => role)),
    "the target gives rights on all new objects to them (ALTER DEFAULT PRIVILEGES): the copy takes these back from its own, which get the source's rights only",
    "GRANT again after the copy what they should have",
  );
}

async function reportExtensions(
  session: Session,
  user: string,
  extensions: readonly string[],
  report: ReportFinding,
): Promise<void> {
  const trusted = session.version >= 130_000 ? "trusted" : "false";
  const there = await session.query<{ name: string; may: boolean }>(
    `SELECT name::text AS name, pg_catalog.bool_or(installed OR ${trusted} OR NOT superuser) OR (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) AS may
       FROM pg_catalog.pg_available_extension_versions GROUP BY name`,
  );
  const known = new Map(there.map(({ name, may }) => [name, may]));
  for (const name of extensions)
    if (!known.has(name))
      report(
        "blocker",
        "extension_missing",
        name,
        "the target server does not have the extension, and what uses its types or functions cannot be made",
        "install its package on the target server, or drop it from the source",
      );
    else if (known.get(name) === false)
      report(
        "blocker",
        "right_missing",
        name,
        `only a superuser may make the extension there, and user ${user} is none`,
        "CREATE EXTENSION there as a superuser before the copy",
      );
}
