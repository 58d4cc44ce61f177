import type { Session } from "../driver/connection.ts";

/** Checks of tables, as new rows meet them. */
interface TableCondition {
  name: string;
  clause: string;
  /** Every row fulfils it. */
  holds: boolean;
}

/** For each table its checks. Only reads. */
export async function readConditions(
  session: Session,
  tables: readonly { schema: string; name: string }[],
): Promise<TableCondition[][]> {
  const enforced = session.version >= 180_000 ? "o.conenforced" : "true";
  const rows = await session.query<TableCondition & { at: number }>(
    `SELECT r.at::int8 AS at, o.conname AS name, pg_catalog.pg_get_expr(o.conbin, o.conrelid) AS clause, o.convalidated AS holds
       FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(at int4, schema text, name text)
       JOIN pg_catalog.pg_namespace n ON n.nspname = r.schema
       JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = r.name
       JOIN pg_catalog.pg_constraint o ON o.conrelid = c.oid AND o.contype = 'c' AND ${enforced}
      ORDER BY r.at, o.conname`,
    [JSON.stringify(tables.map(({ schema, name }, at) => ({ at, schema, name })))],
  );
  const found = tables.map((): TableCondition[] => []);
  for (const { at, ...condition } of rows) found[at]?.push(condition);
  return found;
}
