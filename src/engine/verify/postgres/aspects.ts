import type { Session } from "../../postgres/driver/connection.ts";
import { fullNameSql, partSql } from "../../postgres/driver/names.ts";
import { aloneAspects } from "./alone.ts";
import { type Aspect, each, inSchema } from "./each.ts";

/**
 * What PostgreSQL's catalogues tell of objects beyond the copy's inventory: each particular by its own name, so that a
 * difference can be named without showing a text. What belongs to no relation: alone.ts; owners and rights:
 * rights.ts.
 */

const relation = fullNameSql("n.nspname", "c.relname");
const relationKind =
  "CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' WHEN 'i' THEN 'index' WHEN 'I' THEN 'index' WHEN 'S' THEN 'sequence' ELSE 'table' END";

const ownerOfSequence = `CASE WHEN c.relkind = 'S' THEN (SELECT ${fullNameSql("tn.nspname", "t.relname", "k.attname")} FROM pg_catalog.pg_depend d
    JOIN pg_catalog.pg_class t ON t.oid = d.refobjid JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace
    JOIN pg_catalog.pg_attribute k ON k.attrelid = t.oid AND k.attnum = d.refobjsubid
   WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i')
     AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjsubid > 0 LIMIT 1) END`;
/** Of a view: what tells a query from another one, whatever the versions of the servers that wrote the two. */
const readByQuery = `CASE WHEN c.relkind IN ('v', 'm') THEN (SELECT pg_catalog.string_agg(DISTINCT ${fullNameSql("tn.nspname", "t.relname")} COLLATE "C", ',')
    FROM pg_catalog.pg_rewrite r JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND d.objid = r.oid
    JOIN pg_catalog.pg_class t ON t.oid = d.refobjid AND d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass
    JOIN pg_catalog.pg_namespace tn ON tn.oid = t.relnamespace WHERE r.ev_class = c.oid AND r.rulename = '_RETURN' AND t.oid <> c.oid) END`;
/** Of a partition: triggers of its parent that are on or off there in another way than on the parent. */
const clonesOtherwise =
  "(SELECT pg_catalog.string_agg(g.tgname || ' ' || g.tgenabled::pg_catalog.text, ',' ORDER BY g.tgname) FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_trigger m ON m.oid = g.tgparentid WHERE g.tgrelid = c.oid AND g.tgenabled <> m.tgenabled)";

/** Of a foreign key: whether its own triggers fire, which ALTER TABLE … DISABLE TRIGGER ALL ends. */
export const enforcement = "enforcement";
const enforced =
  "(SELECT COALESCE(pg_catalog.string_agg(DISTINCT CASE g.tgenabled WHEN 'D' THEN 'off' WHEN 'R' THEN 'on replicas alone' ELSE 'always' END, ', ') FILTER (WHERE g.tgenabled <> 'O'), 'on') FROM pg_catalog.pg_trigger g WHERE g.tgconstraint = o.oid AND g.tgisinternal)";

/** The copy restores with `quote_all_identifiers`, which stores quoted names in settings that hold lists of names. */
const settings =
  "(SELECT pg_catalog.string_agg(CASE WHEN s ~ '^(search_path|temp_tablespaces|(local|session)_preload_libraries)=' THEN pg_catalog.regexp_replace(s, '\"([a-z_][a-z0-9_]*)\"', '\\1', 'g') ELSE s END, ',' ORDER BY pg_catalog.split_part(s, '=', 1)) FROM pg_catalog.unnest(p.proconfig) s)";

