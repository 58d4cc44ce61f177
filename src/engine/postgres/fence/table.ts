import { EngineError } from "../../contract/index.ts";
import { randomRow } from "../../run/fence/fence.ts";
import type { Session } from "../driver/connection.ts";
import { fullNameSql, identifier, literal, partSql, qualified } from "../driver/names.ts";

/**
 * Where the fence's table stands in a PostgreSQL database, and how it comes to be. Whoever may create a table could
 * plant one of its name, and code on it would run with the target user's rights: only a table that this user owns, and
 * that has nothing on it but what is made here, is ever written to or read.
 */

export const fenceTableName = "_rowferry";
const columns = "body text,epoch int8,id int8,kind text,name text,owner text";
/** As earlier versions made it, for one run alone. */
const singleColumns = "body text,epoch int8,id int8,kind text,name text";
const comment = "Rowferry keeps here what a running copy has made; it is dropped when the copy is done.";

/** A table called `_rowferry`. */
export interface FenceTable {
  oid: number;
  schema: string;
  /** Quoted, schema first. */
  table: string;
  /** Has the fence's columns. */
  alike: boolean;
  /** An earlier version made it: all rows are those of one run, and none says whose. */
  single: boolean;
  mine: boolean;
  /** What is on it and may run code or change what is read or written; empty on a table of Rowferry's. */
  extras: string[];
}

/** Every relation of the fence's name, whoever owns it; nothing of them is read but the catalogues. */
export async function findAlike(session: Session): Promise<FenceTable[]> {
  const on = (catalog: string, column: string) =>
    `EXISTS (SELECT FROM pg_catalog.${catalog} x WHERE x.${column} = c.oid)`;
  const rows = await session.query<Omit<FenceTable, "table">>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relkind = 'r' AND COALESCE(a.list, '') IN ($2, $3) AS alike, COALESCE(a.list, '') = $3 AS single,
            c.relowner = (SELECT oid FROM pg_catalog.pg_roles WHERE rolname = current_user) AS mine,
            pg_catalog.array_remove(ARRAY[
              CASE WHEN c.relkind <> 'r' OR c.relpersistence <> 'p' THEN 'not a plain table' END,
              CASE WHEN ${on("pg_trigger", "tgrelid")} THEN 'a trigger' END,
              CASE WHEN ${on("pg_rewrite", "ev_class")} THEN 'a rule' END,
              CASE WHEN c.relrowsecurity OR c.relforcerowsecurity OR ${on("pg_policy", "polrelid")} THEN 'row-level security' END,
              CASE WHEN c.relispartition OR ${on("pg_inherits", "inhrelid")} OR ${on("pg_inherits", "inhparent")} THEN 'inheritance' END,
              CASE WHEN ${on("pg_attrdef", "adrelid")} THEN 'a default or generated column' END,
              CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_constraint x WHERE x.conrelid = c.oid AND x.contype NOT IN ('p', 'n')) THEN 'a constraint' END,
              CASE WHEN EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND (i.indexprs IS NOT NULL OR EXISTS (
                     SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = i.indexrelid
                        AND d.refclassid::pg_catalog.regclass::text ~ '(pg_proc|pg_operator|pg_opclass|pg_opfamily)'))) THEN 'an index on an expression' END,
              CASE WHEN EXISTS (SELECT FROM pg_catalog.aclexplode(c.relacl) x WHERE x.grantee <> c.relowner AND x.privilege_type <> 'SELECT')
                     OR EXISTS (SELECT FROM pg_catalog.pg_attribute t, pg_catalog.aclexplode(t.attacl) x
                                 WHERE t.attrelid = c.oid AND x.grantee <> c.relowner AND x.privilege_type <> 'SELECT') THEN 'rights of others to change it' END
            ], NULL) AS extras
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN LATERAL (
            SELECT pg_catalog.string_agg(a.attname || ' ' || t.typname, ',' ORDER BY a.attname COLLATE "C") AS list
              FROM pg_catalog.pg_attribute a
              JOIN pg_catalog.pg_type t ON t.oid = a.atttypid AND t.typnamespace = 'pg_catalog'::pg_catalog.regnamespace
             WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) a ON true
      WHERE c.relname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname !~ '^pg_'
      ORDER BY n.nspname = 'public' DESC, n.nspname`,
    [fenceTableName, columns, singleColumns],
  );
  return rows.map((row) => ({ ...row, table: qualified(row.schema, fenceTableName) }));
}

/**
 * The fence's table in a target, or undefined. Errors: `target_in_use` when the only tables of that name are not
 * Rowferry's: of another owner, of other columns, or with something on them.
 */
export async function findTable(session: Session): Promise<FenceTable | undefined> {
  const found = await findAlike(session);
  const own = found.find(({ alike, mine, extras }) => alike && mine && extras.length === 0);
  const other = found[0];
  if (own !== undefined || other === undefined) return own;
  const why = [
    ...(other.alike ? [] : ["other columns"]),
    ...(other.mine ? [] : ["another owner than the target's user"]),
    ...other.extras,
  ];
  throw new EngineError(
    "target_in_use",
    `the target database has a table ${other.table} that is not Rowferry's or has been changed (${why.join(", ")}): drop or rename it, or name another database; it was not touched`,
  );
}

