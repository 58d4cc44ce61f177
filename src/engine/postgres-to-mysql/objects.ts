import type { InventoryEntry } from "../contract.ts";
import type { Session } from "../postgres/connection.ts";
import { printable } from "../postgres/names.ts";
import { ofUsers } from "../postgres/source.ts";

/** What is not a table: read with the source's own text, so that a person can finish what is not carried over. */
export interface SourceObject {
  kind: string;
  name: string;
  definition: string;
  /** The table that it belongs to. */
  owner: number | null;
}

/** Things of extensions come with their extension and are not listed. */
export async function readObjects(session: Session): Promise<SourceObject[]> {
  const own = (catalog: string, oid: string) =>
    `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype = 'e')`;
  const inSchema = (alias: string, column: string) => `JOIN pg_catalog.pg_namespace n ON n.oid = ${alias}.${column}`;
  const users = ofUsers("n.nspname");
  const named = (kind: string, catalog: string, alias: string, name: string, schema: string) =>
    `SELECT '${kind}', n.nspname || '.' || ${alias}.${name}, '', NULL::int8 FROM pg_catalog.${catalog} ${alias} ${inSchema(alias, schema)} WHERE ${users} AND ${own(catalog, `${alias}.oid`)}`;
  const routine = `n.nspname || '.' || p.proname || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')'`;
  const parts = [
    `SELECT 'schema' AS kind, n.nspname::text AS name, '' AS definition, NULL::int8 AS owner FROM pg_catalog.pg_namespace n WHERE ${users} AND ${own("pg_namespace", "n.oid")}`,
    `SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'f' THEN 'foreign table' ELSE 'type' END, n.nspname || '.' || c.relname,
            CASE c.relkind WHEN 'v' THEN pg_catalog.pg_get_viewdef(c.oid)
              WHEN 'c' THEN (SELECT 'AS (' || pg_catalog.string_agg(a.attname || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod), ', ' ORDER BY a.attnum) || ')'
                               FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) ELSE '' END, c.oid::int8
       FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")} WHERE c.relkind IN ('v', 'f', 'c') AND c.relpersistence <> 't' AND ${users} AND ${own("pg_class", "c.oid")}`,
    `SELECT CASE t.typtype WHEN 'd' THEN 'domain' ELSE 'type' END, n.nspname || '.' || t.typname,
            CASE t.typtype WHEN 'd' THEN pg_catalog.concat_ws(' ', 'AS', pg_catalog.format_type(t.typbasetype, t.typtypmod), 'DEFAULT ' || t.typdefault, CASE WHEN t.typnotnull THEN 'NOT NULL' END,
                (SELECT pg_catalog.string_agg(pg_catalog.pg_get_constraintdef(k.oid), ' ') FROM pg_catalog.pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c'))
              WHEN 'e' THEN (SELECT 'AS ENUM (' || pg_catalog.string_agg(pg_catalog.quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) || ')' FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid)
              WHEN 'r' THEN (SELECT 'AS RANGE (SUBTYPE = ' || pg_catalog.format_type(r.rngsubtype, NULL) || ')' FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid) ELSE '' END, NULL
       FROM pg_catalog.pg_type t ${inSchema("t", "typnamespace")}
      WHERE t.typtype IN ('d', 'e', 'r', 'b') AND NOT (t.typtype = 'b' AND t.typelem <> 0 AND t.typlen = -1) AND ${users} AND ${own("pg_type", "t.oid")}`,
    `SELECT CASE p.prokind WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END, ${routine},
            CASE WHEN p.prokind <> 'a' THEN pg_catalog.pg_get_functiondef(p.oid) ELSE '' END, NULL
       FROM pg_catalog.pg_proc p ${inSchema("p", "pronamespace")} WHERE ${users} AND ${own("pg_proc", "p.oid")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'i')`,
    `SELECT 'trigger', n.nspname || '.' || c.relname || ' ' || t.tgname, pg_catalog.pg_get_triggerdef(t.oid), c.oid::int8
       FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid ${inSchema("c", "relnamespace")} WHERE NOT t.tgisinternal AND ${users}`,
    `SELECT 'rule', n.nspname || '.' || c.relname || ' ' || r.rulename, pg_catalog.pg_get_ruledef(r.oid), c.oid::int8
       FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class ${inSchema("c", "relnamespace")} WHERE r.rulename <> '_RETURN' AND ${users} AND ${own("pg_class", "c.oid")}`,
    `SELECT 'policy', n.nspname || '.' || c.relname || ' ' || p.polname, pg_catalog.concat_ws(' ', CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
            'FOR ' || CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
            'USING (' || pg_catalog.pg_get_expr(p.polqual, p.polrelid) || ')', 'WITH CHECK (' || pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) || ')'), c.oid::int8
       FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class c ON c.oid = p.polrelid ${inSchema("c", "relnamespace")} WHERE ${users}`,
    `SELECT 'row-level security', n.nspname || '.' || c.relname, CASE WHEN c.relforcerowsecurity THEN 'FORCE' ELSE 'ENABLE' END, c.oid::int8
       FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")} WHERE c.relrowsecurity AND ${users}`,
    `SELECT 'grant', n.nspname || '.' || c.relname || ' to ' || CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(g.grantee) END,
            'GRANT ' || pg_catalog.string_agg(g.privilege_type || CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, ', ' ORDER BY g.privilege_type), c.oid::int8
       FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")} CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) g
      WHERE g.grantee <> c.relowner AND ${users} GROUP BY n.nspname, c.relname, g.grantee, c.oid`,
    `SELECT 'grant', n.nspname || '.' || c.relname || '.' || a.attname || ' to ' || CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(g.grantee) END,
            'GRANT ' || pg_catalog.string_agg(g.privilege_type || ' (' || a.attname || ')', ', ' ORDER BY g.privilege_type), c.oid::int8
       FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid ${inSchema("c", "relnamespace")} CROSS JOIN LATERAL pg_catalog.aclexplode(a.attacl) g
      WHERE NOT a.attisdropped AND ${users} GROUP BY n.nspname, c.relname, a.attname, g.grantee, c.oid`,
    `SELECT 'default privileges', COALESCE(n.nspname, 'database') || ' ' || p.defaclobjtype::text || ' of ' || pg_catalog.pg_get_userbyid(p.defaclrole), p.defaclacl::text, NULL
       FROM pg_catalog.pg_default_acl p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.defaclnamespace`,
    `SELECT 'extension', e.extname::text, 'VERSION ' || e.extversion, NULL FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql'`,
    `SELECT 'event trigger', evtname::text, 'ON ' || evtevent, NULL FROM pg_catalog.pg_event_trigger t WHERE ${own("pg_event_trigger", "t.oid")}`,
    `SELECT 'publication', pubname::text, CASE WHEN puballtables THEN 'FOR ALL TABLES' ELSE '' END, NULL FROM pg_catalog.pg_publication`,
    `SELECT DISTINCT 'subscription', subname::text, '', NULL::int8 FROM pg_catalog.pg_stat_subscription WHERE relid IS NULL`,
    `SELECT 'statistics', n.nspname || '.' || s.stxname, pg_catalog.pg_get_statisticsobjdef(s.oid), NULL FROM pg_catalog.pg_statistic_ext s ${inSchema("s", "stxnamespace")} WHERE ${users}`,
    `SELECT 'operator', n.nspname || '.' || o.oprname || ' (' || pg_catalog.format_type(o.oprleft, NULL) || ', ' || pg_catalog.format_type(o.oprright, NULL) || ')', '', NULL
       FROM pg_catalog.pg_operator o ${inSchema("o", "oprnamespace")} WHERE ${users} AND ${own("pg_operator", "o.oid")}`,
    named("operator class", "pg_opclass", "o", "opcname", "opcnamespace"),
    named("collation", "pg_collation", "o", "collname", "collnamespace"),
    named("conversion", "pg_conversion", "o", "conname", "connamespace"),
    named("text search configuration", "pg_ts_config", "o", "cfgname", "cfgnamespace"),
    named("text search dictionary", "pg_ts_dict", "o", "dictname", "dictnamespace"),
    `SELECT 'cast', pg_catalog.format_type(k.castsource, NULL) || ' AS ' || pg_catalog.format_type(k.casttarget, NULL), '', NULL FROM pg_catalog.pg_cast k WHERE k.oid >= 16384 AND ${own("pg_cast", "k.oid")}`,
    `SELECT 'server', s.srvname::text, '', NULL FROM pg_catalog.pg_foreign_server s WHERE ${own("pg_foreign_server", "s.oid")}`,
    `SELECT 'foreign data wrapper', f.fdwname::text, '', NULL FROM pg_catalog.pg_foreign_data_wrapper f WHERE ${own("pg_foreign_data_wrapper", "f.oid")}`,
    `SELECT 'user mapping', u.srvname || ' ' || COALESCE(u.usename, 'public'), '', NULL FROM pg_catalog.pg_user_mappings u`,
    `SELECT 'language', l.lanname::text, '', NULL FROM pg_catalog.pg_language l WHERE l.lanispl AND l.lanname <> 'plpgsql' AND ${own("pg_language", "l.oid")}`,
    `SELECT 'large object', m.oid::text, 'owner ' || pg_catalog.pg_get_userbyid(m.lomowner), NULL FROM pg_catalog.pg_largeobject_metadata m`,
    `SELECT 'comment', k.kind || ' ' || k.name, k.words, NULL FROM (
       SELECT 'constraint' AS kind, n.nspname || '.' || c.relname || ' ' || o.conname AS name, pg_catalog.obj_description(o.oid, 'pg_constraint') AS words
         FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class c ON c.oid = o.conrelid ${inSchema("c", "relnamespace")} WHERE ${users}
       UNION ALL SELECT 'function', ${routine}, pg_catalog.obj_description(p.oid, 'pg_proc') FROM pg_catalog.pg_proc p ${inSchema("p", "pronamespace")} WHERE ${users} AND ${own("pg_proc", "p.oid")}
       UNION ALL SELECT 'view', n.nspname || '.' || c.relname, pg_catalog.obj_description(c.oid, 'pg_class') FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")} WHERE c.relkind = 'v' AND ${users}
       UNION ALL SELECT 'type', n.nspname || '.' || t.typname, pg_catalog.obj_description(t.oid, 'pg_type') FROM pg_catalog.pg_type t ${inSchema("t", "typnamespace")} WHERE ${users}
       UNION ALL SELECT 'schema', n.nspname::text, pg_catalog.obj_description(n.oid, 'pg_namespace') FROM pg_catalog.pg_namespace n WHERE ${users} AND n.nspname <> 'public') k WHERE k.words IS NOT NULL`,
    `SELECT 'database setting', CASE WHEN s.setrole <> 0 THEN 'for role ' || pg_catalog.pg_get_userbyid(s.setrole) || ': ' ELSE '' END || pg_catalog.split_part(c, '=', 1), c, NULL
       FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c
      WHERE s.setdatabase = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())`,
  ];
  return session.query<SourceObject>(
    `SELECT kind, name, COALESCE(definition, '') AS definition, owner FROM (${parts.join(" UNION ALL ")}) things ORDER BY kind, name`,
  );
}

