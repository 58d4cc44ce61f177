import type { Session } from "../postgres/connection.ts";
import { ofUsers } from "../postgres/source.ts";

/** Tables of a PostgreSQL source as its catalogues describe them, read inside the snapshot; names are unquoted. */

export interface SourceColumn {
  name: string;
  /** Name of the type under all domains, as in pg_type: `int4`, `citext`; of the elements where it is an array. */
  type: string;
  /** A type of the server's own, whose name says what it is. */
  builtin: boolean;
  /** typtype: b base, c composite, e enum, r range, m multirange, p pseudo. */
  sort: string;
  array: boolean;
  /** atttypmod, or the domain's; -1 for none. */
  modifier: number;
  /** As the server writes it, for a person. */
  written: string;
  /** Of a domain: the type under it, as the server writes it. */
  base: string | null;
  labels: string[] | null;
  domain: { name: string; checks: { name: string; expression: string }[] } | null;
  notNull: boolean;
  /** SQL as pg_get_expr writes it; the domain's where the column has none. */
  default: string | null;
  /** "" or s (stored), v (virtual). */
  generated: string;
  /** "" or a (always), d (by default). */
  identity: string;
  /** The sequence of an identity, or of nextval() in the default. */
  sequence: { oid: number; schema: string; name: string; increment: string } | null;
  /** Where it is not the database's default. */
  collation: { name: string; deterministic: boolean; ordered: boolean } | null;
  comment: string | null;
}

export interface SourceIndex {
  oid: number;
  schema: string;
  name: string;
  method: string;
  unique: boolean;
  primary: boolean;
  valid: boolean;
  nullsNotDistinct: boolean;
  predicate: string | null;
  /** `column` is null for an expression. */
  keys: { column: string | null; expression: string; descending: boolean }[];
  include: string[];
  /** Type and name of the constraint that the index carries: p, u or x. */
  constraint: { type: string; name: string; deferrable: boolean; definition: string } | null;
  definition: string;
  comment: string | null;
}

export interface SourceForeignKey {
  name: string;
  columns: string[];
  referencedOid: number;
  referencedSchema: string;
  referencedTable: string;
  referencedColumns: string[];
  /** a no action, r restrict, c cascade, n set null, d set default. */
  onUpdate: string;
  onDelete: string;
  /** s simple, f full. */
  match: string;
  deferrable: boolean;
  validated: boolean;
  /** Columns that ON DELETE SET NULL (…) names; empty for all. */
  setColumns: string[];
  definition: string;
}

export interface SourcePartition {
  name: string;
  /** `FOR VALUES …` or `DEFAULT`. */
  bound: string;
  /** r, p or f. */
  kind: string;
}

export interface SourceTable {
  oid: number;
  schema: string;
  name: string;
  /** r table, p partitioned, m materialised view, f foreign table. */
  kind: string;
  unlogged: boolean;
  /** Filled: false for a materialised view WITH NO DATA. */
  populated: boolean;
  columns: SourceColumn[];
  indexes: SourceIndex[];
  checks: { name: string; expression: string; definition: string; validated: boolean }[];
  foreignKeys: SourceForeignKey[];
  /** Strategy r, l or h; `columns` null where the key holds an expression. */
  partitioned: { strategy: string; columns: string[] | null; key: string; parts: SourcePartition[] } | null;
  /** The root of the partition tree that this is a part of. */
  root: number | null;
  /** Tables that it inherits from without being a partition. */
  inherits: string[];
  comment: string | null;
}

export const tableName = ({ schema, name }: Pick<SourceTable, "schema" | "name">): string => `${schema}.${name}`;