/** What to read in the place of the table, under an alias: every row says its owner. */
export const ownedRows = ({ table, single }: Pick<FenceTable, "table" | "single">): string =>
  single ? `(SELECT r.*, (SELECT f.name FROM ${table} f WHERE f.kind = 'fence') AS owner FROM ${table} r)` : table;

/** Makes the table in the open transaction; `registering` (register.ts) keeps others from making theirs meanwhile. */
export async function makeTable(session: Session): Promise<void> {
  const schema = (await trustedSchema(session)) ?? (await ownSchema(session)) ?? (await anySchema(session));
  const table = qualified(schema, fenceTableName);
  await session.run(`
    CREATE TABLE ${table} (
      id bigint GENERATED ALWAYS AS IDENTITY (START WITH ${randomRow()}) PRIMARY KEY,
      owner text NOT NULL, kind text NOT NULL, name text NOT NULL, epoch bigint NOT NULL, body text);
    ${onePerOwner(table)};
    COMMENT ON TABLE ${table} IS ${literal(comment)}`);
  await revokeDefaults(session, table);
}

const onePerOwner = (table: string) =>
  `CREATE UNIQUE INDEX ON ${table} (kind, owner) WHERE kind IN ('fence', 'result')`;

/**
 * Gives the table of an earlier version room for others beside `owner`, whose rows all are, in the open transaction. No row is
 * written anew: which transaction wrote a mark proves which rows are the run's (own-rows.ts).
 */
