import { readCatalogue } from "../mysql/catalogue/catalogue.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import { ofUsers } from "../postgres/catalogue/tables.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import type { TableName } from "./checksum/rows.ts";
import type { SideSessions } from "./checksum/side.ts";

/** The objects of both sides, read from their own catalogues and laid side by side by kind and name. */
export interface InventoryObject {
  kind: string;
  /** Schema (MySQL: database) and table that it belongs to; undefined where it stands alone. */
  of?: TableName | undefined;
  /** Empty: a primary key. */
  name: string;
  /** Of a primary key: its index, where that has a name. */
  index?: string;
  /** Of what stands alone, where it has one. */
  schema?: string | null;
  /** Of keys and indexes that are of whole columns only: their columns, in order. */
  columns?: readonly string[] | null;
  unique?: boolean | null;
  /** Of a foreign key: the table that it refers to, and its columns there. */
  to?: TableName | undefined;
  toColumns?: readonly string[] | null;
}

export async function readFound(side: SideSessions, database: string): Promise<InventoryObject[]> {
  const [session] = side.sessions;
  if (session === undefined) return [];
  return side.engine === "mysql"
    ? readMysql(session as MysqlSession, database)
    : readPostgres(session as PostgresSession);
}

async function readMysql(session: MysqlSession, database: string): Promise<InventoryObject[]> {
  const { tables, others } = await readCatalogue(session, database);
  const found: InventoryObject[] = others.map(({ kind, name }) => ({ kind, name }));
  for (const { name: table, indexes, foreignKeys, checks } of tables) {
    if (table === "_rowferry") continue;
    const of = [database, table] as const;
    for (const { name, unique, parts } of indexes) {
      const primary = name === "PRIMARY";
      const columns = parts.flatMap(({ column, prefix }) => (column === null || prefix !== null ? [] : [column]));
      found.push({
        kind: primary ? "primary key" : "index",
        of,
        name: primary ? "" : name,
        columns: columns.length === parts.length ? columns : null,
        unique,
      });
    }
    for (const { name, columns, referencedSchema, referencedTable, referencedColumns } of foreignKeys)
      found.push({
        kind: "foreign key",
        of,
        name,
        columns,
        to: [referencedSchema, referencedTable],
        toColumns: referencedColumns,
      });
    for (const { name, clause } of checks) if (!/^json_valid\(/i.test(clause)) found.push({ kind: "check", of, name });
  }
  return found;
}

async function readPostgres(session: PostgresSession): Promise<InventoryObject[]> {
  const users = ofUsers("n.nspname");
  const own = (catalog: string, oid: string) =>
    `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype IN (${catalog === "pg_proc" ? "'e', 'i'" : "'e'"}))`;
  const names = (relation: string, numbers: string) =>
    `(SELECT pg_catalog.json_agg(a.attname ORDER BY k.at) FROM pg_catalog.unnest(${numbers}) WITH ORDINALITY k(number, at) JOIN pg_catalog.pg_attribute a ON a.attrelid = ${relation} AND a.attnum = k.number)`;
  const keyColumns = session.version >= 110_000 ? "i.indnkeyatts" : "i.indnatts";
  const rows = await session.query<
    Omit<InventoryObject, "of" | "to"> & { schema: string | null; table: string | null; to: [string, string] | null }
  >(
    `SELECT CASE WHEN i.indisprimary THEN 'primary key' ELSE 'index' END AS kind, n.nspname::text AS schema, t.relname::text AS table,
            c.relname::text AS name,
            CASE WHEN i.indexprs IS NULL AND i.indpred IS NULL THEN ${names("t.oid", `(i.indkey::int2[])[0:${keyColumns} - 1]`)} END AS columns,
            i.indisunique AS unique, NULL::json AS to, NULL::json AS "toColumns"
       FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
       JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relname <> '_rowferry' AND ${own("pg_class", "t.oid")}
     UNION ALL
     SELECT CASE o.contype WHEN 'f' THEN 'foreign key' WHEN 'x' THEN 'exclusion' ELSE 'check' END, n.nspname::text, t.relname::text, o.conname::text,
            CASE WHEN o.contype = 'f' THEN ${names("o.conrelid", "o.conkey")} END, NULL,
            (SELECT pg_catalog.json_build_array(rn.nspname, r.relname) FROM pg_catalog.pg_class r JOIN pg_catalog.pg_namespace rn ON rn.oid = r.relnamespace WHERE r.oid = o.confrelid),
            CASE WHEN o.contype = 'f' THEN ${names("o.confrelid", "o.confkey")} END
       FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class t ON t.oid = o.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND o.contype IN ('f', 'c', 'x') AND NOT t.relispartition AND t.relname <> '_rowferry' AND ${own("pg_class", "t.oid")}
     UNION ALL
     SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'sequence' END, n.nspname::text, NULL, c.relname::text, NULL, NULL, NULL, NULL
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE ${users} AND c.relkind IN ('v', 'm', 'f', 'S') AND ${own("pg_class", "c.oid")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND c.relkind = 'S' AND d.deptype IN ('i', 'a'))
     UNION ALL
     SELECT CASE t.typtype WHEN 'd' THEN 'domain' ELSE 'type' END, n.nspname::text, NULL, t.typname::text, NULL, NULL, NULL, NULL
       FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
      WHERE ${users} AND t.typtype IN ('d', 'e', 'r') AND ${own("pg_type", "t.oid")}
     UNION ALL
     SELECT CASE p.prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END, n.nspname::text, NULL, p.proname::text, NULL, NULL, NULL, NULL
       FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE ${users} AND ${own("pg_proc", "p.oid")}
     UNION ALL
     SELECT 'trigger', n.nspname::text, t.relname::text, g.tgname::text, NULL, NULL, NULL, NULL
       FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND NOT g.tgisinternal AND NOT t.relispartition AND t.relname <> '_rowferry'
     UNION ALL
     SELECT 'policy', n.nspname::text, t.relname::text, p.polname::text, NULL, NULL, NULL, NULL
       FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class t ON t.oid = p.polrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users}
     UNION ALL
     SELECT 'extension', NULL, NULL, e.extname::text, NULL, NULL, NULL, NULL FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql'
     UNION ALL
     SELECT 'publication', NULL, NULL, p.pubname::text, NULL, NULL, NULL, NULL FROM pg_catalog.pg_publication p`,
  );
  return rows.map(({ schema, table, to, ...found }) => ({
    ...found,
    ...(found.kind === "primary key" ? { name: "", index: found.name } : {}),
    ...(to === null ? {} : { to }),
    ...(schema === null || table === null ? { schema } : { of: [schema, table] as const }),
  }));
}

/** A table as a key of maps. */
export const tableOf = ([schema, table]: TableName): string => `${schema}\0${table}`;
