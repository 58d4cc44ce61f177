import type { CopyOptions } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { sharedText } from "../../run/memory/shared-text.ts";
import type { Session } from "../driver/connection.ts";
import { fullNameSql, notAmong } from "../driver/names.ts";
import { list, names, tableQueries } from "./catalogue-queries.ts";
import { readSkippedRelations } from "./skipped-relations.ts";
import { ofUsers } from "./tables.ts";
import { readXmlParts, type XmlParts } from "./xml-parts.ts";

/** Tables of a PostgreSQL source as its catalogues describe them, read inside the snapshot; names are unquoted. */

export interface ColumnDefinition {
  name: string;
  /** Name of the type under all domains, as in pg_type: `int4`, `citext`; of the elements where it is an array. */
  type: string;
  /** A type of the server's own, whose name says what it is. */
  builtin: boolean;
  /** The schema of PostGIS, where the type is its geometry or geography. */
  spatial: string | null;
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
  /** Of an array or a composite type that holds xml. */
  xml?: XmlParts;
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
  /** `column` is null for an expression. `folding`: the key's collation, if it takes for equal what has other bytes. */
  keys: { column: string | null; expression: string; descending: boolean; folding: string | null }[];
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
  /** Always before PostgreSQL 18. */
  enforced: boolean;
  /** Columns that ON DELETE SET NULL (…) names; empty for all. */
  setColumns: string[];
  definition: string;
}

interface SourcePartition {
  name: string;
  /** `FOR VALUES …` or `DEFAULT`. */
  bound: string;
  /** r, p or f. */
  kind: string;
}

export interface TableDefinition {
  oid: number;
  schema: string;
  name: string;
  /** r table, p partitioned, m materialised view, f foreign table. */
  kind: string;
  unlogged: boolean;
  /** Filled: false for a materialised view WITH NO DATA. */
  populated: boolean;
  columns: ColumnDefinition[];
  indexes: SourceIndex[];
  checks: { name: string; expression: string; definition: string; enforced: boolean }[];
  foreignKeys: SourceForeignKey[];
  /**
   * Strategy r, l or h; `columns` null where the key holds an expression. `folding`: the collation of the key that takes for
   * equal what has other bytes.
   */
  partitioned: {
    strategy: string;
    columns: string[] | null;
    key: string;
    folding: string | null;
    parts: SourcePartition[];
  } | null;
  /** The root of the partition tree that this is a part of. */
  root: number | null;
  /** Tables that it inherits from without being a partition. */
  inherits: string[];
  comment: string | null;
}

export const tableName = ({ schema, name }: Pick<TableDefinition, "schema" | "name">): string => fullName(schema, name);

/**
 * Every table, partition and materialised view that belongs to no extension. What the options leave out comes without what it consists of.
 */
export async function readTableDefinitions(
  session: Session,
  options: Pick<CopyOptions, "include" | "exclude">,
): Promise<TableDefinition[]> {
  const left = await readSkippedRelations(session, options);
  const tables = await readWhole(session, left);
  if (left.size === 0) return tables;
  const names = await session.query<Pick<TableDefinition, "oid" | "schema" | "name" | "kind" | "root">>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind, ${root} AS root
       ${relations} AND NOT ${notAmong("c.oid", left)} ORDER BY n.nspname, c.relname`,
  );
  return [...tables, ...names.map((table) => ({ ...without, ...table }))];
}

/** Shared: there may be very many. */
const without: Omit<TableDefinition, "oid" | "schema" | "name" | "kind" | "root"> = {
  unlogged: false,
  populated: false,
  columns: [],
  indexes: [],
  checks: [],
  foreignKeys: [],
  partitioned: null,
  inherits: [],
  comment: null,
};

const root = "CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid)::oid::int8 END";
const relations = `FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'm', 'f') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')`;

async function readWhole(session: Session, left: ReadonlySet<number>): Promise<TableDefinition[]> {
  const { columns, indexes, checks, foreignKeys, parts } = tableQueries(session.version);
  const found = await session.query<TableDefinition>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, c.relkind AS kind, c.relpersistence = 'u' AS unlogged, c.relispopulated AS populated,
            ${list(columns)} AS columns, ${list(indexes)} AS indexes, ${list(checks)} AS checks, ${list(foreignKeys)} AS "foreignKeys",
            (SELECT pg_catalog.json_build_object('strategy', p.partstrat, 'key', pg_catalog.pg_get_partkeydef(c.oid), 'parts', ${list(parts)},
                    'folding', (SELECT pg_catalog.min(o.collname) FROM pg_catalog.pg_collation o WHERE o.oid = ANY (p.partcollation::pg_catalog.oid[]) AND NOT o.collisdeterministic),
                    'columns', CASE WHEN p.partexprs IS NULL THEN ${names("c.oid", "p.partattrs::int2[]")} END)
               FROM pg_catalog.pg_partitioned_table p WHERE p.partrelid = c.oid) AS partitioned,
            ${root} AS root,
            ARRAY(SELECT ${fullNameSql("hn.nspname", "hc.relname")} FROM pg_catalog.pg_inherits h JOIN pg_catalog.pg_class hc ON hc.oid = h.inhparent
                    JOIN pg_catalog.pg_namespace hn ON hn.oid = hc.relnamespace WHERE h.inhrelid = c.oid AND NOT c.relispartition ORDER BY h.inhseqno) AS inherits,
            pg_catalog.obj_description(c.oid, 'pg_class') AS comment
       ${relations} AND ${notAmong("c.oid", left)} ORDER BY n.nspname, c.relname`,
  );
  const xml = await readXmlParts(session, ofUsers("n.nspname"));
  for (const table of found) {
    shareTexts(table);
    for (const [name, parts] of xml.get(table.oid) ?? []) {
      const column = table.columns.find((one) => one.name === name);
      if (column !== undefined) column.xml = parts;
    }
  }
  return found;
}

/** What many tables say alike is kept once. */
function shareTexts(table: TableDefinition): void {
  table.schema = sharedText(table.schema);
  for (const column of table.columns) {
    column.name = sharedText(column.name);
    column.type = sharedText(column.type);
    column.written = sharedText(column.written);
    if (column.base !== null) column.base = sharedText(column.base);
    if (column.default !== null) column.default = sharedText(column.default);
  }
  for (const index of table.indexes) {
    index.schema = sharedText(index.schema);
    index.method = sharedText(index.method);
    for (const key of index.keys) {
      if (key.column !== null) key.column = sharedText(key.column);
      key.expression = sharedText(key.expression);
    }
  }
}
