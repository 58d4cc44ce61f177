import type { Session } from "../driver/connection.ts";

/**
 * The parts of a column's type that its name does not show: fields of a composite type, elements of an array, a range's
 * bounds, below all domains. Two databases may have different types under one name.
 */
export interface TypePart {
  /** From the column on: `.field`, `[]` an element, `..` a bound. */
  path: string;
  /** As format_type writes it, with its length. */
  type: string;
  /** Of an enumeration. */
  labels: string[] | null;
}

/** The first oid of a type that a user or an extension made. */
const firstOfUsers = 16_384;

/** For each table its columns with such a type, each with its parts in the order of their text. Only reads. */
export async function readTypeParts(
  session: Session,
  tables: readonly { schema: string; name: string }[],
): Promise<Map<string, TypePart[]>[]> {
  const rows = await session.query<TypePart & { at: number; column: string }>(
    `WITH RECURSIVE part AS (
       SELECT r.at, a.attname AS name, ''::pg_catalog.text COLLATE "C" AS path, ARRAY[]::int4[] AS place, a.atttypid AS oid, a.atttypmod AS typmod
         FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS r(at int4, schema text, name text)
         JOIN pg_catalog.pg_namespace n ON n.nspname = r.schema
         JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = r.name
         JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped AND a.atttypid >= ${firstOfUsers}
       UNION ALL
       SELECT p.at, p.name, (p.path || next.step) COLLATE "C", p.place || next.place, next.oid, next.typmod
         FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid
         CROSS JOIN LATERAL (
              SELECT '' AS step, 0 AS place, t.typbasetype AS oid, CASE WHEN p.typmod >= 0 THEN p.typmod ELSE t.typtypmod END AS typmod WHERE t.typtype = 'd'
              UNION ALL SELECT '[]', 0, t.typelem, p.typmod WHERE ${isArray}
              UNION ALL SELECT '.' || f.attname, f.attnum, f.atttypid, f.atttypmod
                          FROM pg_catalog.pg_attribute f WHERE t.typtype = 'c' AND f.attrelid = t.typrelid AND f.attnum > 0 AND NOT f.attisdropped
              UNION ALL SELECT '..', 0, g.rngsubtype, -1 FROM pg_catalog.pg_range g WHERE t.typtype = 'r' AND g.rngtypid = t.oid) next)
     SELECT p.at::int8 AS at, p.name AS column, p.path, pg_catalog.format_type(t.oid, p.typmod) AS type,
            (SELECT pg_catalog.json_agg(l.enumlabel ORDER BY l.enumsortorder) FROM pg_catalog.pg_enum l WHERE t.typtype = 'e' AND l.enumtypid = t.oid) AS labels
       FROM part p JOIN pg_catalog.pg_type t ON t.oid = p.oid
      WHERE p.path <> '' AND t.typtype NOT IN ('d', 'c', 'r') AND NOT ${isArray}
      ORDER BY p.at, p.name, p.place`,
    [JSON.stringify(tables.map(({ schema, name }, at) => ({ at, schema, name })))],
  );
  const found = tables.map(() => new Map<string, TypePart[]>());
  for (const { at, column, ...part } of rows) {
    const parts = found[at]?.get(column) ?? [];
    found[at]?.set(column, [...parts, part]);
  }
  return found;
}

const isArray = "(t.typtype = 'b' AND t.typcategory = 'A' AND t.typelem <> 0)";
