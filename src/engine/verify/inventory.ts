import type { Side } from "../checksum/side.ts";
import type { InventoryEntry } from "../contract.ts";
import { readCatalogue } from "../mysql/catalogue.ts";
import type { Session as MysqlSession } from "../mysql/session.ts";
import type { Session as PostgresSession } from "../postgres/connection.ts";
import { ofUsers } from "../postgres/source.ts";

/** The objects of both sides, read from their own catalogues and laid side by side by kind and name. */
export interface Found {
  kind: string;
  /** Of the object that it belongs to, as in the source; "" where it stands alone. */
  table: string;
  name: string;
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
  const found: Found[] = others.map(({ kind, name }) => ({ kind, table: "", name }));
  for (const { name: table, indexes, foreignKeys, checks } of tables) {
    if (table === "_rowferry") continue;
    for (const { name } of indexes)
      found.push({ kind: name === "PRIMARY" ? "primary key" : "index", table, name: name === "PRIMARY" ? "" : name });
    for (const { name } of foreignKeys) found.push({ kind: "foreign key", table, name });
    for (const { name, clause } of checks)
      if (!/^json_valid\(/i.test(clause)) found.push({ kind: "check", table, name });
  }
  return found;
}

async function readPostgres(session: PostgresSession): Promise<Found[]> {
  const users = ofUsers("n.nspname");
  const own = (catalog: string, oid: string) =>
    `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype IN (${catalog === "pg_proc" ? "'e', 'i'" : "'e'"}))`;
  return session.query<Found>(
    `SELECT CASE WHEN i.indisprimary THEN 'primary key' ELSE 'index' END AS kind, t.relname::text AS table,
            CASE WHEN i.indisprimary THEN '' ELSE c.relname::text END AS name
       FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid JOIN pg_catalog.pg_class t ON t.oid = i.indrelid
       JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND t.relkind IN ('r', 'p') AND NOT t.relispartition AND t.relname <> '_rowferry' AND ${own("pg_class", "t.oid")}
     UNION ALL
     SELECT CASE o.contype WHEN 'f' THEN 'foreign key' WHEN 'x' THEN 'exclusion' ELSE 'check' END, t.relname::text, o.conname::text
       FROM pg_catalog.pg_constraint o JOIN pg_catalog.pg_class t ON t.oid = o.conrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND o.contype IN ('f', 'c', 'x') AND NOT t.relispartition AND t.relname <> '_rowferry' AND ${own("pg_class", "t.oid")}
     UNION ALL
     SELECT CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' ELSE 'sequence' END, '', c.relname::text
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE ${users} AND c.relkind IN ('v', 'm', 'f', 'S') AND ${own("pg_class", "c.oid")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND c.relkind = 'S' AND d.deptype IN ('i', 'a'))
     UNION ALL
     SELECT CASE t.typtype WHEN 'd' THEN 'domain' ELSE 'type' END, '', t.typname::text
       FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
      WHERE ${users} AND t.typtype IN ('d', 'e', 'r') AND ${own("pg_type", "t.oid")}
     UNION ALL
     SELECT CASE p.prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END, '', p.proname::text
       FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
      WHERE ${users} AND ${own("pg_proc", "p.oid")}
     UNION ALL
     SELECT 'trigger', t.relname::text, g.tgname::text
       FROM pg_catalog.pg_trigger g JOIN pg_catalog.pg_class t ON t.oid = g.tgrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users} AND NOT g.tgisinternal AND NOT t.relispartition AND t.relname <> '_rowferry'
     UNION ALL
     SELECT 'policy', t.relname::text, p.polname::text
       FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class t ON t.oid = p.polrelid JOIN pg_catalog.pg_namespace n ON n.oid = t.relnamespace
      WHERE ${users}
     UNION ALL
     SELECT 'extension', '', e.extname::text FROM pg_catalog.pg_extension e WHERE e.extname <> 'plpgsql'
     UNION ALL
     SELECT 'publication', '', p.pubname::text FROM pg_catalog.pg_publication p`,
  );
}

/** `renamed`: source table → target table, both without their schemas. */
export function compareFound(
  source: readonly Found[],
  target: readonly Found[],
  renamed: ReadonlyMap<string, string>,
  across: boolean,
): InventoryEntry[] {
  // A name may stand in several schemas: each of the target's is used up once.
  const there = new Map<string, number>();
  const key = (kind: string, table: string, name: string) => `${kind}\0${table}\0${name}`.toLowerCase();
  for (const { kind, table, name } of target) {
    const one = key(kind, table, name);
    there.set(one, (there.get(one) ?? 0) + 1);
  }
  const take = (one: string) => {
    const left = there.get(one) ?? 0;
    if (left > 0) there.set(one, left - 1);
    return left > 0;
  };
  return source.map(({ kind, table, name }): InventoryEntry => {
    const shown = [table, name].filter((part) => part !== "").join(".");
    const entry = { kind, name: shown };
    if (take(key(kind, renamed.get(table) ?? table, name)))
      return { ...entry, outcome: across ? "converted" : "copied" };
    return { ...entry, outcome: "reported", note: `the target has no ${kind} of this name` };
  });
}
