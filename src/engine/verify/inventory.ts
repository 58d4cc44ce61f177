import type { Side, TableName } from "../checksum/side.ts";
import type { ColumnType } from "../checksum/types.ts";
import type { InventoryEntry } from "../contract.ts";
import { readCatalogue } from "../mysql/catalogue.ts";
import type { Session as MysqlSession } from "../mysql/session.ts";
import type { Session as PostgresSession } from "../postgres/connection.ts";
import { ofUsers } from "../postgres/source.ts";

/** The objects of both sides, read from their own catalogues and laid side by side by kind and name. */
export interface Found {
  kind: string;
  /** Schema (MySQL: database) and table that it belongs to; undefined where it stands alone. */
  of?: TableName | undefined;
  name: string;
  /** What it is in particular, in words that servers of one kind write alike. */
  detail?: string | null;
}

export async function readFound(side: Side, database: string): Promise<Found[]> {
  const [session] = side.sessions;
  if (session === undefined) return [];
  return side.engine === "mysql"
    ? readMysql(session as MysqlSession, database)
    : readPostgres(session as PostgresSession);
}

async function readMysql(session: MysqlSession, database: string): Promise<Found[]> {
  const { tables, others } = await readCatalogue(session, database);
  const found: Found[] = others.map(({ kind, name }) => ({ kind, name }));
  for (const { name: table, indexes, foreignKeys, checks } of tables) {
    if (table === "_rowferry") continue;
    const of = [database, table] as const;
    for (const { name, unique, type, parts } of indexes) {
      const columns = parts.map(
        ({ column, expression, prefix }) => `${column ?? `(${expression})`}${prefix === null ? "" : `(${prefix})`}`,
      );
      const detail = `${unique ? "UNIQUE " : ""}${type} (${columns.join(", ")})`;
      if (name === "PRIMARY") found.push({ kind: "primary key", of, name: "", detail });
      else found.push({ kind: "index", of, name, detail });
    }
    for (const { name, columns, referencedTable, referencedColumns } of foreignKeys)
      found.push({
        kind: "foreign key",
        of,
        name,
        detail: `(${columns.join(", ")}) to ${referencedTable} (${referencedColumns.join(", ")})`,
      });
    for (const { name, clause } of checks) if (!/^json_valid\(/i.test(clause)) found.push({ kind: "check", of, name });
  }
  return found;
}

async function readPostgres(session: PostgresSession): Promise<Found[]> {
  const users = ofUsers("n.nspname");
  const own = (catalog: string, oid: string) =>
    `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype IN (${catalog === "pg_proc" ? "'e', 'i'" : "'e'"}))`;
  const rows = await session.query<Omit<Found, "of"> & { schema: string | null; table: string | null }>(
    `SELECT CASE WHEN i.indisprimary THEN 'primary key' ELSE 'index' END AS kind, n.nspname::text AS schema, t.relname::text AS table,
            CASE WHEN i.indisprimary THEN '' ELSE c.relname::text END AS name,
            CASE WHEN i.indisunique THEN 'UNIQUE ' ELSE '' END || pg_catalog.substring(pg_catalog.pg_get_indexdef(i.indexrelid), ' USING (.*)$') AS detail
       FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
       JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relname <> '_rowferry' AND ${own("pg_class", "t.oid")}
     UNION ALL
     SELECT CASE o.contype WHEN 'f' THEN 'foreign key' WHEN 'x' THEN 'exclusion' ELSE 'check' END, n.nspname::text, t.relname::text, o.conname::text, pg_catalog.pg_get_constraintdef(o.oid)
       FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class t ON t.oid = o.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND o.contype IN ('f', 'c', 'x') AND NOT t.relispartition AND t.relname <> '_rowferry' AND ${own("pg_class", "t.oid")}
     UNION ALL
     SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'sequence' END, NULL, NULL, c.relname::text, NULL
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE ${users} AND c.relkind IN ('v', 'm', 'f', 'S') AND ${own("pg_class", "c.oid")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND c.relkind = 'S' AND d.deptype IN ('i', 'a'))
     UNION ALL
     SELECT CASE t.typtype WHEN 'd' THEN 'domain' ELSE 'type' END, NULL, NULL, t.typname::text, NULL
       FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
      WHERE ${users} AND t.typtype IN ('d', 'e', 'r') AND ${own("pg_type", "t.oid")}
     UNION ALL
     SELECT CASE p.prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END, NULL, NULL, p.proname::text, NULL
       FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE ${users} AND ${own("pg_proc", "p.oid")}
     UNION ALL
     SELECT 'trigger', n.nspname::text, t.relname::text, g.tgname::text, NULL
       FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND NOT g.tgisinternal AND NOT t.relispartition AND t.relname <> '_rowferry'
     UNION ALL
     SELECT 'policy', n.nspname::text, t.relname::text, p.polname::text, NULL
       FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class t ON t.oid = p.polrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users}
     UNION ALL
     SELECT 'extension', NULL, NULL, e.extname::text, NULL FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql'
     UNION ALL
     SELECT 'publication', NULL, NULL, p.pubname::text, NULL FROM pg_catalog.pg_publication p`,
  );
  return rows.map(({ schema, table, ...found }) => ({
    ...found,
    ...(schema === null || table === null ? {} : { of: [schema, table] as const }),
  }));
}

/** A table as a key of maps. */
export const tableOf = ([schema, table]: TableName): string => `${schema}\0${table}`;

/** `renamed`: tableOf() of the source → the table of the target. `alike`: both sides write details alike. */
export function compareFound(
  source: readonly Found[],
  target: readonly Found[],
  renamed: ReadonlyMap<string, TableName>,
  { across, alike }: { across: boolean; alike: boolean },
): InventoryEntry[] {
  // A name may stand in several schemas: each of the target's is used up once, the one that is equal first.
  const there = new Map<string, string[]>();
  const key = (kind: string, of: TableName | undefined, name: string) =>
    `${kind}\0${of === undefined ? "" : tableOf(of)}\0${name}`.toLowerCase();
  for (const { kind, of, name, detail } of target) {
    const one = key(kind, of, name);
    there.set(one, [...(there.get(one) ?? []), detail ?? ""]);
  }
  const take = (one: string, detail: string): string | undefined => {
    const left = there.get(one) ?? [];
    const [taken] = left.splice(Math.max(0, left.indexOf(detail)), 1);
    return taken;
  };
  return source.map(({ kind, of, name, detail: given }): InventoryEntry => {
    const shown = [...(of ?? []), name].filter((part) => part !== "").join(".");
    const entry = { kind, name: shown };
    const detail = given ?? "";
    const found = take(key(kind, of && (renamed.get(tableOf(of)) ?? of), name), detail);
    if (found === undefined) return { ...entry, outcome: "reported", note: `the target has no ${kind} of this name` };
    if (alike && found !== detail)
      return { ...entry, outcome: "reported", note: `${detail} in the source, ${found} in the target` };
    return { ...entry, outcome: across ? "converted" : "copied" };
  });
}

/** A column's type in words. */
export function typeWords(type: ColumnType): string {
  const rule = type.nullable ? "" : " NOT NULL";
  // The width by which MariaDB shows integers, and MySQL no longer does, is none of the value.
  if (type.engine === "mysql") return `${type.full.replace(/^((?:tiny|small|medium|big)?int)\(\d+\)/, "$1")}${rule}`;
  const size = [type.length, type.scale].filter((one) => one !== null).join(",");
  const schema = type.schema === "pg_catalog" ? "" : `${type.schema}.`;
  return `${schema}${type.name}${size === "" ? "" : `(${size})`}${type.array ? "[]" : ""}${rule}`;
}