/** Every table, partition and materialised view that belongs to no extension. */
export async function readTables(session: Session): Promise<SourceTable[]> {
  const nulls = session.version >= 150_000 ? "i.indnullsnotdistinct" : "false";
  const setColumns = session.version >= 150_000 ? "k.confdelsetcols" : "NULL::int2[]";
  const names = (table: string, numbers: string) =>
    `ARRAY(SELECT a.attname::text FROM pg_catalog.unnest(${numbers}) WITH ORDINALITY u(n, o) JOIN pg_catalog.pg_attribute a ON a.attrelid = ${table} AND a.attnum = u.n ORDER BY u.o)`;
  const list = (query: string) =>
    `COALESCE((SELECT pg_catalog.json_agg(pg_catalog.row_to_json(x)) FROM (${query}) x), '[]')`;
  const columns = `SELECT a.attname AS name, COALESCE(element.typname, base.typname) AS type, COALESCE(element.oid, base.oid) < 10000 AS builtin,
      COALESCE(element.typtype, base.typtype) AS sort, element.oid IS NOT NULL AS array,
      CASE WHEN a.atttypmod <> -1 THEN a.atttypmod ELSE base.modifier END AS modifier,
      pg_catalog.format_type(a.atttypid, a.atttypmod) AS written,
      CASE WHEN t.typtype = 'd' THEN pg_catalog.format_type(base.oid, base.modifier) END AS base,
      (SELECT pg_catalog.json_agg(e.enumlabel ORDER BY e.enumsortorder) FROM pg_catalog.pg_enum e WHERE e.enumtypid = COALESCE(element.oid, base.oid)) AS labels,
      CASE WHEN t.typtype = 'd' THEN pg_catalog.json_build_object('name', pg_catalog.format_type(t.oid, NULL), 'checks', base.checks) END AS domain,
      a.attnotnull OR base.notnull AS "notNull",
      CASE WHEN a.attgenerated = '' AND a.attidentity = '' THEN COALESCE(pg_catalog.pg_get_expr(d.adbin, d.adrelid), base.def)
           WHEN a.attgenerated <> '' THEN pg_catalog.pg_get_expr(d.adbin, d.adrelid) END AS default,
      a.attgenerated AS generated, a.attidentity AS identity,
      (SELECT pg_catalog.json_build_object('oid', s.oid::int8, 'schema', sn.nspname, 'name', s.relname, 'increment', q.seqincrement::text)
         FROM pg_catalog.pg_depend p JOIN pg_catalog.pg_class s ON s.relkind = 'S'
              AND ((a.attidentity <> '' AND p.classid = 'pg_catalog.pg_class'::regclass AND p.objid = s.oid AND p.refobjid = c.oid AND p.refobjsubid = a.attnum AND p.deptype = 'i')
                OR (p.classid = 'pg_catalog.pg_attrdef'::regclass AND p.objid = d.oid AND p.refclassid = 'pg_catalog.pg_class'::regclass AND p.refobjid = s.oid))
              JOIN pg_catalog.pg_namespace sn ON sn.oid = s.relnamespace JOIN pg_catalog.pg_sequence q ON q.seqrelid = s.oid
        WHERE p.objid = d.oid OR p.refobjid = c.oid LIMIT 1) AS sequence,
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
          FROM up JOIN pg_catalog.pg_type b ON b.oid = up.typbasetype)
      SELECT up.*, (SELECT COALESCE(pg_catalog.json_agg(pg_catalog.json_build_object('name', k.conname, 'expression', pg_catalog.pg_get_expr(k.conbin, 0))), '[]')
                      FROM up u JOIN pg_catalog.pg_constraint k ON k.contypid = u.oid AND k.contype = 'c') AS checks
        FROM up WHERE up.typbasetype = 0) base ON true
    LEFT JOIN pg_catalog.pg_type element ON element.oid = base.typelem AND base.typlen = -1
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum`;
  const indexes = `SELECT i.indexrelid::int8 AS oid, xn.nspname AS schema, xc.relname AS name, am.amname AS method, i.indisunique AS unique, i.indisprimary AS primary,
      i.indisvalid AS valid, ${nulls} AS "nullsNotDistinct", pg_catalog.pg_get_expr(i.indpred, i.indrelid) AS predicate,
      (SELECT pg_catalog.json_agg(pg_catalog.json_build_object('column', (SELECT a.attname FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = i.indkey[n - 1]),
              'expression', pg_catalog.pg_get_indexdef(i.indexrelid, n, false), 'descending', (i.indoption[n - 1] & 1) = 1) ORDER BY n)
         FROM pg_catalog.generate_series(1, i.indnkeyatts) n) AS keys,
      ARRAY(SELECT a.attname::text FROM pg_catalog.generate_series(i.indnkeyatts + 1, i.indnatts) n JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum = i.indkey[n - 1] ORDER BY n) AS include,
      (SELECT pg_catalog.json_build_object('type', k.contype, 'name', k.conname, 'deferrable', k.condeferrable, 'definition', pg_catalog.pg_get_constraintdef(k.oid))
         FROM pg_catalog.pg_constraint k WHERE k.conindid = i.indexrelid AND k.contype IN ('p', 'u', 'x') AND k.conrelid = c.oid) AS "constraint",
      pg_catalog.pg_get_indexdef(i.indexrelid) AS definition, pg_catalog.obj_description(i.indexrelid, 'pg_class') AS comment
    FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class xc ON xc.oid = i.indexrelid JOIN pg_catalog.pg_namespace xn ON xn.oid = xc.relnamespace
    JOIN pg_catalog.pg_am am ON am.oid = xc.relam WHERE i.indrelid = c.oid ORDER BY i.indisprimary DESC, xc.relname`;
  const checks = `SELECT k.conname AS name, pg_catalog.pg_get_expr(k.conbin, k.conrelid) AS expression, pg_catalog.pg_get_constraintdef(k.oid) AS definition, k.convalidated AS validated
    FROM pg_catalog.pg_constraint k WHERE k.conrelid = c.oid AND k.contype = 'c' ORDER BY k.conname`;
  const foreignKeys = `SELECT k.conname AS name, ${names("k.conrelid", "k.conkey")} AS columns, f.oid::int8 AS "referencedOid", fn.nspname AS "referencedSchema", f.relname AS "referencedTable",
      ${names("k.confrelid", "k.confkey")} AS "referencedColumns", k.confupdtype AS "onUpdate", k.confdeltype AS "onDelete", k.confmatchtype AS match,
      k.condeferrable AS deferrable, k.convalidated AS validated, ${names("k.conrelid", setColumns)} AS "setColumns", pg_catalog.pg_get_constraintdef(k.oid) AS definition
    FROM pg_catalog.pg_constraint k JOIN pg_catalog.pg_class f ON f.oid = k.confrelid JOIN pg_catalog.pg_namespace fn ON fn.oid = f.relnamespace
    WHERE k.conrelid = c.oid AND k.contype = 'f' AND k.conparentid = 0 ORDER BY k.conname`;
  const parts = `SELECT b.relname AS name, pg_catalog.pg_get_expr(b.relpartbound, b.oid) AS bound, b.relkind AS kind
    FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class b ON b.oid = h.inhrelid WHERE h.inhparent = c.oid ORDER BY b.relname`;
  return session.query<SourceTable>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.relpersistence = 'u' AS unlogged, c.relispopulated AS populated,
            ${list(columns)} AS columns, ${list(indexes)} AS indexes, ${list(checks)} AS checks, ${list(foreignKeys)} AS "foreignKeys",
            (SELECT pg_catalog.json_build_object('strategy', p.partstrat, 'key', pg_catalog.pg_get_partkeydef(c.oid), 'parts', ${list(parts)},
                    'columns', CASE WHEN p.partexprs IS NULL THEN ${names("c.oid", "p.partattrs::int2[]")} END)
               FROM pg_catalog.pg_partitioned_table p WHERE p.partrelid = c.oid) AS partitioned,
            CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid)::oid::int8 END AS root,
            ARRAY(SELECT hn.nspname || '.' || hc.relname FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class hc ON hc.oid = h.inhparent
                    JOIN pg_catalog.pg_namespace hn ON hn.oid = hc.relnamespace WHERE h.inhrelid = c.oid AND NOT c.relispartition ORDER BY h.inhseqno) AS inherits,
            pg_catalog.obj_description(c.oid, 'pg_class') AS comment
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'm', 'f') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY n.nspname, c.relname`,
  );
}

export interface SourceSequence {
  oid: number;
  schema: string;
  name: string;
  last: string | null;
  called: boolean;
  increment: string;
  definition: string;
}

/** All sequences with their values now: sequences know no snapshot. `last` is null where the user may not read it. */
export async function readSequences(session: Session): Promise<SourceSequence[]> {
  const sequences = await session.query<
    Omit<SourceSequence, "last" | "called"> & { readable: boolean; quoted: string }
  >(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, q.seqincrement::text AS increment, c.oid::regclass::text AS quoted,
            pg_catalog.has_table_privilege(c.oid, 'SELECT') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS readable,
            pg_catalog.format('CREATE SEQUENCE %I.%I AS %s INCREMENT BY %s MINVALUE %s MAXVALUE %s START WITH %s CACHE %s %s', n.nspname, c.relname,
              pg_catalog.format_type(q.seqtypid, NULL), q.seqincrement, q.seqmin, q.seqmax, q.seqstart, q.seqcache, CASE WHEN q.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END) AS definition
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_sequence q ON q.seqrelid = c.oid
      WHERE c.relkind = 'S' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY c.oid`,
  );
  const found = new Map<number, { last: string; called: boolean }>();
  const readable = sequences.filter((one) => one.readable);
  for (let start = 0; start < readable.length; start += 200) {
    const reads = readable
      .slice(start, start + 200)
      .map(
        ({ oid, quoted }) => `SELECT ${oid}::int8 AS oid, last_value::text AS last, is_called AS called FROM ${quoted}`,
      );
    for (const { oid, ...value } of await session.query<{ oid: number; last: string; called: boolean }>(
      reads.join(" UNION ALL "),
    ))
      found.set(oid, value);
  }
  return sequences.map(({ readable: _, quoted: __, ...one }) => ({
    ...one,
    last: found.get(one.oid)?.last ?? null,
    called: found.get(one.oid)?.called ?? false,
  }));
}
