import { readGenerated, type Table } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { identifier } from "../../../postgres/driver/names.ts";
import { withLeaves } from "./via-root.ts";

/** Rows alone: columns that the source computes and the target has plain take the values that the source computed. */
export async function withPlainThere(source: Session, target: Session, tables: readonly Table[]): Promise<Table[]> {
  const generated = await readGenerated(source);
  const concerned = withLeaves(tables).filter(({ oid, extension }) => generated.has(oid) && extension === undefined);
  if (concerned.length === 0) return [...tables];
  const plain = await plainColumns(target, concerned);
  return tables.map((table) => {
    const there = table.extension === undefined ? plain.get(keyOf(table)) : undefined;
    const more = (generated.get(table.oid) ?? []).filter(({ name }) => there?.has(name) === true);
    if (more.length === 0) return table;
    // COPY refuses a generated column in its list: it is read by a query, as an expression.
    const read = more.map((column) => ({ ...column, read: column.read ?? `(${identifier(column.name)})` }));
    return { ...table, columns: [...table.columns, ...read], bare: false };
  });
}

const keyOf = ({ schema, name }: Pick<Table, "schema" | "name">) => JSON.stringify([schema, name]);

async function plainColumns(target: Session, tables: readonly Table[]): Promise<Map<string, Set<string>>> {
  const generated = target.version >= 120_000 ? "a.attgenerated <> ''" : "false";
  const rows = await target.query<{ schema: string; name: string; columns: string[] }>(
    `SELECT n.nspname AS schema, c.relname AS name, pg_catalog.json_agg(a.attname) AS columns
       FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(schema text, name text)
       JOIN pg_catalog.pg_namespace n ON n.nspname = r.schema
       JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = r.name AND c.relkind IN ('r', 'p')
       JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND NOT (${generated})
      GROUP BY 1, 2`,
    [JSON.stringify(tables.map(({ schema, name }) => ({ schema, name })))],
  );
  return new Map(rows.map(({ columns, ...table }) => [keyOf(table), new Set(columns)]));
}
