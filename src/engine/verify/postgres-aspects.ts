import type { Session } from "../postgres/connection.ts";
import { fullNameSql, partSql } from "../postgres/names.ts";

/**
 * What PostgreSQL's catalogues tell of objects beyond the copy's inventory: each particular by its own name, so that a
 * difference can be named without showing a text. Owners and rights: postgres-rights.ts.
 */

export interface Aspect {
  kind: string;
  /** As the inventory names the object. */
  name: string;
  /** As in `its … differs`. */
  aspect: string;
  value: string;
  /** Servers of every version write it alike. */
  settled: boolean;
}

const inSchema = (alias: string, column: string) => `JOIN pg_catalog.pg_namespace n ON n.oid = ${alias}.${column}`;
const relation = fullNameSql("n.nspname", "c.relname");
const relationKind =
  "CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' WHEN 'i' THEN 'index' WHEN 'I' THEN 'index' ELSE 'table' END";

/** One row of several particulars: `[name, SQL of a text, settled]`. */
const each = (kind: string, name: string, aspects: readonly [string, string, boolean][], from: string): string =>
  `SELECT ${kind}, ${name}, a.* FROM ${from} CROSS JOIN LATERAL (VALUES ${aspects
    .map(([aspect, value, settled]) => `('${aspect}', (${value})::pg_catalog.text, ${settled})`)
    .join(", ")}) a`;

export async function readAspects(session: Session): Promise<Aspect[]> {
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
        ["replica identity", "CASE WHEN c.relkind IN ('r', 'p') THEN c.relreplident END", true],
        ["state (filled or not)", "CASE WHEN c.relkind = 'm' THEN c.relispopulated END", true],
        ["row security", "CASE WHEN c.relkind IN ('r', 'p') THEN c.relrowsecurity END", true],
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
      [["definition", "CASE WHEN o.contype IN ('f', 'p', 'u') THEN pg_catalog.pg_get_constraintdef(o.oid) END", true]],
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
        ["settings", "p.proconfig", true],
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
    each(
      "'event trigger'",
      "t.evtname::pg_catalog.text",
      [
        ["function", "t.evtfoid::pg_catalog.regprocedure", true],
        ["state (enabled or not)", "t.evtenabled", true],
        ["list of tags", "t.evttags", true],
      ],
      "pg_catalog.pg_event_trigger t",
    ),
    each(
      "'statistics'",
      fullNameSql("n.nspname", "s.stxname"),
      [["definition", since(10, "pg_catalog.pg_get_statisticsobjdef(s.oid)"), false]],
      `pg_catalog.pg_statistic_ext s ${inSchema("s", "stxnamespace")}`,
    ),
    each(
      "'publication'",
      "p.pubname::pg_catalog.text",
      [
        ["definition", "pg_catalog.to_jsonb(p) - 'oid' - 'pubowner'", false],
        [
          "list of tables",
          "(SELECT pg_catalog.string_agg(r.prrelid::pg_catalog.regclass::pg_catalog.text, ',' ORDER BY r.prrelid::pg_catalog.regclass::pg_catalog.text) FROM pg_catalog.pg_publication_rel r WHERE r.prpubid = p.oid)",
          true,
        ],
      ],
      "pg_catalog.pg_publication p",
    ),
    each(
      "'collation'",
      fullNameSql("n.nspname", "o.collname"),
      [
        [
          "definition",
          "pg_catalog.to_jsonb(o) - 'oid' - 'collnamespace' - 'collowner' - 'collversion' - 'collencoding'",
          false,
        ],
      ],
      `pg_catalog.pg_collation o ${inSchema("o", "collnamespace")} AND o.oid >= 16384`,
    ),
    each(
      "'cast'",
      "pg_catalog.format_type(k.castsource, NULL) || ' AS ' || pg_catalog.format_type(k.casttarget, NULL)",
      [
        [
          "definition",
          "pg_catalog.concat_ws(' ', k.castfunc::pg_catalog.regprocedure, k.castcontext, k.castmethod)",
          true,
        ],
      ],
      "(SELECT * FROM pg_catalog.pg_cast WHERE oid >= 16384) k",
    ),
    each(
      "'operator'",
      `${fullNameSql("n.nspname", "o.oprname")} || ' (' || pg_catalog.format_type(o.oprleft, NULL) || ', ' || pg_catalog.format_type(o.oprright, NULL) || ')'`,
      [["function", "o.oprcode", true]],
      `pg_catalog.pg_operator o ${inSchema("o", "oprnamespace")} AND o.oid >= 16384`,
    ),
    each(
      "'server'",
      "s.srvname::pg_catalog.text",
      [["options", "pg_catalog.md5(pg_catalog.concat_ws(' ', s.srvtype, s.srvversion, s.srvoptions))", true]],
      "pg_catalog.pg_foreign_server s",
    ),
  ];
  return session.query<Aspect>(
    `SELECT kind, name, aspect, COALESCE(value, '') AS value, settled FROM (${parts.join(" UNION ALL ")}) all_of(kind, name, aspect, value, settled)`,
  );
}
