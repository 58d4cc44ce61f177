import type { Session } from "../driver/connection.ts";
import { identifier, notAmong } from "../driver/names.ts";
import { readXmlParts, storedXml, type XmlParts } from "./xml-parts.ts";

/** The tables that hold rows, with their columns and sizes, and the sequences: what a copy reads, and how it is told. */

export interface DataColumn {
  name: string;
  /** The type as the server writes it, for a person. */
  type: string;
  /** The same below a domain. */
  base: string;
  /** What COPY's binary form of it depends on: the built-in type's name, `enum`, or undefined where only text is safe. */
  binary: string | undefined;
  notNull: boolean;
  /** Of an enumeration. */
  labels: string[] | null;
  /** SQL of what is read of it; its name without. */
  read?: string | undefined;
}

export interface DataTable {
  oid: number;
  schema: string;
  name: string;
  /** Columns to copy, in order; generated ones are left out. */
  columns: DataColumn[];
  /** All columns are copied, so that none need be named; the only way where there are none. */
  bare: boolean;
  /** Bytes of heap and TOAST. */
  bytes: number;
  pages: number;
  /** The planner's guess. */
  rows: number;
  /** Stored in the ordinary heap, in which a range of pages can be read. */
  heap: boolean;
  /** For a table of an extension: the condition for the user's own rows. */
  extension: { name: string; condition: string } | undefined;
  /** Of a partitioned table that is loaded through its root: the partitions with its rows. */
  leaves?: readonly DataTable[];
}

export interface Sequence {
  schema: string;
  name: string;
}

/** Of a row of pg_description: that it is the comment of schema public, and not the one that initdb gives it. */
export const isPublicComment = (alias: string) =>
  `${alias}.classoid = 'pg_catalog.pg_namespace'::pg_catalog.regclass AND ${alias}.description <> 'standard public schema' AND ${alias}.objoid = (SELECT s.oid FROM pg_catalog.pg_namespace s WHERE s.nspname = 'public')`;

/** Schemas that belong to users. */
export const ofUsers = (schema: string) => `${schema} !~ '^pg_' AND ${schema} <> 'information_schema'`;

interface TableRow {
  oid: number;
  schema: string;
  name: string;
  columns: DataColumn[];
  generated: boolean;
  bytes: number;
  pages: number;
  rows: number;
  heap: boolean;
  extension: string | null;
  condition: string | null;
}

/**
 * In a recursive query `up`, the type `b` that a domain is over. With OFFSET 0 it is found by its index: for a plain join the
 * planner reads all types, for each column.
 */
export const typeBelow =
  "FROM up CROSS JOIN LATERAL (SELECT * FROM pg_catalog.pg_type x WHERE x.oid = up.typbasetype OFFSET 0) b WHERE up.typbasetype <> 0";

/** One row for a type's oid: the type below its domains with the length that these give, and whether they want a value or have one. */
export const belowDomains = (oid: string): string =>
  `WITH RECURSIVE up AS (
     SELECT t.oid, t.typtype, t.typbasetype, t.typname, t.typtypmod AS below, -1 AS typmod, t.typnotnull AS notnull, t.typdefault IS NOT NULL AS preset
       FROM pg_catalog.pg_type t WHERE t.oid = ${oid}
     UNION ALL
     SELECT b.oid, b.typtype, b.typbasetype, b.typname, b.typtypmod, GREATEST(up.below, up.typmod), up.notnull OR b.typnotnull, up.preset OR b.typdefault IS NOT NULL
       ${typeBelow})
   SELECT * FROM up WHERE up.typbasetype = 0`;

/** The labels of the type `base`, or NULL. */
export const labelsBelow =
  "(SELECT pg_catalog.json_agg(l.enumlabel ORDER BY l.enumsortorder) FROM pg_catalog.pg_enum l WHERE base.typtype = 'e' AND l.enumtypid = base.oid)";

/** Of a column `a` whose type below its domains is `base`: no row has NULL. Since 18, such a constraint may be NOT VALID. */
export const notNull =
  "(a.attnotnull AND NOT EXISTS (SELECT FROM pg_catalog.pg_constraint k WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND NOT k.convalidated AND k.conkey[1] = a.attnum)) OR base.notnull";

/** An object for a column `a` whose type below its domains is `base`. */
const columnObject = `pg_catalog.json_build_object(
            'name', a.attname,
            'type', pg_catalog.format_type(a.atttypid, a.atttypmod),
            'base', pg_catalog.format_type(base.oid, CASE WHEN base.oid = a.atttypid THEN a.atttypmod ELSE base.typmod END),
            'binary', CASE WHEN base.typtype = 'e' THEN 'enum' WHEN base.oid < 10000 THEN base.typname END,
            'notNull', ${notNull},
            'labels', ${labelsBelow}
          )`;

