import { fullNameSql } from "../driver/names.ts";
import { inSchema, options, own, users } from "./object-queries.ts";
import { isPublicComment } from "./tables.ts";

/** The rarer kinds, rights, and comments: as object-queries.ts. */

/** A database may hold millions of them: they are counted, and rights on the first are named. */
const firstLarge = "(SELECT m.oid FROM pg_catalog.pg_largeobject_metadata m ORDER BY m.oid LIMIT 1000)";

const regprocedure = (column: string) => `${column}::pg_catalog.oid::pg_catalog.regprocedure::pg_catalog.text`;
/** As the server names any object, without the quotes that a plain name does not need. */
const identity = `i.type || ' ' || pg_catalog.regexp_replace(i.identity, '"([a-z_][a-z0-9_]*)"', '\\1', 'g')`;
const grantee = "CASE g.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.pg_get_userbyid(g.grantee)::pg_catalog.text END";
const privileges = (on: string) =>
  `'GRANT ' || pg_catalog.string_agg(g.privilege_type || ${on} || CASE WHEN g.is_grantable THEN ' WITH GRANT OPTION' ELSE '' END, ', ' ORDER BY g.privilege_type)`;
/** Rights on what is no relation: the server's own words for the object name it. */
const grants = (catalog: string, acl: string, owner: string) =>
  `SELECT 'grant', ${identity} || ' to ' || ${grantee}, ${privileges("''")}, NULL::int8
     FROM pg_catalog.${catalog} o CROSS JOIN LATERAL pg_catalog.aclexplode(o.${acl}) g CROSS JOIN LATERAL pg_catalog.pg_identify_object('pg_catalog.${catalog.replace("_metadata", "")}'::pg_catalog.regclass, o.oid, 0) i
    WHERE ${catalog === "pg_largeobject_metadata" ? `o.oid IN (SELECT f.oid FROM ${firstLarge} f)` : `(o.oid >= 16384${catalog === "pg_namespace" ? " OR o.nspname = 'public' AND g.grantee <> 0" : ""}) AND ${own(catalog, "o.oid")}`} AND g.grantee <> o.${owner} GROUP BY i.type, i.identity, g.grantee`;