export async function readAspects(session: Session, without: readonly string[]): Promise<Aspect[]> {
  const since = (major: number, text: string, otherwise = "NULL") =>
    session.version >= major * 10_000 ? text : otherwise;
  const prokind = since(11, "p.prokind", "CASE WHEN p.proisagg THEN 'a' ELSE 'f' END");
  const functionName = `${fullNameSql("n.nspname", "p.proname")} || '(' || pg_catalog.oidvectortypes(p.proargtypes) || ')'`;
  const plainIndex = "i.indexprs IS NULL AND i.indpred IS NULL";
  const parts = [
    each(
      relationKind,
      relation,
      [
        ["enforced row security", "CASE WHEN c.relkind IN ('r', 'p') THEN c.relforcerowsecurity END", true],
        ["options", "(SELECT pg_catalog.string_agg(o, ',' ORDER BY o) FROM pg_catalog.unnest(c.reloptions) o)", true],
        [
          "options of its TOAST table",
          "(SELECT pg_catalog.string_agg(o, ',' ORDER BY o) FROM pg_catalog.pg_class x CROSS JOIN LATERAL pg_catalog.unnest(x.reloptions) o WHERE x.oid = c.reltoastrelid)",
          true,
        ],
        ["owning column", ownerOfSequence, true],
        ["state of triggers", since(13, clonesOtherwise), true],
        ["replica identity", "CASE WHEN c.relkind IN ('r', 'p') THEN c.relreplident END", true],
        ["state (filled or not)", "CASE WHEN c.relkind = 'm' THEN c.relispopulated END", true],
        ["row security", "CASE WHEN c.relkind IN ('r', 'p') THEN c.relrowsecurity END", true],
        ["list of relations that its query reads", readByQuery, true],
        [
          "list of parents",
          "(SELECT pg_catalog.string_agg(h.inhparent::pg_catalog.regclass::pg_catalog.text, ',' ORDER BY h.inhseqno) FROM pg_catalog.pg_inherits h WHERE h.inhrelid = c.oid)",
          true,
        ],
        [
          "definition",
          "(SELECT pg_catalog.md5(pg_catalog.concat_ws(' ', s.srvname, f.ftoptions)) FROM pg_catalog.pg_foreign_table f JOIN pg_catalog.pg_foreign_server s ON s.oid = f.ftserver WHERE f.ftrelid = c.oid)",
          true,
        ],
      ],
      `pg_catalog.pg_class c ${inSchema("c", "relnamespace")}`,
    ),
    each(
      "'index'",
      relation,
      [
        ["validity", "i.indisvalid", true],
        ["mark of clustering", "i.indisclustered", true],
        [
          "statistics targets",
          "(SELECT pg_catalog.string_agg(k.attnum || ' ' || k.attstattarget, ',' ORDER BY k.attnum) FROM pg_catalog.pg_attribute k WHERE k.attrelid = c.oid AND k.attstattarget >= 0)",
          true,
        ],
        ["part in the replica identity", "i.indisreplident", true],
        ["definition", `CASE WHEN ${plainIndex} THEN pg_catalog.pg_get_indexdef(c.oid) END`, true],
      ],
      `pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid ${inSchema("c", "relnamespace")}`,
    ),
    each(
      "'column'",
      fullNameSql("n.nspname", "c.relname", "k.attname"),
      [
        // A word that one version reserves is quoted by that one alone.
        ["type", "pg_catalog.replace(pg_catalog.format_type(k.atttypid, k.atttypmod), '\"', '')", true],
        ["nullability", "k.attnotnull", true],
        [
          "collation",
          "(SELECT o.collname FROM pg_catalog.pg_collation o WHERE o.oid = k.attcollation AND o.oid <> 100)",
          true,
        ],
        ["identity", since(10, "k.attidentity"), true],
        ["storage", "k.attstorage", true],
        ["compression", since(14, "k.attcompression"), since(14, "true") === "true"],
        ["statistics target", "CASE WHEN k.attstattarget >= 0 THEN k.attstattarget END", true],
        ["options", "k.attoptions", true],
        ["options of the foreign table", "pg_catalog.md5(k.attfdwoptions::pg_catalog.text)", true],
        [
          "position",
          "CASE WHEN c.relkind IN ('r', 'p') THEN (SELECT pg_catalog.count(*) FROM pg_catalog.pg_attribute b WHERE b.attrelid = k.attrelid AND b.attnum > 0 AND b.attnum <= k.attnum AND NOT b.attisdropped) END",
          true,
        ],
      ],
      `pg_catalog.pg_attribute k JOIN pg_catalog.pg_class c ON c.oid = k.attrelid AND k.attnum > 0 AND NOT k.attisdropped ${inSchema("c", "relnamespace")}`,
    ),
    each(
      "'constraint'",
      `${relation} || ' ' || ${partSql("o.conname")}`,
      [
        ["definition", "CASE WHEN o.contype IN ('f', 'p', 'u') THEN pg_catalog.pg_get_constraintdef(o.oid) END", true],
        [enforcement, `CASE WHEN o.contype = 'f' THEN ${enforced} END`, true],
      ],
      `pg_catalog.pg_constraint o JOIN pg_catalog.pg_class c ON c.oid = o.conrelid ${inSchema("o", "connamespace")}`,
    ),
    each(
      "'policy'",
      `${relation} || ' ' || ${partSql("p.polname")}`,
      [
        [
          "list of roles",
          "(SELECT pg_catalog.string_agg(CASE r WHEN 0 THEN 'public' ELSE pg_catalog.pg_get_userbyid(r) END, ',' ORDER BY 1) FROM pg_catalog.unnest(p.polroles) r)",
          true,
        ],
      ],
      `pg_catalog.pg_policy p JOIN pg_catalog.pg_class c ON c.oid = p.polrelid ${inSchema("c", "relnamespace")}`,
    ),
    each(
      `CASE ${prokind} WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END`,
      functionName,
      [
        ["body", "pg_catalog.md5(p.prosrc)", true],
        ["settings", settings, true],
        ["definition", `CASE WHEN ${prokind} <> 'a' THEN pg_catalog.pg_get_functiondef(p.oid) END`, false],
        [
          "definition",
          "(SELECT pg_catalog.concat_ws(' ', g.aggtransfn, g.aggfinalfn, g.aggcombinefn, g.aggtranstype::pg_catalog.regtype, g.agginitval, g.aggkind) FROM pg_catalog.pg_aggregate g WHERE g.aggfnoid = p.oid)",
          true,
        ],
      ],
      `pg_catalog.pg_proc p ${inSchema("p", "pronamespace")} AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'`,
    ),
    each(
      "CASE t.typtype WHEN 'd' THEN 'domain' ELSE 'type' END",
      fullNameSql("n.nspname", "t.typname"),
      [
        ["nullability", "t.typnotnull", true],
        ["collation", "(SELECT o.collname FROM pg_catalog.pg_collation o WHERE o.oid = t.typcollation)", true],
        [
          "subtype",
          "(SELECT r.rngsubtype::pg_catalog.regtype FROM pg_catalog.pg_range r WHERE r.rngtypid = t.oid)",
          true,
        ],
      ],
      `pg_catalog.pg_type t ${inSchema("t", "typnamespace")}`,
    ),
    ...aloneAspects(since, without),
  ];
  return session.query<Aspect>(
    `SELECT kind, name, aspect, COALESCE(value, '') AS value, settled FROM (${parts.join(" UNION ALL ")}) all_of(kind, name, aspect, value, settled)`,
  );
}