/** `generated`: SQL that tells whether the column is. */
const columnList = (generated: string): string =>
  `SELECT pg_catalog.json_agg(${columnObject} ORDER BY a.attnum) FILTER (WHERE NOT (${generated})) AS list,
          pg_catalog.bool_or(${generated}) AS generated
     FROM pg_catalog.pg_attribute a
     JOIN LATERAL (${belowDomains("a.atttypid")}) base ON true
    WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped`;

/** The generated columns of tables and partitioned tables, by the table's oid. */
export async function readGenerated(session: Session): Promise<Map<number, DataColumn[]>> {
  if (session.version < 120_000) return new Map();
  const rows = await session.query<{ oid: number; columns: DataColumn[] }>(
    `SELECT c.oid::int8 AS oid, pg_catalog.json_agg(${columnObject} ORDER BY a.attnum) AS columns
       FROM pg_catalog.pg_attribute a JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p')
       JOIN LATERAL (${belowDomains("a.atttypid")}) base ON true
      WHERE a.attgenerated <> '' AND NOT a.attisdropped GROUP BY c.oid`,
  );
  const xml = rows.length === 0 ? noXml : await readXmlParts(session, ofUsers("n.nspname"));
  return new Map(rows.map(({ oid, columns }) => [oid, columns.map((column) => usable(column, xml.get(oid)))]));
}

const noXml: Awaited<ReturnType<typeof readXmlParts>> = new Map();

/** What a server sends for xml, in either form of COPY, is not all that was stored (xml-parts.ts). */
function usable(column: DataColumn, xml: ReadonlyMap<string, XmlParts> | undefined): DataColumn {
  const read = column.binary === "xml" ? storedXml : xml?.get(column.name)?.text;
  return read === undefined
    ? { ...column, binary: column.binary ?? undefined }
    : { ...column, binary: undefined, read: read(identifier(column.name)) };
}

/** Every table that holds rows of its own, the largest first, but for those in `left`. */
export async function readDataTables(
  session: Session,
  left: ReadonlySet<number> = new Set(),
  columnless = false,
): Promise<DataTable[]> {
  const generated = session.version >= 120_000 ? "a.attgenerated <> ''" : "false";
  const heap = session.version >= 120_000 ? "c.relam = 2" : "true";
  const rows = await session.query<TableRow>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name,
            COALESCE(columns.list, '[]') AS columns, COALESCE(columns.generated, false) AS generated,
            pg_catalog.pg_table_size(c.oid) AS bytes,
            pg_catalog.pg_relation_size(c.oid) / pg_catalog.current_setting('block_size')::int8 AS pages,
            GREATEST(c.reltuples, 0)::int8 AS rows, ${heap} AS heap,
            e.extname AS extension, config.condition
       FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
       LEFT JOIN pg_catalog.pg_depend d ON d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid
            AND d.refclassid = 'pg_catalog.pg_extension'::regclass AND d.deptype = 'e'
       LEFT JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
       LEFT JOIN LATERAL (
            SELECT e.extcondition[i] AS condition
              FROM pg_catalog.generate_subscripts(e.extconfig, 1) i WHERE e.extconfig[i] = c.oid) config ON true
       LEFT JOIN LATERAL (${columnless ? "SELECT NULL::pg_catalog.json AS list, false AS generated" : columnList(generated)}) columns ON true
      WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND (e.oid IS NULL OR c.oid = ANY (e.extconfig)) AND ${notAmong("c.oid", left)}
      ORDER BY bytes DESC, c.oid`,
  );
  const xml = columnless ? noXml : await readXmlParts(session, ofUsers("n.nspname"));
  return rows.map(({ generated, extension, condition, columns, ...row }) => ({
    ...row,
    columns: columns.map((column) => usable(column, xml.get(row.oid))),
    bare: !generated || columns.length === 0,
    extension: extension === null ? undefined : { name: extension, condition: condition ?? "" },
  }));
}

/** Without those that only an extension uses. */
export const readSequences = (session: Session) =>
  session.query<Sequence>(
    `SELECT n.nspname AS schema, c.relname AS name
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'S' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (
            SELECT FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_extension e ON e.oid = d.refobjid
             WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e'
               AND d.refclassid = 'pg_catalog.pg_extension'::regclass AND NOT c.oid = ANY (COALESCE(e.extconfig, '{}')))
      ORDER BY c.oid`,
  );