/** `version`: server_version_num. */
export const otherQueries = (version: number): string[] => [
  `SELECT 'grant' AS kind, ${fullNameSql("n.nspname", "c.relname")} || ' to ' || ${grantee} AS name, ${privileges("''")} AS definition, c.oid::int8 AS owner
     FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")} CROSS JOIN LATERAL pg_catalog.aclexplode(c.relacl) g
    WHERE g.grantee <> c.relowner AND ${users} AND ${own("pg_class", "c.oid")} GROUP BY n.nspname, c.relname, g.grantee, c.oid`,
  `SELECT 'grant', ${fullNameSql("n.nspname", "c.relname", "a.attname")} || ' to ' || ${grantee}, ${privileges("' (' || pg_catalog.quote_ident(a.attname) || ')'")}, c.oid::int8
     FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid ${inSchema("c", "relnamespace")} CROSS JOIN LATERAL pg_catalog.aclexplode(a.attacl) g
    WHERE NOT a.attisdropped AND ${users} AND ${own("pg_class", "c.oid")} GROUP BY n.nspname, c.relname, a.attname, g.grantee, c.oid`,
  grants("pg_namespace", "nspacl", "nspowner"),
  grants("pg_proc", "proacl", "proowner"),
  grants("pg_type", "typacl", "typowner"),
  grants("pg_language", "lanacl", "lanowner"),
  grants("pg_foreign_data_wrapper", "fdwacl", "fdwowner"),
  grants("pg_foreign_server", "srvacl", "srvowner"),
  grants("pg_largeobject_metadata", "lomacl", "lomowner"),
  `SELECT 'default privileges', COALESCE(n.nspname, 'database') || ' ' || p.defaclobjtype::text || ' of ' || pg_catalog.pg_get_userbyid(p.defaclrole), p.defaclacl::text, NULL
     FROM pg_catalog.pg_default_acl p LEFT JOIN pg_catalog.pg_namespace n ON n.oid = p.defaclnamespace`,
  `SELECT 'extension', e.extname::text, 'VERSION ' || e.extversion, NULL FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql'`,
  `SELECT 'event trigger', t.evtname::text, pg_catalog.concat_ws(' ', 'ON ' || t.evtevent, 'WHEN TAG IN (' || pg_catalog.array_to_string(t.evttags, ', ') || ')',
          'EXECUTE FUNCTION ' || ${regprocedure("t.evtfoid")}, CASE t.evtenabled WHEN 'D' THEN '(disabled)' END), NULL FROM pg_catalog.pg_event_trigger t WHERE ${own("pg_event_trigger", "t.oid")}`,
  // Its settings are read as JSON, since they differ between versions.
  `SELECT 'publication', b.pubname::text, pg_catalog.concat_ws(' ', CASE WHEN b.puballtables THEN 'FOR ALL TABLES' END,
          (SELECT 'FOR TABLE ' || pg_catalog.string_agg(r.prrelid::pg_catalog.regclass::pg_catalog.text
                 || ${version < 150_000 ? "''" : "COALESCE(' WHERE (' || pg_catalog.pg_get_expr(r.prqual, r.prrelid) || ')', '')"}, ', ') FROM pg_catalog.pg_publication_rel r WHERE r.prpubid = b.oid),
          ${version < 150_000 ? "NULL" : "(SELECT 'FOR TABLES IN SCHEMA ' || pg_catalog.string_agg(s.pnnspid::pg_catalog.regnamespace::pg_catalog.text, ', ') FROM pg_catalog.pg_publication_namespace s WHERE s.pnpubid = b.oid)"},
          'WITH (' || (SELECT pg_catalog.string_agg(f.key || ' = ' || f.value, ', ') FROM pg_catalog.jsonb_each_text(pg_catalog.to_jsonb(b)) f WHERE f.key ~ '^pub(insert|update|delete|truncate|viaroot|gencols)$') || ')'), NULL
     FROM pg_catalog.pg_publication b`,
  `SELECT DISTINCT 'subscription', subname::text, '', NULL::int8 FROM pg_catalog.pg_stat_subscription WHERE relid IS NULL`,
  `SELECT 'operator', ${fullNameSql("n.nspname", "o.oprname")} || ' (' || CASE WHEN o.oprleft = 0 THEN 'NONE' ELSE pg_catalog.format_type(o.oprleft, NULL) END || ', ' || pg_catalog.format_type(o.oprright, NULL) || ')',
          pg_catalog.concat_ws(', ', 'FUNCTION = ' || ${regprocedure("NULLIF(o.oprcode::pg_catalog.oid, 0)")}, CASE WHEN o.oprcom <> 0 THEN 'COMMUTATOR = ' || o.oprcom::pg_catalog.regoperator::pg_catalog.text END,
            CASE WHEN o.oprnegate <> 0 THEN 'NEGATOR = ' || o.oprnegate::pg_catalog.regoperator::pg_catalog.text END), NULL
     FROM pg_catalog.pg_operator o ${inSchema("o", "oprnamespace")} WHERE ${users} AND ${own("pg_operator", "o.oid")}`,
  `SELECT 'operator class', ${fullNameSql("n.nspname", "o.opcname")}, pg_catalog.concat_ws(' ', CASE WHEN o.opcdefault THEN 'DEFAULT' END, 'FOR TYPE ' || pg_catalog.format_type(o.opcintype, NULL), 'USING ' || m.amname,
          'AS ' || (SELECT pg_catalog.string_agg('OPERATOR ' || w.amopstrategy || ' ' || w.amopopr::pg_catalog.regoperator::pg_catalog.text, ', ' ORDER BY w.amopstrategy) FROM pg_catalog.pg_amop w WHERE w.amopfamily = o.opcfamily)), NULL
     FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod ${inSchema("o", "opcnamespace")} WHERE ${users} AND ${own("pg_opclass", "o.oid")}`,
  `SELECT 'operator family', ${fullNameSql("n.nspname", "o.opfname")}, 'USING ' || m.amname, NULL FROM pg_catalog.pg_opfamily o JOIN pg_catalog.pg_am m ON m.oid = o.opfmethod ${inSchema("o", "opfnamespace")} WHERE ${users} AND ${own("pg_opfamily", "o.oid")}`,
  `SELECT 'collation', ${fullNameSql("n.nspname", "o.collname")}, pg_catalog.concat_ws(', ', '(PROVIDER = ' || CASE o.collprovider WHEN 'i' THEN 'icu' WHEN 'b' THEN 'builtin' ELSE 'libc' END,
          'LOCALE = ' || pg_catalog.quote_literal(COALESCE(pg_catalog.to_jsonb(o) ->> 'colllocale', pg_catalog.to_jsonb(o) ->> 'colliculocale', o.collcollate)), 'DETERMINISTIC = ' || o.collisdeterministic) || ')', NULL
     FROM pg_catalog.pg_collation o ${inSchema("o", "collnamespace")} WHERE ${users} AND ${own("pg_collation", "o.oid")}`,
  `SELECT 'conversion', ${fullNameSql("n.nspname", "o.conname")}, 'FOR ' || pg_catalog.pg_encoding_to_char(o.conforencoding) || ' TO ' || pg_catalog.pg_encoding_to_char(o.contoencoding) || ' FROM ' || ${regprocedure("o.conproc")}, NULL
     FROM pg_catalog.pg_conversion o ${inSchema("o", "connamespace")} WHERE ${users} AND ${own("pg_conversion", "o.oid")}`,
  `SELECT 'text search configuration', ${fullNameSql("n.nspname", "o.cfgname")}, pg_catalog.concat_ws(', ', '(PARSER = ' || (SELECT p.prsname FROM pg_catalog.pg_ts_parser p WHERE p.oid = o.cfgparser) || ')',
          (SELECT pg_catalog.string_agg('MAPPING FOR ' || w.token || ' WITH ' || w.dictionaries, ', ') FROM (SELECT t.alias AS token, pg_catalog.string_agg(m.mapdict::pg_catalog.regdictionary::pg_catalog.text, ', ' ORDER BY m.mapseqno) AS dictionaries
             FROM pg_catalog.pg_ts_config_map m JOIN pg_catalog.ts_token_type(o.cfgparser) t ON t.tokid = m.maptokentype WHERE m.mapcfg = o.oid GROUP BY t.alias) w)), NULL
     FROM pg_catalog.pg_ts_config o ${inSchema("o", "cfgnamespace")} WHERE ${users} AND ${own("pg_ts_config", "o.oid")}`,
  `SELECT 'text search dictionary', ${fullNameSql("n.nspname", "o.dictname")}, pg_catalog.concat_ws(', ', '(TEMPLATE = ' || (SELECT t.tmplname FROM pg_catalog.pg_ts_template t WHERE t.oid = o.dicttemplate), o.dictinitoption) || ')', NULL
     FROM pg_catalog.pg_ts_dict o ${inSchema("o", "dictnamespace")} WHERE ${users} AND ${own("pg_ts_dict", "o.oid")}`,
  `SELECT 'text search template', ${fullNameSql("n.nspname", "o.tmplname")}, '(LEXIZE = ' || o.tmpllexize::pg_catalog.text || ')', NULL FROM pg_catalog.pg_ts_template o ${inSchema("o", "tmplnamespace")} WHERE ${users} AND ${own("pg_ts_template", "o.oid")}`,
  `SELECT 'text search parser', ${fullNameSql("n.nspname", "o.prsname")}, '(START = ' || o.prsstart::pg_catalog.text || ', GETTOKEN = ' || o.prstoken::pg_catalog.text || ')', NULL
     FROM pg_catalog.pg_ts_parser o ${inSchema("o", "prsnamespace")} WHERE ${users} AND ${own("pg_ts_parser", "o.oid")}`,
  `SELECT 'cast', pg_catalog.format_type(k.castsource, NULL) || ' AS ' || pg_catalog.format_type(k.casttarget, NULL), CASE k.castmethod WHEN 'f' THEN 'WITH FUNCTION ' || ${regprocedure("k.castfunc")} WHEN 'i' THEN 'WITH INOUT' ELSE 'WITHOUT FUNCTION' END
          || CASE k.castcontext WHEN 'a' THEN ' AS ASSIGNMENT' WHEN 'i' THEN ' AS IMPLICIT' ELSE '' END, NULL FROM pg_catalog.pg_cast k WHERE k.oid >= 16384 AND ${own("pg_cast", "k.oid")}`,
  `SELECT 'transform', pg_catalog.format_type(t.trftype, NULL) || ' for ' || l.lanname, '', NULL FROM pg_catalog.pg_transform t JOIN pg_catalog.pg_language l ON l.oid = t.trflang WHERE ${own("pg_transform", "t.oid")}`,
  `SELECT 'access method', m.amname::text, 'TYPE ' || CASE m.amtype WHEN 't' THEN 'TABLE' ELSE 'INDEX' END || ' HANDLER ' || m.amhandler::pg_catalog.text, NULL FROM pg_catalog.pg_am m WHERE m.oid >= 16384 AND ${own("pg_am", "m.oid")}`,
  `SELECT 'server', s.srvname::text, pg_catalog.concat_ws(' ', 'TYPE ' || pg_catalog.quote_literal(s.srvtype), 'VERSION ' || pg_catalog.quote_literal(s.srvversion), 'FOREIGN DATA WRAPPER ' || f.fdwname, ${options("s.srvoptions")}), NULL
     FROM pg_catalog.pg_foreign_server s JOIN pg_catalog.pg_foreign_data_wrapper f ON f.oid = s.srvfdw WHERE ${own("pg_foreign_server", "s.oid")}`,
  `SELECT 'foreign data wrapper', f.fdwname::text, ${options("f.fdwoptions")}, NULL FROM pg_catalog.pg_foreign_data_wrapper f WHERE ${own("pg_foreign_data_wrapper", "f.oid")}`,
  // Without its options, which hold passwords.
  `SELECT 'user mapping', u.srvname || ' ' || COALESCE(u.usename, 'public'), '', NULL FROM pg_catalog.pg_user_mappings u`,
  `SELECT 'language', l.lanname::text, 'HANDLER ' || ${regprocedure("l.lanplcallfoid")}, NULL FROM pg_catalog.pg_language l WHERE l.lanispl AND l.lanname <> 'plpgsql' AND ${own("pg_language", "l.oid")}`,
  `SELECT 'large object', 'all ' || pg_catalog.count(*), pg_catalog.count(*) || ' large objects', NULL FROM pg_catalog.pg_largeobject_metadata HAVING pg_catalog.count(*) > 0`,
  // Those of tables and their columns are copied, those of indexes with the index.
  `SELECT 'comment', ${identity}, w.description, NULL
     FROM pg_catalog.pg_description w CROSS JOIN LATERAL pg_catalog.pg_identify_object(w.classoid, w.objoid, w.objsubid) i
    WHERE (w.objoid >= 16384 OR ${isPublicComment("w")}) AND w.classoid <> 'pg_catalog.pg_extension'::pg_catalog.regclass
      AND NOT (w.classoid = 'pg_catalog.pg_class'::pg_catalog.regclass AND (SELECT c.relkind FROM pg_catalog.pg_class c WHERE c.oid = w.objoid) IN ('r', 'p', 'm', 'i', 'I'))
      AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = w.classoid AND d.objid = w.objoid AND d.deptype = 'e')`,
  `SELECT 'comment', 'large object ' || w.objoid, w.description, NULL FROM pg_catalog.pg_description w WHERE w.classoid = 'pg_catalog.pg_largeobject'::pg_catalog.regclass AND w.objoid < 16384`,
  `SELECT 'comment', 'database', w.description, NULL FROM pg_catalog.pg_shdescription w
    WHERE w.classoid = 'pg_catalog.pg_database'::pg_catalog.regclass AND w.objoid = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())`,
  `SELECT 'security label', ${identity}, l.provider || ': ' || l.label, NULL FROM pg_catalog.pg_seclabel l CROSS JOIN LATERAL pg_catalog.pg_identify_object(l.classoid, l.objoid, l.objsubid) i`,
  `SELECT 'database setting', CASE WHEN s.setrole <> 0 THEN 'for role ' || pg_catalog.pg_get_userbyid(s.setrole) || ': ' ELSE '' END || pg_catalog.split_part(c, '=', 1), c, NULL
     FROM pg_catalog.pg_db_role_setting s CROSS JOIN LATERAL pg_catalog.unnest(s.setconfig) c
    WHERE s.setdatabase = (SELECT oid FROM pg_catalog.pg_database WHERE datname = pg_catalog.current_database())`,
];
