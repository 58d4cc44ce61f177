import { fullNameSql, partSql } from "../driver/names.ts";
import { ofUsers } from "./tables.ts";

/**
 * What is asked of the catalogues for all that is not a table: one SELECT a kind, of kind, name, definition (the source's
 * own text, as far as the server writes one) and the oid of the relation that it belongs to.
 */

/** Not a thing of an extension's, which comes with it. */
export const own = (catalog: string, oid: string): string =>
  `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype = 'e')`;
export const inSchema = (alias: string, column: string): string =>
  `JOIN pg_catalog.pg_namespace n ON n.oid = ${alias}.${column}`;
export const users = ofUsers("n.nspname");
/** `(a = b, …)` of an array of options; NULL for none. */
export const options = (array: string): string => `'OPTIONS (' || pg_catalog.array_to_string(${array}, ', ') || ')'`;
const routine = `${fullNameSql("n.nspname", "p.proname")} || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')'`;
const onRelation = (alias: string, column: string) =>
  `JOIN pg_catalog.pg_class c ON c.oid = ${alias}.${column} ${inSchema("c", "relnamespace")}`;
/** A partition's objects belong to its root's table. */
const ownerOf =
  "CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid)::pg_catalog.oid::int8 ELSE c.oid::int8 END";
const columnsOf = `(SELECT pg_catalog.string_agg(pg_catalog.quote_ident(a.attname) || ' ' || pg_catalog.format_type(a.atttypid, a.atttypmod) || CASE WHEN a.attnotnull THEN ' NOT NULL' ELSE '' END
    || COALESCE(' DEFAULT ' || (SELECT pg_catalog.pg_get_expr(f.adbin, f.adrelid) FROM pg_catalog.pg_attrdef f WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum), ''), ', ' ORDER BY a.attnum)
    FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped)`;

