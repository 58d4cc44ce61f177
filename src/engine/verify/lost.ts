import type { InventoryEntry } from "../contract/index.ts";
import { printable } from "../contract/text/printable.ts";
import { identifier as mysqlIdentifier, qualified as mysqlQualified } from "../mysql/driver/names.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import { identifier, literal, qualified } from "../postgres/driver/names.ts";
import { type Comparing, pairedColumns } from "./comparing.ts";
import type { ExpectedObjects } from "./expected.ts";

/** What columns have lost across engines: that they take no NULL, and that they count up past what is there. */

const entryOf = (name: string, note: string): InventoryEntry => ({
  kind: "column",
  name: printable(name),
  outcome: "reported",
  note: printable(note),
});

/** A copy drops NOT NULL only where values became NULL, which are there then. */
export async function lostNotNulls(
  comparing: Comparing,
  expected: ExpectedObjects,
): Promise<{ entries: InventoryEntry[]; notes: string[] }> {
  const entries: InventoryEntry[] = [];
  const notes: string[] = [];
  for (const { pair, column, one, other } of pairedColumns(comparing)) {
    if (one.nullable || !other.nullable) continue;
    // MariaDB's grammar has no NOT NULL for what is generated.
    const computed = expected.ofColumn("generated column", ...pair.source, column.source);
    if (computed?.outcome === "converted" && other.engine === "mysql" && other.maria) continue;
    const name = [...pair.source, column.source].join(".");
    if (await hasNull(comparing.target, pair.target, column.target))
      notes.push(`column ${name}: NULL replaces values that the target does not support, so the column is nullable`);
    else entries.push(entryOf(name, "NOT NULL in the source, not in the target"));
  }
  return { entries, notes };
}

async function hasNull(
  { side }: Comparing["target"],
  name: readonly [string, string],
  column: string,
): Promise<boolean> {
  if (side.engine === "mysql") {
    const [session] = side.sessions as readonly MysqlSession[];
    const sql = `SELECT 1 FROM ${mysqlQualified(...name)} WHERE ${mysqlIdentifier(column)} IS NULL LIMIT 1`;
    return ((await session?.query(sql)) ?? []).length > 0;
  }
  const [session] = side.sessions as readonly PostgresSession[];
  const sql = `SELECT 1 AS found FROM ${qualified(...name)} WHERE ${identifier(column)} IS NULL LIMIT 1`;
  return ((await session?.query(sql)) ?? []).length > 0;
}

/** Columns that no longer count up, or whose next number is taken already. */
export async function lostCounters(
  { target, paired }: Comparing,
  expected: ExpectedObjects,
): Promise<InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const { schema, table, column } of expected.counters) {
    const pair = paired.pairs.find(({ source }) => source[0] === schema && source[1] === table);
    const there = pair?.columns.find((one) => one.source === column)?.target;
    if (pair === undefined || there === undefined) continue;
    const [session] = target.side.sessions;
    const words =
      session === undefined
        ? undefined
        : target.side.engine === "mysql"
          ? await wordsOfMysql(session as MysqlSession, pair.target, there)
          : await wordsOfPostgres(session as PostgresSession, pair.target, there);
    if (words !== undefined) entries.push(entryOf(`${schema}.${table}.${column}`, words));
  }
  return entries;
}

const uncounting = "it counts up in the source, not in the target";

/** InnoDB goes past the largest that is there by itself. */
async function wordsOfMysql(
  session: MysqlSession,
  name: readonly [string, string],
  column: string,
): Promise<string | undefined> {
  const rows = await session.query(`SHOW COLUMNS FROM ${mysqlQualified(...name)}`);
  const extra = rows.find(([field]) => field === column)?.at(-1) ?? "";
  return /auto_increment/i.test(extra) ? undefined : uncounting;
}

async function wordsOfPostgres(
  session: PostgresSession,
  name: readonly [string, string],
  column: string,
): Promise<string | undefined> {
  const [found] = await session.query<{ schema: string; name: string; increment: string }>(
    `SELECT n.nspname AS schema, s.relname AS name, q.seqincrement::text AS increment
       FROM pg_catalog.pg_attribute a
       JOIN pg_catalog.pg_depend d ON d.refclassid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refobjid = a.attrelid AND d.refobjsubid = a.attnum
            AND d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.deptype IN ('a', 'i')
       JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S' JOIN pg_catalog.pg_namespace n ON n.oid = s.relnamespace
       JOIN pg_catalog.pg_sequence q ON q.seqrelid = s.oid
      WHERE a.attrelid = ${literal(qualified(...name))}::pg_catalog.regclass AND a.attname = ${literal(column)} AND (a.attidentity <> '' OR a.atthasdef)`,
  );
  if (found === undefined) return uncounting;
  const [state] = await session.query<{ next: string; highest: string | null }>(
    `SELECT (last_value + CASE WHEN is_called THEN ${BigInt(found.increment)} ELSE 0 END)::text AS next,
            (SELECT pg_catalog.max(${identifier(column)})::text FROM ${qualified(...name)}) AS highest FROM ${qualified(found.schema, found.name)}`,
  );
  if (state === undefined || state.highest === null || BigInt(state.next) > BigInt(state.highest)) return undefined;
  return `its next number is ${state.next}, and ${state.highest} is there already`;
}
