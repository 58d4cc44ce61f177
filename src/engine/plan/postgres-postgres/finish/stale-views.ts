import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import type { Thing } from "../../../postgres/catalogue/inventory.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { sqlState } from "../../../postgres/driver/errors.ts";
import { qualified } from "../../../postgres/driver/names.ts";
import { filter, map } from "../../../run/memory/iterators.ts";

/**
 * Materialised views are filled by their queries in the target, since nothing else writes into them: where the source's
 * is older than its tables, or its query answers otherwise each time, the rows are not those of the source.
 */
export async function staleViews(
  source: Session,
  target: Session,
  things: Iterable<Pick<Thing, "kind" | "name">>,
  /** Those that others filled, by their names. */
  others: ReadonlySet<string> = new Set(),
): Promise<{ name: string; note: string }[]> {
  const wanted = new Set(
    map(
      filter(things, ({ kind }) => kind === "materialized view"),
      ({ name }) => name,
    ),
  );
  if (wanted.size === 0) return [];
  const found: { name: string; note: string }[] = [];
  const views = await source.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'm' AND c.relispopulated ORDER BY 1, 2`,
  );
  for (const { schema, name } of views) {
    const label = fullName(schema, name);
    if (!wanted.has(label)) continue;
    const [ours, theirs] = await Promise.all([sumOf(source, schema, name), sumOf(target, schema, name)]);
    if (ours === undefined || theirs === undefined) {
      const filled = others.has(label) ? "filled before the copy" : "filled by its query in the target";
      found.push({ name: label, note: `${filled}; whether its rows are equal is not known` });
      continue;
    }
    if (ours.sum === theirs.sum && ours.rows === theirs.rows) continue;
    const rows = ours.rows === theirs.rows ? "" : `: ${ours.rows} rows in the source, ${theirs.rows} in the target`;
    if (others.has(label)) {
      const fix = `run REFRESH MATERIALIZED VIEW ${qualified(schema, name)} there`;
      const note = `filled in the target before the copy, and its rows differ from the source${rows}: ${fix}`;
      found.push({ name: label, note });
      continue;
    }
    found.push({
      name: label,
      note: `filled by its query in the target, and its rows differ from the source: its tables changed after its last refresh, or its query does not always return the same rows${rows}`,
    });
  }
  return found.map(({ name, note }) => ({ name: printable(name), note }));
}

interface Sum {
  rows: string;
  sum: string;
}

/** By the texts of the rows; undefined where they may not be read. */
async function sumOf(session: Session, schema: string, name: string): Promise<Sum | undefined> {
  try {
    const [row] = await session.query<Sum>(
      `SELECT pg_catalog.count(*)::pg_catalog.text AS rows,
              COALESCE(pg_catalog.sum(pg_catalog.hashtextextended(v::pg_catalog.text, 0)::pg_catalog.numeric), 0)::pg_catalog.text AS sum FROM ${qualified(schema, name)} v`,
    );
    return row;
  } catch (error) {
    // 42P01: it was not made; 55000: not filled; 42501: not to be read.
    if (["42P01", "55000", "42501"].includes(sqlState(error) ?? "")) return undefined;
    throw error;
  }
}