/** Relations without rows of their own, types, and what stands on tables. */
export const relationQueries = (): string[] => [
  `SELECT 'schema' AS kind, n.nspname::text AS name, '' AS definition, NULL::int8 AS owner FROM pg_catalog.pg_namespace n WHERE ${users} AND ${own("pg_namespace", "n.oid")}`,
  `SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'f' THEN 'foreign table' ELSE 'type' END, ${fullNameSql("n.nspname", "c.relname")},
          CASE c.relkind WHEN 'v' THEN pg_catalog.pg_get_viewdef(c.oid)
            WHEN 'c' THEN 'AS (' || ${columnsOf} || ')'
            ELSE (SELECT pg_catalog.concat_ws(' ', 'CREATE FOREIGN TABLE (' || ${columnsOf} || ')', 'SERVER ' || pg_catalog.quote_ident(s.srvname), ${options("f.ftoptions")},
                    (SELECT pg_catalog.string_agg('CONSTRAINT ' || pg_catalog.quote_ident(k.conname) || ' ' || pg_catalog.pg_get_constraintdef(k.oid), ' ') FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c'))
                    FROM pg_catalog.pg_foreign_table f JOIN pg_catalog.pg_foreign_server s ON s.oid = f.ftserver WHERE f.ftrelid = c.oid) END, ${ownerOf}
     FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")} WHERE c.relkind IN ('v', 'f', 'c') AND c.relpersistence <> 't' AND ${users} AND ${own("pg_class", "c.oid")}`,
  `SELECT CASE t.typtype WHEN 'd' THEN 'domain' ELSE 'type' END, ${fullNameSql("n.nspname", "t.typname")},
          CASE t.typtype WHEN 'd' THEN pg_catalog.concat_ws(' ', 'AS', pg_catalog.format_type(t.typbasetype, t.typtypmod), 'DEFAULT ' || t.typdefault, CASE WHEN t.typnotnull THEN 'NOT NULL' END,
              (SELECT pg_catalog.string_agg('CONSTRAINT ' || pg_catalog.quote_ident(k.conname) || ' ' || pg_catalog.pg_get_constraintdef(k.oid), ' ') FROM pg_catalog.pg_constraint k WHERE k.contypid = t.oid AND k.contype = 'c'))
            WHEN 'e' THEN (SELECT 'AS ENUM (' || pg_catalog.string_agg(pg_catalog.quote_literal(e.enumlabel), ', ' ORDER BY e.enumsortorder) || ')' FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid)
            WHEN 'r' THEN (SELECT 'AS RANGE (SUBTYPE = ' || pg_catalog.format_type(r.rngsubtype, NULL) || ')' FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid)
            ELSE 'INPUT = ' || t.typinput::pg_catalog.text || ', OUTPUT = ' || t.typoutput::pg_catalog.text || ', INTERNALLENGTH = ' || t.typlen::pg_catalog.text END, NULL
     FROM pg_catalog.pg_type t ${inSchema("t", "typnamespace")}
    WHERE t.typtype IN ('d', 'e', 'r', 'b') AND NOT (t.typtype = 'b' AND t.typelem <> 0 AND t.typlen = -1) AND ${users} AND ${own("pg_type", "t.oid")}`,
  `SELECT CASE p.prokind WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END, ${routine},
          CASE WHEN p.prokind <> 'a' THEN pg_catalog.pg_get_functiondef(p.oid)
            ELSE (SELECT pg_catalog.concat_ws(', ', '(SFUNC = ' || g.aggtransfn::pg_catalog.text, 'STYPE = ' || pg_catalog.format_type(g.aggtranstype, NULL),
                    CASE WHEN g.aggfinalfn <> 0 THEN 'FINALFUNC = ' || g.aggfinalfn::pg_catalog.text END, 'INITCOND = ' || pg_catalog.quote_literal(g.agginitval)) || ')' FROM pg_catalog.pg_aggregate g WHERE g.aggfnoid = p.oid) END, NULL
     FROM pg_catalog.pg_proc p ${inSchema("p", "pronamespace")} WHERE ${users} AND ${own("pg_proc", "p.oid")}
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'i')`,
  `SELECT 'trigger', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("t.tgname")}, pg_catalog.pg_get_triggerdef(t.oid)
          || CASE t.tgenabled WHEN 'D' THEN ' (disabled)' WHEN 'A' THEN ' (enabled always)' WHEN 'R' THEN ' (enabled on replicas)' ELSE '' END, ${ownerOf}
     FROM pg_catalog.pg_trigger t ${onRelation("t", "tgrelid")} WHERE NOT t.tgisinternal AND ${users}`,
  `SELECT 'rule', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("r.rulename")}, pg_catalog.pg_get_ruledef(r.oid), ${ownerOf}
     FROM pg_catalog.pg_rewrite r ${onRelation("r", "ev_class")} WHERE r.rulename <> '_RETURN' AND ${users} AND ${own("pg_class", "c.oid")}`,
  `SELECT 'policy', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("p.polname")}, pg_catalog.concat_ws(' ', CASE WHEN p.polpermissive THEN 'PERMISSIVE' ELSE 'RESTRICTIVE' END,
          'FOR ' || CASE p.polcmd WHEN 'r' THEN 'SELECT' WHEN 'a' THEN 'INSERT' WHEN 'w' THEN 'UPDATE' WHEN 'd' THEN 'DELETE' ELSE 'ALL' END,
          'TO ' || (SELECT pg_catalog.string_agg(CASE r WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(r)::pg_catalog.text END, ', ') FROM pg_catalog.unnest(p.polroles) r),
          'USING (' || pg_catalog.pg_get_expr(p.polqual, p.polrelid) || ')', 'WITH CHECK (' || pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid) || ')'), ${ownerOf}
     FROM pg_catalog.pg_policy p ${onRelation("p", "polrelid")} WHERE ${users}`,
  `SELECT 'row-level security', ${fullNameSql("n.nspname", "c.relname")}, CASE WHEN c.relforcerowsecurity THEN 'FORCE' ELSE 'ENABLE' END, ${ownerOf}
     FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")} WHERE c.relrowsecurity AND ${users}`,
  `SELECT 'storage parameters', ${fullNameSql("n.nspname", "c.relname")}, pg_catalog.concat_ws(', ', pg_catalog.array_to_string(c.reloptions, ', '), CASE c.relreplident WHEN 'f' THEN 'REPLICA IDENTITY FULL'
          WHEN 'n' THEN 'REPLICA IDENTITY NOTHING' WHEN 'i' THEN 'REPLICA IDENTITY USING INDEX' END,
          (SELECT 'USING ' || m.amname FROM pg_catalog.pg_am m WHERE m.oid = c.relam AND m.amname <> 'heap' AND m.amtype = 't'),
          (SELECT 'CLUSTER ON ' || x.relname FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid WHERE i.indrelid = c.oid AND i.indisclustered)), ${ownerOf}
     FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")} WHERE c.relkind IN ('r', 'p', 'm') AND c.relpersistence <> 't' AND ${users} AND ${own("pg_class", "c.oid")}
      AND (c.reloptions IS NOT NULL OR c.relreplident NOT IN ('d', CASE WHEN c.relkind = 'm' THEN 'n' ELSE 'd' END)
        OR c.relam IN (SELECT oid FROM pg_catalog.pg_am WHERE amname <> 'heap' AND amtype = 't') OR EXISTS (SELECT FROM pg_catalog.pg_index i WHERE i.indrelid = c.oid AND i.indisclustered))`,
  `SELECT 'index', ${fullNameSql("xn.nspname", "x.relname")}, pg_catalog.pg_get_indexdef(x.oid), ${ownerOf}
     FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class x ON x.oid = i.indexrelid JOIN pg_catalog.pg_namespace xn ON xn.oid = x.relnamespace ${onRelation("i", "indrelid")}
    WHERE c.relispartition AND c.relkind IN ('r', 'p') AND NOT x.relispartition AND ${users}`,
  `SELECT 'constraint', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("k.conname")}, pg_catalog.pg_get_constraintdef(k.oid), ${ownerOf}
     FROM pg_catalog.pg_constraint k ${onRelation("k", "conrelid")}
    WHERE c.relispartition AND c.relkind IN ('r', 'p') AND k.contype IN ('c', 'f', 'x', 'p', 'u') AND k.conislocal AND k.coninhcount = 0 AND k.conparentid = 0 AND ${users}`,
  // NOT VALID, since PostgreSQL 18: rows that are there may break it.
  `SELECT 'constraint', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("k.conname")}, pg_catalog.pg_get_constraintdef(k.oid), ${ownerOf}
     FROM pg_catalog.pg_constraint k ${onRelation("k", "conrelid")} WHERE k.contype = 'n' AND NOT k.convalidated AND NOT c.relispartition AND ${users}`,
  `SELECT 'default', ${fullNameSql("n.nspname", "c.relname", "a.attname")}, pg_catalog.pg_get_expr(f.adbin, f.adrelid), ${ownerOf}
     FROM pg_catalog.pg_attrdef f ${onRelation("f", "adrelid")} JOIN pg_catalog.pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum
    WHERE c.relispartition AND c.relkind IN ('r', 'p') AND a.attgenerated = '' AND ${users}
      AND pg_catalog.pg_get_expr(f.adbin, f.adrelid) IS DISTINCT FROM (SELECT pg_catalog.pg_get_expr(rf.adbin, rf.adrelid) FROM pg_catalog.pg_attrdef rf JOIN pg_catalog.pg_attribute ra ON ra.attrelid = rf.adrelid AND ra.attnum = rf.adnum
            WHERE rf.adrelid = pg_catalog.pg_partition_root(c.oid)::pg_catalog.oid AND ra.attname = a.attname)`,
  `SELECT 'default', ${fullNameSql("n.nspname", "c.relname", "a.attname")}, pg_catalog.pg_get_expr(f.adbin, f.adrelid), ${ownerOf}
     FROM pg_catalog.pg_attrdef f ${onRelation("f", "adrelid")} JOIN pg_catalog.pg_attribute a ON a.attrelid = f.adrelid AND a.attnum = f.adnum WHERE c.relkind IN ('v', 'f') AND ${users} AND ${own("pg_class", "c.oid")}`,
  `SELECT 'statistics', ${fullNameSql("n.nspname", "s.stxname")}, pg_catalog.pg_get_statisticsobjdef(s.oid), s.stxrelid::int8 FROM pg_catalog.pg_statistic_ext s ${inSchema("s", "stxnamespace")} WHERE ${users}`,
];
