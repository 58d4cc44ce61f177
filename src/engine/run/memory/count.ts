import type { CopyOptions, Endpoint } from "../../contract/index.ts";
import { readSelectable, skippedRelations } from "../../postgres/catalogue/selectable.ts";
import { readSkippedRelations } from "../../postgres/catalogue/skipped-relations.ts";
import { ofUsers } from "../../postgres/catalogue/tables.ts";
import { notAmong } from "../../postgres/driver/names.ts";
import type { OpenedDatabase } from "../open-database.ts";
import { createSelection } from "../selection.ts";
import type { Counted } from "./need.ts";

type Patterns = Pick<CopyOptions, "include" | "exclude">;

/** Tables, views and their columns, in queries that are quick for tens of thousands of them; those that the options leave out apart. */
export async function countTables(
  opened: OpenedDatabase,
  target: Endpoint["engine"],
  options: Patterns,
): Promise<Counted> {
  const all = await countAll(opened);
  if (options.include === undefined && options.exclude === undefined) return all;
  const { tables, columns } = await countSelected(opened, target, options);
  return { tables, columns, left: { tables: all.tables - tables, columns: all.columns - columns } };
}

async function countSelected({ engine, session }: OpenedDatabase, target: Endpoint["engine"], options: Patterns) {
  if (engine === "postgres") {
    const left =
      target === "postgres"
        ? skippedRelations(await readSelectable(session), options)
        : await readSkippedRelations(session, options);
    return countAll({ engine, session }, `AND ${notAmong("c.oid", left)}`);
  }
  const counted = { tables: 0, columns: 0 };
  const selection = createSelection(options);
  for (const [database, table, columns] of await session.query(
    "SELECT TABLE_SCHEMA, TABLE_NAME, COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE() GROUP BY TABLE_SCHEMA, TABLE_NAME",
  )) {
    if (!selection.has(database ?? "", table ?? "")) continue;
    counted.tables++;
    counted.columns += Number(columns);
  }
  return counted;
}

/** `only`: a further condition, of PostgreSQL's relation `c`. */
export async function countAll({ engine, session }: OpenedDatabase, only = ""): Promise<Counted> {
  if (engine === "postgres") {
    const [row] = await session.query<Counted>(
      `SELECT pg_catalog.count(*) AS tables, COALESCE(pg_catalog.sum(c.relnatts), 0)::int8 AS columns
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")} ${only}`,
    );
    return row ?? { tables: 0, columns: 0 };
  }
  const [row] = await session.query(
    "SELECT COUNT(DISTINCT TABLE_NAME), COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()",
  );
  const [tables, columns] = row ?? [];
  return { tables: Number(tables ?? 0), columns: Number(columns ?? 0) };
}

/** Tables alone, without views. */
export async function countSourceTables({ engine, session }: OpenedDatabase): Promise<number> {
  if (engine === "postgres") {
    const [row] = await session.query<{ tables: number }>(
      `SELECT pg_catalog.count(*) AS tables FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}`,
    );
    return row?.tables ?? 0;
  }
  const [row] = await session.query(
    "SELECT COUNT(*) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE() AND TABLE_TYPE <> 'VIEW'",
  );
  return Number(row?.[0] ?? 0);
}

/** By statistics. */
export async function countRows({ engine, session }: OpenedDatabase): Promise<number> {
  if (engine === "postgres") {
    const [row] = await session.query<{ rows: number }>(
      `SELECT COALESCE(pg_catalog.sum(c.reltuples) FILTER (WHERE c.reltuples > 0), 0)::int8 AS rows
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind = 'r' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}`,
    );
    return row?.rows ?? 0;
  }
  const [row] = await session.query(
    "SELECT COALESCE(SUM(TABLE_ROWS), 0) FROM information_schema.TABLES WHERE TABLE_SCHEMA = DATABASE()",
  );
  return Number(row?.[0] ?? 0);
}
