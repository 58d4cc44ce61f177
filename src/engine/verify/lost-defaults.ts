import type { InventoryEntry } from "../contract/index.ts";
import { printable } from "../contract/text/printable.ts";
import type { Session as MysqlSession } from "../mysql/driver/session.ts";
import type { Session as PostgresSession } from "../postgres/driver/connection.ts";
import type { Comparing } from "./comparing.ts";
import type { ExpectedObjects } from "./expected.ts";

/** Columns that have a default in the source and none in the target of another engine, where a copy would have made one. */
export async function lostDefaults(
  { source, target, paired }: Comparing,
  expected: ExpectedObjects,
): Promise<LostDefaults> {
  const [ours, theirs] = [await defaultsOf(source.side), await defaultsOf(target.side)];
  const counting = new Set(expected.counters.map(({ schema, table, column }) => key([schema, table], column)));
  const entries: InventoryEntry[] = [];
  const notes: string[] = [];
  for (const pair of paired.pairs)
    for (const column of pair.columns) {
      const one = key(pair.source, column.source);
      if (!ours.has(one) || theirs.has(key(pair.target, column.target)) || counting.has(one)) continue;
      const name = printable([...pair.source, column.source].join("."));
      const planned = expected.ofColumn("default", ...pair.source, column.source);
      // The copy reported it.
      if (planned?.outcome === "reported") notes.push(`default ${name}: ${planned.note ?? "not copied"}`);
      else
        entries.push({
          kind: "column",
          name,
          outcome: "reported",
          note: "it has a default in the source, none in the target",
        });
    }
  return { entries, notes };
}

export interface LostDefaults {
  entries: InventoryEntry[];
  notes: string[];
}

const key = (table: readonly string[], column: string): string => [...table, column].join("\0");

/** Columns with a default that is not NULL; of PostgreSQL's also those whose domain has one. */
async function defaultsOf(side: Comparing["source"]["side"]): Promise<Set<string>> {
  if (side.engine === "mysql") {
    const [session] = side.sessions as readonly MysqlSession[];
    const found =
      (await session?.query(
        `SELECT TABLE_SCHEMA, TABLE_NAME, COLUMN_NAME FROM information_schema.COLUMNS
          WHERE TABLE_SCHEMA = DATABASE() AND COLUMN_DEFAULT IS NOT NULL${session.server.maria ? " AND COLUMN_DEFAULT <> 'NULL'" : ""}
            AND COALESCE(GENERATION_EXPRESSION, '') = ''`,
      )) ?? [];
    return new Set(found.map(([schema, table, column]) => key([schema ?? "", table ?? ""], column ?? "")));
  }
  const [session] = side.sessions as readonly PostgresSession[];
  const found =
    (await session?.query<{ schema: string; name: string; column: string }>(
      `SELECT n.nspname AS schema, c.relname AS name, a.attname AS column FROM pg_catalog.pg_attribute a
         JOIN pg_catalog.pg_class c ON c.oid = a.attrelid AND c.relkind IN ('r', 'p') JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
         JOIN pg_catalog.pg_type t ON t.oid = a.atttypid LEFT JOIN pg_catalog.pg_attrdef d ON d.adrelid = a.attrelid AND d.adnum = a.attnum
        WHERE a.attnum > 0 AND NOT a.attisdropped AND a.attgenerated = '' AND a.attidentity = ''
          AND COALESCE(pg_catalog.pg_get_expr(d.adbin, d.adrelid), t.typdefault, 'NULL') !~ '^NULL(::|$)'`,
    )) ?? [];
  return new Set(found.map(({ schema, name, column }) => key([schema, name], column)));
}
