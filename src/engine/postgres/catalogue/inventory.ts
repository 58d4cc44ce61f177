import { createPacked, type Packed } from "../../run/memory/packed.ts";
import { releaseMemory } from "../../run/memory/release.ts";
import type { Session } from "../driver/connection.ts";
import { fullNameSql, partSql } from "../driver/names.ts";
import { ofUsers } from "./tables.ts";

/**
 * Every object of a database, read from the catalogues and so independent of what pg_dump listed and of what was run:
 * the same query on both sides, compared by kind and name.
 */

export interface Thing {
  kind: string;
  /** As full-name.ts writes it: for a person, and for comparing. */
  name: string;
  /** What it is in particular, as the server writes it (same-text.ts). */
  detail: string;
  /** The relation that it belongs to, as that one is named. */
  relation?: string | null;
}

/** Without large objects (large-object-names.ts), and the things of extensions, which come with these. `without` holds keys of things to leave out. */
export async function readInventory(session: Session, without: ReadonlySet<string>): Promise<Thing[]> {
  const things = await session.query<Thing>(inventorySql(session));
  return things.filter((thing) => !without.has(thingKey(thing)));
}

/** Rows of an answer. */
const atOnce = 2_000;

/** The same in the open transaction, without all of it in memory at once. */
export async function packInventory(session: Session, without: ReadonlySet<string>): Promise<Packed<Thing>> {
  const things = createPacked<Thing>();
  await session.run(`DECLARE inventory NO SCROLL CURSOR FOR ${inventorySql(session)}`);
  for (;;) {
    const some = await session.query<Thing>(`FETCH ${atOnce} FROM inventory`);
    things.push(...some.filter((thing) => !without.has(thingKey(thing))));
    if (some.length < atOnce) break;
    // Meanwhile pg_dump may take half of a worker's container.
    await releaseMemory();
  }
  await session.run("CLOSE inventory");
  return things;
}

/** In this order, then by name; columns last, as they stand in their relation. */
const kindOrder = [
  ...["table", "view", "materialized view", "sequence", "foreign table", "type", "index", "constraint", "trigger"],
  ...["rule", "policy", "schema", "domain", "aggregate", "procedure", "function", "extension"],
];

