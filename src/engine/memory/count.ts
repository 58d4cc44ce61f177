import type { Opened } from "../opened.ts";
import { ofUsers } from "../postgres/source.ts";
import type { Counted } from "./need.ts";

/** Tables, views and their columns, in one query that is quick for tens of thousands of them. */
export async function countTables({ engine, session }: Opened): Promise<Counted> {
  if (engine === "postgres") {
    const [row] = await session.query<Counted>(
      `SELECT pg_catalog.count(*) AS tables, COALESCE(pg_catalog.sum(c.relnatts), 0)::int8 AS columns
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}`,
    );
    return row ?? { tables: 0, columns: 0 };
  }
  const [row] = await session.query(
    "SELECT COUNT(DISTINCT TABLE_NAME), COUNT(*) FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = DATABASE()",
  );
  const [tables, columns] = row ?? [];
  return { tables: Number(tables ?? 0), columns: Number(columns ?? 0) };
}

/** By statistics. */
export async function countRows({ engine, session }: Opened): Promise<number> {
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