export async function makeShareable(session: Session, { oid, table }: FenceTable, owner: string): Promise<void> {
  await session.run(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  const single = await session.query<{ name: string }>(
    `SELECT i.indexrelid::pg_catalog.regclass::pg_catalog.text AS name FROM pg_catalog.pg_index i
      WHERE i.indrelid = $1 AND i.indisunique AND NOT i.indisprimary`,
    [oid],
  );
  await session.run(
    [
      `ALTER TABLE ${table} ADD COLUMN owner text NOT NULL DEFAULT ${literal(owner)}`,
      `ALTER TABLE ${table} ALTER COLUMN owner DROP DEFAULT`,
      ...single.map(({ name }) => `DROP INDEX ${name}`),
      onePerOwner(table),
    ].join("; "),
  );
}

/** Locks the table against change within the open transaction, then looks again whether it is the one that was found. */
export async function lockTable(session: Session, { oid, table }: FenceTable): Promise<void> {
  await session.run(`LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`);
  if ((await findTable(session))?.oid === oid) return;
  throw new EngineError(
    "target_in_use",
    `the table ${table} in the target was replaced while it was opened: run again`,
    {
      retryable: true,
    },
  );
}

/** Default privileges of the user's may have given others rights on the new table. */
async function revokeDefaults(session: Session, table: string): Promise<void> {
  const grantees = await session.query<{ name: string | null }>(
    `SELECT DISTINCT CASE WHEN x.grantee <> 0 THEN pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(x.grantee)) END AS name
       FROM pg_catalog.pg_class c, pg_catalog.aclexplode(c.relacl) x
      WHERE c.oid = ${literal(table)}::pg_catalog.regclass AND x.grantee <> c.relowner`,
  );
  for (const { name } of grantees) await session.run(`REVOKE ALL ON ${table} FROM ${name ?? "PUBLIC"}`);
}

const writable = `nspname !~ '^pg_' AND nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(n.oid, 'CREATE')`;

/** Whoever owns a schema may put another table in the place of ours: only the user, superusers and the database's owner. */
async function trustedSchema(session: Session): Promise<string | undefined> {
  const [row] = await session.query<{ nspname: string }>(
    `SELECT nspname FROM pg_catalog.pg_namespace n JOIN pg_catalog.pg_roles r ON r.oid = n.nspowner
      WHERE ${writable} AND (r.rolname = current_user OR r.rolsuper OR nspname = 'public' AND r.rolname = 'pg_database_owner')
      ORDER BY nspname = 'public' DESC, nspname LIMIT 1`,
  );
  return row?.nspname;
}

async function ownSchema(session: Session): Promise<string | undefined> {
  const [row] = await session.query<{ may: boolean }>(
    `SELECT pg_catalog.has_database_privilege(pg_catalog.current_database(), 'CREATE') AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_namespace WHERE nspname = $1) AS may`,
    [fenceTableName],
  );
  if (!row?.may) return undefined;
  await session.run(`CREATE SCHEMA IF NOT EXISTS ${qualified(fenceTableName)}`);
  return fenceTableName;
}

/** A user without superuser's rights, who may create only where another owner lets it: the copy itself goes there too. */
async function anySchema(session: Session): Promise<string> {
  const [row] = await session.query<{ nspname: string }>(
    `SELECT nspname FROM pg_catalog.pg_namespace n WHERE ${writable}
        AND NOT (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) ORDER BY nspname LIMIT 1`,
  );
  if (row !== undefined) return row.nspname;
  const { user } = session.place.endpoint;
  throw new EngineError(
    "permission_denied",
    `user "${user}" may not create the table ${fenceTableName} in the target, in which a run records what it makes and drops: GRANT CREATE ON SCHEMA public TO ${identifier(user)}`,
  );
}

/** The table and what belongs to it (columns, keys, indexes, sequence), as the inventory names them: by oid, not by the look of a name. */
export async function partsOf(session: Session, found: FenceTable | undefined): Promise<ReadonlySet<string>> {
  if (found === undefined) return new Set();
  const rows = await session.query<{ part: string }>(
    `WITH t AS (SELECT c.oid, ${fullNameSql("n.nspname", "c.relname")} AS name FROM pg_catalog.pg_class c
                  JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.oid = $1)
     SELECT 'table ' || name AS part FROM t
     UNION ALL SELECT 'column ' || name || '.' || ${partSql("attname")} FROM t JOIN pg_catalog.pg_attribute ON attrelid = t.oid
     UNION ALL SELECT 'constraint ' || name || ' ' || ${partSql("conname")} FROM t JOIN pg_catalog.pg_constraint ON conrelid = t.oid
     UNION ALL SELECT CASE c.relkind WHEN 'S' THEN 'sequence ' ELSE 'index ' END || ${fullNameSql("n.nspname", "c.relname")}
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.oid IN (SELECT indexrelid FROM pg_catalog.pg_index WHERE indrelid = $1
            UNION ALL SELECT objid FROM pg_catalog.pg_depend WHERE refobjid = $1 AND deptype IN ('a', 'i')
                         AND classid = 'pg_catalog.pg_class'::pg_catalog.regclass)`,
    [found.oid],
  );
  return new Set(rows.map(({ part }) => part));
}