function inventorySql(session: Session): string {
  const [major, since] = [
    Math.floor(session.version / 10_000),
    (version: number, text: string) => (session.version >= version * 10_000 ? text : "''"),
  ];
  const kind = major >= 11 ? "p.prokind" : "CASE WHEN p.proisagg THEN 'a' ELSE 'f' END";
  const generated = since(12, "a.attgenerated::text");
  // A foreign key of or to a partitioned table has copies for its partitions, which the server names as it likes.
  const clone = major >= 11 ? "NOT (o.contype = 'f' AND o.conparentid <> 0)" : "true";
  // So has a trigger of a partitioned table.
  const clonedTrigger = major >= 13 ? "AND t.tgparentid = 0" : "";
  const own = (catalog: string, oid: string) =>
    `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype = 'e')`;
  // A composite type is its extension's as a type, not as a relation.
  const ownRelation = `${own("pg_class", "c.oid")} AND (c.relkind <> 'c' OR ${own("pg_type", "c.reltype")})`;
  const inSchema = (alias: string, column: string) => `JOIN pg_catalog.pg_namespace n ON n.oid = ${alias}.${column}`;
  const users = ofUsers("n.nspname");
  /** They name the relation that they belong to as well. */
  const ofRelations = [
    `SELECT CASE c.relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                 WHEN 'S' THEN 'sequence' WHEN 'f' THEN 'foreign table' WHEN 'c' THEN 'type' ELSE 'index' END,
            ${fullNameSql("n.nspname", "c.relname")},
            CASE WHEN c.relkind IN ('i', 'I') THEN pg_catalog.pg_get_indexdef(c.oid)
                 WHEN c.relkind IN ('v', 'm') THEN pg_catalog.pg_get_viewdef(c.oid)
                 ELSE pg_catalog.concat_ws(' ', CASE c.relkind WHEN 'p' THEN 'PARTITION BY ' || pg_catalog.pg_get_partkeydef(c.oid) END,
                      pg_catalog.pg_get_expr(c.relpartbound, c.oid), c.relpersistence::text, c.relrowsecurity::text,
                      (SELECT pg_catalog.concat_ws(' ', pg_catalog.format_type(q.seqtypid, NULL), 'START', q.seqstart, 'INCREMENT', q.seqincrement, 'MIN', q.seqmin,
                         'MAX', q.seqmax, 'CACHE', q.seqcache, CASE WHEN q.seqcycle THEN 'CYCLE' END) FROM pg_catalog.pg_sequence q WHERE q.seqrelid = c.oid)) END,
            COALESCE((SELECT r.relname FROM pg_catalog.pg_index i JOIN (SELECT t.oid, ${fullNameSql("tn.nspname", "t.relname")} AS relname FROM pg_catalog.pg_class t
                        JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace) r ON r.oid = i.indrelid WHERE i.indexrelid = c.oid),
                     (SELECT ${fullNameSql("tn.nspname", "t.relname")} FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class t ON t.oid = d.refobjid
                        JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace
                       WHERE c.relkind = 'S' AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')
                         AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjsubid > 0 LIMIT 1))
       FROM pg_catalog.pg_class c ${inSchema("c", "relnamespace")}
      WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f', 'c', 'i', 'I') AND c.relpersistence <> 't' AND ${users} AND ${ownRelation}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_index i JOIN pg_catalog.pg_depend d ON d.objid = i.indrelid AND d.deptype = 'e' AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass WHERE i.indexrelid = c.oid)`,
    `SELECT 'constraint', ${fullNameSql("n.nspname", "COALESCE(c.relname, t.typname)")} || ' ' || ${partSql("o.conname")}, pg_catalog.pg_get_constraintdef(o.oid),
            CASE WHEN c.oid IS NOT NULL THEN ${fullNameSql("n.nspname", "c.relname")} END
       FROM pg_catalog.pg_constraint o LEFT JOIN pg_catalog.pg_class c ON c.oid = o.conrelid LEFT JOIN pg_catalog.pg_type t ON t.oid = o.contypid
            ${inSchema("o", "connamespace")}
      WHERE o.contype NOT IN ('n', 't') AND ${clone} AND ${users} AND ${own("pg_constraint", "o.oid")} AND ${own("pg_class", "COALESCE(c.oid, 0)")}
        AND ${own("pg_type", "COALESCE(t.oid, 0)")}`,
    `SELECT 'trigger', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("t.tgname")}, pg_catalog.pg_get_triggerdef(t.oid) || ' ' || t.tgenabled::text, ${fullNameSql("n.nspname", "c.relname")}
       FROM pg_catalog.pg_trigger t JOIN pg_catalog.pg_class c ON c.oid = t.tgrelid ${inSchema("c", "relnamespace")} WHERE NOT t.tgisinternal ${clonedTrigger} AND ${users}`,
    `SELECT 'rule', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("r.rulename")}, pg_catalog.pg_get_ruledef(r.oid) || ' ' || r.ev_enabled::text, ${fullNameSql("n.nspname", "c.relname")}
       FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_class c ON c.oid = r.ev_class ${inSchema("c", "relnamespace")}
      WHERE r.rulename <> '_RETURN' AND ${users} AND ${own("pg_class", "c.oid")}`,
    `SELECT 'policy', ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("p.polname")}, pg_catalog.concat_ws(' ', p.polcmd::text, p.polpermissive::text,
            pg_catalog.pg_get_expr(p.polqual, p.polrelid), pg_catalog.pg_get_expr(p.polwithcheck, p.polrelid)), ${fullNameSql("n.nspname", "c.relname")}
       FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class c ON c.oid = p.polrelid ${inSchema("c", "relnamespace")} WHERE ${users}`,
  ];
  const alone = [
    `SELECT 'schema', n.nspname::text, '' FROM pg_catalog.pg_namespace n WHERE ${users} AND ${own("pg_namespace", "n.oid")}`,
    `SELECT CASE t.typtype WHEN 'd' THEN 'domain' ELSE 'type' END, ${fullNameSql("n.nspname", "t.typname")},
            pg_catalog.concat_ws(' ', t.typtype::text, CASE t.typtype WHEN 'd' THEN pg_catalog.format_type(t.typbasetype, t.typtypmod) END, pg_catalog.pg_get_expr(t.typdefaultbin, 0),
              (SELECT pg_catalog.string_agg(pg_catalog.quote_literal(e.enumlabel), ',' ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = t.oid))
       FROM pg_catalog.pg_type t ${inSchema("t", "typnamespace")}
      WHERE t.typtype IN ('d', 'e', 'r', 'b') AND NOT (t.typtype = 'b' AND t.typelem <> 0 AND t.typlen = -1) AND ${users} AND ${own("pg_type", "t.oid")}`,
    `SELECT CASE ${kind} WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END,
            ${fullNameSql("n.nspname", "p.proname")} || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')',
            CASE WHEN ${kind} = 'a' THEN pg_catalog.pg_get_function_result(p.oid) ELSE pg_catalog.pg_get_functiondef(p.oid) END
       FROM pg_catalog.pg_proc p ${inSchema("p", "pronamespace")} WHERE ${users} AND ${own("pg_proc", "p.oid")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'i')`,
    `SELECT 'extension', e.extname::text, n.nspname::text FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace WHERE e.extname <> 'plpgsql'`,
    `SELECT 'event trigger', evtname::text, evtevent::text FROM pg_catalog.pg_event_trigger t WHERE ${own("pg_event_trigger", "t.oid")}`,
    `SELECT 'publication', pubname::text, '' FROM pg_catalog.pg_publication`,
    `SELECT 'statistics', ${fullNameSql("n.nspname", "s.stxname")}, pg_catalog.pg_get_statisticsobjdef(s.oid) FROM pg_catalog.pg_statistic_ext s ${inSchema("s", "stxnamespace")} WHERE ${users}`,
    `SELECT 'operator', ${fullNameSql("n.nspname", "o.oprname")} || ' (' || pg_catalog.format_type(o.oprleft, NULL) || ', ' || pg_catalog.format_type(o.oprright, NULL) || ')', ''
       FROM pg_catalog.pg_operator o ${inSchema("o", "oprnamespace")} WHERE ${users} AND ${own("pg_operator", "o.oid")}`,
    `SELECT 'operator class', ${fullNameSql("n.nspname", "o.opcname")} || ' ' || ${partSql("m.amname")}, '' FROM pg_catalog.pg_opclass o JOIN pg_catalog.pg_am m ON m.oid = o.opcmethod
            ${inSchema("o", "opcnamespace")} WHERE ${users} AND ${own("pg_opclass", "o.oid")}`,
    `SELECT 'operator family', ${fullNameSql("n.nspname", "o.opfname")} || ' ' || ${partSql("m.amname")}, '' FROM pg_catalog.pg_opfamily o JOIN pg_catalog.pg_am m ON m.oid = o.opfmethod
            ${inSchema("o", "opfnamespace")} WHERE ${users} AND ${own("pg_opfamily", "o.oid")}`,
    `SELECT 'access method', o.amname::text, '' FROM pg_catalog.pg_am o WHERE o.oid >= 16384 AND ${own("pg_am", "o.oid")}`,
    `SELECT 'text search parser', ${fullNameSql("n.nspname", "o.prsname")}, '' FROM pg_catalog.pg_ts_parser o ${inSchema("o", "prsnamespace")} WHERE ${users} AND ${own("pg_ts_parser", "o.oid")}`,
    `SELECT 'text search template', ${fullNameSql("n.nspname", "o.tmplname")}, '' FROM pg_catalog.pg_ts_template o ${inSchema("o", "tmplnamespace")} WHERE ${users} AND ${own("pg_ts_template", "o.oid")}`,
    `SELECT 'collation', ${fullNameSql("n.nspname", "o.collname")}, '' FROM pg_catalog.pg_collation o ${inSchema("o", "collnamespace")} WHERE ${users} AND ${own("pg_collation", "o.oid")}`,
    `SELECT 'conversion', ${fullNameSql("n.nspname", "o.conname")}, '' FROM pg_catalog.pg_conversion o ${inSchema("o", "connamespace")} WHERE ${users} AND ${own("pg_conversion", "o.oid")}`,
    `SELECT 'text search configuration', ${fullNameSql("n.nspname", "o.cfgname")}, '' FROM pg_catalog.pg_ts_config o ${inSchema("o", "cfgnamespace")} WHERE ${users} AND ${own("pg_ts_config", "o.oid")}`,
    `SELECT 'text search dictionary', ${fullNameSql("n.nspname", "o.dictname")}, '' FROM pg_catalog.pg_ts_dict o ${inSchema("o", "dictnamespace")} WHERE ${users} AND ${own("pg_ts_dict", "o.oid")}`,
    `SELECT 'cast', pg_catalog.format_type(k.castsource, NULL) || ' AS ' || pg_catalog.format_type(k.casttarget, NULL), ''
       FROM pg_catalog.pg_cast k WHERE k.oid >= 16384 AND ${own("pg_cast", "k.oid")}`,
    `SELECT 'server', s.srvname::text, '' FROM pg_catalog.pg_foreign_server s WHERE ${own("pg_foreign_server", "s.oid")}`,
    `SELECT 'foreign data wrapper', f.fdwname::text, '' FROM pg_catalog.pg_foreign_data_wrapper f WHERE ${own("pg_foreign_data_wrapper", "f.oid")}`,
    `SELECT 'user mapping', ${partSql("u.srvname")} || ' ' || ${partSql("COALESCE(u.usename, 'public')")}, '' FROM pg_catalog.pg_user_mappings u`,
    `SELECT 'language', l.lanname::text, '' FROM pg_catalog.pg_language l WHERE l.lanispl AND l.lanname <> 'plpgsql' AND ${own("pg_language", "l.oid")}`,
  ];
  const columns = `SELECT 'column', ${fullNameSql("n.nspname", "c.relname", "a.attname")},
            pg_catalog.concat_ws(' ', pg_catalog.format_type(a.atttypid, a.atttypmod), CASE WHEN a.attnotnull THEN 'NOT NULL' END,
              ${since(10, "a.attidentity::text")}, ${generated}, (SELECT o.collname FROM pg_catalog.pg_collation o WHERE o.oid = a.attcollation),
              (SELECT pg_catalog.pg_get_expr(f.adbin, f.adrelid) FROM pg_catalog.pg_attrdef f WHERE f.adrelid = a.attrelid AND f.adnum = a.attnum)), ${fullNameSql("n.nspname", "c.relname")}, a.attnum
       FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid ${inSchema("c", "relnamespace")}
      WHERE a.attnum > 0 AND NOT a.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f', 'c') AND c.relpersistence <> 't' AND ${users} AND ${ownRelation}`;
  const [relations = "", ...others] = ofRelations.map((part) => `SELECT x.*, 0 FROM (${part}) x`);
  const rows = [relations, columns, ...others, ...alone.map((part) => `SELECT x.*, NULL, 0 FROM (${part}) x`)];
  const place = `pg_catalog.array_position(ARRAY[${kindOrder.map((one) => `'${one}'`).join(", ")}], kind::pg_catalog.text)`;
  return `SELECT kind, name, COALESCE(detail, '') AS detail, relation FROM (${rows.join(" UNION ALL ")}) things(kind, name, detail, relation, place)
      ORDER BY place > 0, ${place}, kind, CASE WHEN place > 0 THEN relation ELSE name END COLLATE "C", place`;
}

/** `kind name`, by which both sides are compared: no two things of a database have one. */
export const thingKey = ({ kind, name }: Pick<Thing, "kind" | "name">) => `${kind} ${name}`;
