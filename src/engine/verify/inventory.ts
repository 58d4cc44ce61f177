import type { TablePair } from "../checksum/index.ts";
import type { Side, TableName } from "../checksum/side.ts";
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
  /** Of what stands alone, where it has one. */
  schema?: string | null;
  /** Of keys and indexes that are of whole columns only: their columns, in order. */
  columns?: readonly string[] | null;
  unique?: boolean | null;
  /** Of a foreign key: the table that it refers to, and its columns there. */
  to?: TableName | undefined;
  toColumns?: readonly string[] | null;
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

async function readPostgres(session: PostgresSession): Promise<Found[]> {
  const users = ofUsers("n.nspname");
  const own = (catalog: string, oid: string) =>
    `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype IN (${catalog === "pg_proc" ? "'e', 'i'" : "'e'"}))`;
  const names = (relation: string, numbers: string) =>
    `(SELECT pg_catalog.json_agg(a.attname ORDER BY k.at) FROM pg_catalog.unnest(${numbers}) WITH ORDINALITY k(number, at) JOIN pg_catalog.pg_attribute a ON a.attrelid = ${relation} AND a.attnum = k.number)`;
  const keyColumns = session.version >= 110_000 ? "i.indnkeyatts" : "i.indnatts";
  const rows = await session.query<
    Omit<Found, "of" | "to"> & { schema: string | null; table: string | null; to: [string, string] | null }
  >(
    `SELECT CASE WHEN i.indisprimary THEN 'primary key' ELSE 'index' END AS kind, n.nspname::text AS schema, t.relname::text AS table,
            CASE WHEN i.indisprimary THEN '' ELSE c.relname::text END AS name,
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
     SELECT CASE t.typtype WHEN 'd' THEN 'domain' ELSE 'type' END, NULL, NULL, t.typname::text, NULL, NULL, NULL, NULL
       FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
      WHERE ${users} AND t.typtype IN ('d', 'e', 'r') AND ${own("pg_type", "t.oid")}
     UNION ALL
     SELECT CASE p.prokind WHEN 'p' THEN 'procedure' WHEN 'a' THEN 'aggregate' ELSE 'function' END, NULL, NULL, p.proname::text, NULL, NULL, NULL, NULL
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
    ...(to === null ? {} : { to }),
    ...(schema === null || table === null ? { schema } : { of: [schema, table] as const }),
  }));
}

/** A table as a key of maps. */
export const tableOf = ([schema, table]: TableName): string => `${schema}\0${table}`;

/**
 * By name, or by the name with the table's or a schema's prefix before it, which the copy gives where a name is taken or
 * means more there; keys and indexes by their columns as well. `pairs`: tableOf() of the source → its pair.
 */
export function compareFound(
  source: readonly Found[],
  target: readonly Found[],
  pairs: ReadonlyMap<string, TablePair>,
  { outcome, prefixes }: { outcome: "converted" | "copied"; prefixes: readonly string[] },
): InventoryEntry[] {
  const group = (kind: string, of: TableName | undefined) => `${kind}\0${of === undefined ? "" : tableOf(of)}`;
  // A name may stand in several schemas: each of the target's is used up once.
  const there = new Map<string, Found[]>();
  for (const one of target) {
    const key = group(one.kind, one.of);
    const some = there.get(key);
    if (some === undefined) there.set(key, [one]);
    else some.push(one);
  }
  const alikeName = (one: Found, name: string) => one.name.toLowerCase() === name.toLowerCase();
  const wanted = source.map((one) => ({
    one,
    pair: one.of && pairs.get(tableOf(one.of)),
    found: undefined as Found | undefined,
  }));
  const take = (match: (one: Found, other: Found, pair: TablePair | undefined) => boolean) => {
    for (const each of wanted) {
      if (each.found !== undefined) continue;
      const left = there.get(group(each.one.kind, each.pair?.target ?? each.one.of)) ?? [];
      const at = left.findIndex((other) => match(each.one, other, each.pair));
      if (at >= 0) [each.found] = left.splice(at, 1);
    }
  };
  take((one, other, pair) => alikeName(other, one.name) && alikeColumns(one, other, pair, pairs) !== false);
  take((one, other, pair) => alikeColumns(one, other, pair, pairs) === true);
  take((one, other, pair) =>
    ["", ...(pair === undefined ? prefixes : [`${pair.source[1]}_`, `${pair.target[1]}_`])].some((prefix) =>
      alikeName(other, prefix + one.name),
    ),
  );
  return wanted.map(({ one, pair, found }): InventoryEntry => {
    const { kind, of, name } = one;
    const entry = { kind, name: [...(of ?? []), name].filter((part) => part !== "").join(".") };
    const byColumns = one.columns ? " or of its columns" : "";
    if (found === undefined)
      return { ...entry, outcome: "reported", note: `the target has no ${kind} of this name${byColumns}` };
    if (alikeColumns(one, found, pair, pairs) === false)
      return {
        ...entry,
        outcome: "reported",
        note: `${definition(one)} in the source, ${definition(found)} in the target`,
      };
    return { ...entry, outcome };
  });
}

/** Undefined where they cannot be compared by columns. */
function alikeColumns(
  one: Found,
  other: Found,
  pair: TablePair | undefined,
  pairs: ReadonlyMap<string, TablePair>,
): boolean | undefined {
  if (!one.columns || !other.columns || (one.unique ?? false) !== (other.unique ?? false)) {
    return one.columns && other.columns ? false : undefined;
  }
  if (!sameNames(one.columns, other.columns, pair)) return false;
  if (!one.to || !other.to) return true;
  const referred = pairs.get(tableOf(one.to));
  return (
    referred !== undefined &&
    tableOf(referred.target) === tableOf(other.to) &&
    sameNames(one.toColumns ?? [], other.toColumns ?? [], referred)
  );
}

const sameNames = (ours: readonly string[], theirs: readonly string[], pair: TablePair | undefined): boolean =>
  ours.length === theirs.length &&
  ours.every((name, at) => {
    const planned = pair?.columns.find(({ source }) => source.toLowerCase() === name.toLowerCase())?.target ?? name;
    return planned.toLowerCase() === theirs[at]?.toLowerCase();
  });

const definition = ({ unique, columns, to, toColumns }: Found): string =>
  `${unique ? "UNIQUE " : ""}(${(columns ?? []).join(", ")})${to ? ` to ${to.join(".")} (${(toColumns ?? []).join(", ")})` : ""}`;