/** Why each kind is not made; what is only the frame of others is said to be converted with them. */
const reasons: Record<string, string> = {
  view: "a view's query is not translated",
  "foreign table": "its rows live on another server and are not copied",
  function: "a routine's code is not translated",
  procedure: "a routine's code is not translated",
  aggregate: "MySQL has no aggregates of one's own in SQL",
  trigger: "a trigger's code is not translated",
  rule: "MySQL has no rules",
  policy: "MySQL has no row-level security: every row is visible to whoever may read the table",
  "row-level security": "MySQL has no row-level security: every row is visible to whoever may read the table",
  grant: "rights are not carried over: the roles of the source are not users of the target",
  "default privileges": "rights are not carried over: the roles of the source are not users of the target",
  extension: "MySQL has no extensions; columns of its types are converted one by one",
  "event trigger": "MySQL has no event triggers",
  publication: "MySQL has no publications",
  subscription: "subscriptions are not copied",
  statistics: "MySQL has no statistics over several columns",
  "large object": "MySQL has no large objects: its bytes are not copied, columns that hold its number stay numbers",
  comment: "MySQL has no comment for it",
  "database setting": "settings of a database are not copied",
};

const frames: Record<string, string> = {
  schema: "as a prefix of its tables' names, if not by another option",
  type: "in the columns that use it",
  domain: "in the columns that use it: their base type and its checks",
};

const mostText = 65_536;

export function reportObject({ kind, name, definition }: SourceObject): InventoryEntry {
  const note = frames[kind] ?? reasons[kind] ?? `MySQL has no ${kind} of this kind`;
  return {
    kind,
    name: printable(name),
    outcome: frames[kind] === undefined ? "reported" : "converted",
    note,
    ...(definition === "" ? {} : { definition: definition.slice(0, mostText) }),
  };
}
