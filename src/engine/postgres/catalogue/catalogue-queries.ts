import { notNull, typeBelow } from "./tables.ts";

/** What is asked of the catalogues for each table `c`, as subqueries: one column a member of catalogue.ts's shapes. */

/** Names of the attributes with these numbers, in their order. */
export const names = (table: string, numbers: string) =>
  `ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(${numbers}) WITH ORDINALITY u(n, o) JOIN pg_catalog.pg_attribute a ON a.attrelid = ${table} AND a.attnum = u.n ORDER BY u.o)`;
/** Rows as one JSON array. */
export const list = (query: string) =>
  `COALESCE((SELECT pg_catalog.json_agg(pg_catalog.row_to_json(x)) FROM (${query}) x), '[]')`;

/** `version`: server_version_num. */
export function tableQueries(version: number) {
  const nulls = version >= 150_000 ? "i.indnullsnotdistinct" : "false";
  const enforced = version >= 180_000 ? "k.conenforced" : "true";
  const setColumns = version >= 150_000 ? "k.confdelsetcols" : "NULL::int2[]";
  // Two lookups by the two indexes of pg_depend: one condition for both would read all of it for each column.
  const sequences = `SELECT p.objid FROM pg_catalog.pg_depend p
        WHERE p.refclassid = 'pg_catalog.pg_class'::regclass AND p.refobjid = c.oid AND p.refobjsubid = a.attnum
          AND p.classid = 'pg_catalog.pg_class'::regclass AND p.deptype = 'i' AND a.attidentity <> ''
       UNION ALL SELECT p.refobjid FROM pg_catalog.pg_depend p
        WHERE p.classid = 'pg_catalog.pg_attrdef'::regclass AND p.objid = d.oid AND p.refclassid = 'pg_catalog.pg_class'::regclass`;
  const columns = `SELECT a.attname AS name, COALESCE(element.typname, base.typname) AS type, COALESCE(element.oid, base.oid) < 10000 AS builtin,
      CASE WHEN COALESCE(element.typname, base.typname) IN ('geometry', 'geography') THEN
        (SELECT sn.nspname FROM pg_catalog.pg_type st JOIN pg_catalog.pg_namespace sn ON sn.oid = st.typnamespace
           JOIN pg_catalog.pg_depend sd ON sd.classid = 'pg_catalog.pg_type'::regclass AND sd.objid = st.oid AND sd.deptype = 'e'
           JOIN pg_catalog.pg_extension se ON se.oid = sd.refobjid AND se.extname = 'postgis'
          WHERE sd.refclassid = 'pg_catalog.pg_extension'::regclass AND st.oid = COALESCE(element.oid, base.oid)) END AS spatial,
      COALESCE(element.typtype, base.typtype) AS sort, element.oid IS NOT NULL AS array,
      CASE WHEN a.atttypmod <> -1 THEN a.atttypmod ELSE base.modifier END AS modifier,
      pg_catalog.format_type(a.atttypid, a.atttypmod) AS written,
      CASE WHEN t.typtype = 'd' THEN pg_catalog.format_type(base.oid, base.modifier) END AS base,
      (SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = COALESCE(element.oid, base.oid)) AS labels,
      CASE WHEN t.typtype = 'd' THEN pg_catalog.json_build_object('name', pg_catalog.format_type(t.oid, NULL), 'checks', base.checks) END AS domain,
      ${notNull} AS "notNull",
      CASE WHEN a.attgenerated = '' AND a.attidentity = '' THEN COALESCE(pg_catalog.pg_get_expr(d.adbin, d.adrelid), base.def)
           WHEN a.attgenerated <> '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END AS default,
      a.attgenerated AS generated, a.attidentity AS identity,
      CASE WHEN a.attidentity <> '' OR d.oid IS NOT NULL THEN
        (SELECT pg_catalog.json_build_object('oid', s.oid::int8, 'schema', sn.nspname, 'name', s.relname, 'increment', q.seqincrement::text)
           FROM (${sequences}) used(oid) JOIN pg_catalog.pg_class s ON s.oid = used.oid AND s.relkind = 'S'
                JOIN pg_catalog.pg_namespace sn ON sn.oid = s.relnamespace JOIN pg_catalog.pg_sequence q ON q.seqrelid = s.oid
          LIMIT 1) END AS sequence,
      (SELECT pg_catalog.json_build_object('name', o.collname, 'deterministic', o.collisdeterministic, 'ordered', o.collname IN ('C', 'POSIX'))
         FROM pg_catalog.pg_collation o WHERE o.oid = a.attcollation AND o.collname <> 'default') AS collation,
      pg_catalog.col_description(c.oid, a.attnum) AS comment
    FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
    LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
    JOIN LATERAL (
      WITH RECURSIVE up AS (
        SELECT 1 AS step, t.oid, t.typtype, t.typbasetype, t.typname, t.typelem, t.typlen, t.typtypmod AS modifier, t.typnotnull AND t.typtype = 'd' AS notnull, t.typdefault AS def
        UNION ALL
        SELECT up.step + 1, b.oid, b.typtype, b.typbasetype, b.typname, b.typelem, b.typlen,
               CASE WHEN up.modifier <> -1 THEN up.modifier ELSE b.typtypmod END, up.notnull OR (b.typnotnull AND b.typtype = 'd'), COALESCE(up.def, b.typdefault)
          ${typeBelow})
      SELECT up.*, CASE WHEN t.typtype = 'd' THEN
             (SELECT COALESCE(pg_catalog.json_agg(pg_catalog.json_build_object('name', k.conname, 'expression', pg_catalog.pg_get_expr(k.conbin, 0))), '[]')
                -- With conrelid, so that the index over both is used.
                FROM up u JOIN pg_catalog.pg_constraint k ON k.conrelid = 0 AND k.contypid = u.oid AND k.contype = 'c') END AS checks
        FROM up WHERE up.typbasetype = 0) base ON true
    LEFT JOIN pg_catalog.pg_type element ON element.oid = base.typelem AND base.typlen = -1
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
  const indexes = `SELECT i.indexrelid::int8 AS oid, xn.nspname AS schema, xc.relname AS name, am.amname AS method, i.indisunique AS unique, i.indisprimary AS primary,
      i.indisvalid AS valid, ${nulls} AS "nullsNotDistinct", pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS predicate,
      (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('column', (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = i.indkey[n - 1]),
              'expression', pg_catalog.pg_get_indexdef(i.indexrelid, n, false), 'descending', (i.indoption[n - 1] & 1) = 1,
              'folding', (SELECT o.collname FROM pg_catalog.pg_collation o WHERE o.oid = i.indcollation[n - 1] AND NOT o.collisdeterministic)) ORDER BY n)
         FROM pg_catalog.generate_series(1, i.indnkeyatts) n) AS keys,
      ARRAY(SELECT a.attname::text FROM pg_catalog.generate_series(i.indnkeyatts + 1, i.indnatts) n JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[n - 1] ORDER BY n) AS include,
      (SELECT pg_catalog.json_build_object('type', k.contype, 'name', k.conname, 'deferrable', k.condeferrable, 'definition', pg_catalog.pg_get_constraintdef(k.oid))
         FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x') AND k.conrelid = c.oid) AS "constraint",
      pg_catalog.pg_get_indexdef(i.indexrelid) AS definition, pg_catalog.obj_description(i.indexrelid, 'pg_class') AS comment
    FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class xc ON xc.oid = i.indexrelid JOIN pg_catalog.pg_namespace xn ON xn.oid = xc.relnamespace
    JOIN pg_catalog.pg_am am ON am.oid = xc.relam WHERE i.indrelid = c.oid ORDER BY i.indisprimary DESC, xc.relname`;
  const checks = `SELECT k.conname AS name, pg_catalog.pg_get_expr(k.conbin, k.conrelid) AS expression, pg_catalog.pg_get_constraintdef(k.oid) AS definition, ${enforced} AS enforced
    FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' ORDER BY k.conname`;
  const foreignKeys = `SELECT k.conname AS name, ${names("k.conrelid", "k.conkey")} AS columns, f.oid::int8 AS "referencedOid", fn.nspname AS "referencedSchema", f.relname AS "referencedTable",
      ${names("k.confrelid", "k.confkey")} AS "referencedColumns", k.confupdtype AS "onUpdate", k.confdeltype AS "onDelete", k.confmatchtype AS match,
      k.condeferrable AS deferrable, k.convalidated AS validated, ${enforced} AS enforced, ${names("k.conrelid", setColumns)} AS "setColumns", pg_catalog.pg_get_constraintdef(k.oid) AS definition
    FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class f ON f.oid = k.confrelid JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
    WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conparentid = 0 ORDER BY k.conname`;
  const parts = `SELECT b.relname AS name, pg_catalog.pg_get_expr(b.relpartbound, b.oid) AS bound, b.relkind AS kind
    FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class b ON b.oid = h.inhrelid WHERE h.inhparent = c.oid ORDER BY b.relname`;
  return { columns, indexes, checks, foreignKeys, parts };
}
