import { typeBelow } from "../../../postgres/catalogue/tables.ts";
import { readXmlParts } from "../../../postgres/catalogue/xml-parts.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { literal } from "../../../postgres/driver/names.ts";
import type { TableName } from "../rows.ts";
import { type PostgresType, type Tables, type TableType, tableKey } from "../types.ts";

/** Types and keys of tables, from a PostgreSQL server's own catalogues. */

interface Row {
  oid: number;
  schema: string;
  table: string;
  kind: string;
  rows: number;
  columns: (ReadType & { column: string; modifier: number })[];
  key: string[] | null;
}

type ReadType = Omit<PostgresType, "engine" | "length" | "scale" | "xml">;

const perQuery = 500;
/** Of the length in a modifier: the four bytes that once were a header. */
const header = 4;

export async function readPostgresTypes(session: Session, names: readonly TableName[]): Promise<Tables> {
  const tables = new Map<string, TableType>();
  for (let start = 0; start < names.length; start += perQuery) {
    const list = names
      .slice(start, start + perQuery)
      .map(([schema, table]) => `(${literal(schema)}, ${literal(table)})`)
      .join(", ");
    const rows = await session.query<Row>(
      `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS table, c.relkind::text AS kind, GREATEST(c.reltuples, 0)::int8 AS rows,
              (SELECT pg_catalog.json_agg(pg_catalog.json_build_object(
                       'column', a.attname, 'name', base.typname, 'schema', s.nspname, 'kind', base.typtype,
                       'array', base.typcategory = 'A',
                       'nullable', NOT a.attnotnull OR EXISTS (SELECT FROM pg_catalog.pg_constraint k
                                    WHERE k.conrelid = a.attrelid AND k.contype = 'n' AND NOT k.convalidated AND a.attnum = ANY (k.conkey)),
                       'modifier', CASE WHEN a.atttypmod >= 0 THEN a.atttypmod ELSE base.modifier END) ORDER BY a.attnum)
                 FROM pg_catalog.pg_attribute a
                 JOIN LATERAL (
                      WITH RECURSIVE up AS (
                        SELECT t.oid, t.typname, t.typtype, t.typcategory, t.typnamespace, t.typbasetype, -1 AS modifier, t.typtypmod
                          FROM pg_catalog.pg_type t WHERE t.oid = a.atttypid
                        UNION ALL
                        SELECT b.oid, b.typname, b.typtype, b.typcategory, b.typnamespace, b.typbasetype, GREATEST(up.modifier, up.typtypmod), b.typtypmod
                          ${typeBelow})
                      SELECT * FROM up WHERE up.typbasetype = 0) base ON true
                 JOIN pg_catalog.pg_namespace s ON s.oid = base.typnamespace
                WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped) AS columns,
              (SELECT (SELECT pg_catalog.json_agg(a.attname ORDER BY k.at)
                         FROM pg_catalog.generate_series(0, i.indnkeyatts - 1) k(at)
                         JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.at])
                 FROM pg_catalog.pg_index i
                WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indimmediate AND i.indpred IS NULL AND i.indexprs IS NULL
                  AND NOT EXISTS (SELECT FROM pg_catalog.generate_series(0, i.indnkeyatts - 1) k(at)
                                    JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = i.indkey[k.at]
                                   WHERE NOT a.attnotnull)
                ORDER BY i.indisprimary DESC, i.indnkeyatts, i.indexrelid LIMIT 1) AS key
         FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
        WHERE (n.nspname, c.relname) IN (${list})`,
    );
    const composed = rows.some(({ columns }) => columns?.some(({ array, kind }) => array || kind === "c"));
    const xml = composed ? await readXmlParts(session, `(n.nspname, c.relname) IN (${list})`) : undefined;
    for (const { oid, schema, table, kind, rows: estimate, columns, key } of rows) {
      const parts = xml?.get(oid);
      tables.set(tableKey(schema, table), {
        columns: new Map(
          (columns ?? []).map(({ column, modifier, ...type }) => {
            const held = parts?.get(column);
            return [column, { ...typeOf(type, modifier), ...(held === undefined ? {} : { xml: held }) }];
          }),
        ),
        key: key ?? undefined,
        rows: estimate,
        partitioned: kind === "p",
        lockable: kind === "r",
      });
    }
  }
  return tables;
}

function typeOf(type: ReadType, modifier: number): PostgresType {
  const bounded = modifier >= 0;
  let length: number | null = null;
  if (bounded && (type.name === "varchar" || type.name === "bpchar")) length = modifier - header;
  if (bounded && (type.name === "bit" || type.name === "varbit")) length = modifier;
  // Eleven bits, with a sign since version 15.
  const scale = bounded && type.name === "numeric" ? (((modifier - header) & 0x7ff) ^ 1024) - 1024 : null;
  return { engine: "postgres", ...type, length, scale };
}
