import { createHash } from "node:crypto";
import mysql from "mysql2/promise";
import pg from "pg";
import type { Database } from "../../dev/databases/index.ts";
import { kinds } from "../../dev/databases/kinds.ts";

/** What is in a database, by the plain drivers: the engine's own readers have no part in it. */

export interface Place {
  server: Database;
  database: string;
}

export const isPostgres = ({ server }: Place): boolean => kinds[server.kind].engine === "postgres";

type Row = (string | null)[];

/** Runs statements as the administrator; the last one's rows as text. `database` null: none is chosen. */
export async function sql({ server, database }: Place, statements: string): Promise<Row[]> {
  const url = server.urlOf(database, "admin");
  if (isPostgres({ server, database })) {
    const client = new pg.Client({
      connectionString: url,
      types: { getTypeParser: () => (value: unknown) => value } as pg.CustomTypesConfig,
    });
    client.on("error", () => undefined);
    await client.connect();
    try {
      const answer: unknown = await client.query({ text: statements, rowMode: "array" });
      return ((Array.isArray(answer) ? answer.at(-1) : answer) as pg.QueryArrayResult<Row>).rows;
    } finally {
      await client.end();
    }
  }
  const connection = await mysql.createConnection({
    uri: url.replace(/^mariadb:/, "mysql:"),
    multipleStatements: true,
    rowsAsArray: true,
    charset: "utf8mb4_bin",
    typeCast: (field) => field.string(),
  });
  connection.on("error", () => undefined);
  try {
    const [found, fields] = (await connection.query(statements)) as unknown as [unknown, unknown[] | undefined];
    // Of several statements each has its answer, and its own list of fields, or none.
    const several = Array.isArray(fields) && fields.some((field) => field === undefined || Array.isArray(field));
    const last: unknown = several && Array.isArray(found) ? found.at(-1) : found;
    return (Array.isArray(last) ? last : []) as Row[];
  } finally {
    connection.destroy();
  }
}

/** A hash of each table's rows in the order of their key, written the same by every server. */
export async function rowsOf(place: Place, tables: readonly string[]): Promise<Record<string, string>> {
  const postgres = isPostgres(place);
  const binary = postgres ? "encode(raw, 'hex')" : "lower(hex(raw))";
  const found: Record<string, string> = {};
  for (const table of tables) {
    const rows = await sql(place, `SELECT id, name, amount, made, ${binary}, flag FROM ${table} ORDER BY id`);
    const hash = createHash("sha256");
    for (const row of rows) hash.update(JSON.stringify(row));
    found[table] = `${rows.length} rows ${hash.digest("hex").slice(0, 16)}`;
  }
  return found;
}

/** Every object of a database in words, and how many rows each table has. */
export const catalogueOf = async (place: Place): Promise<string[]> =>
  (await sql(place, isPostgres(place) ? postgresCatalogue : mysqlCatalogue)).map((row) => row.join(" | "));

const user = "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'";
const postgresCatalogue = `
  SELECT 'relation', c.oid::regclass::text, c.relkind::text, c.relrowsecurity::text, COALESCE(obj_description(c.oid), '') FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${user}
  UNION ALL SELECT 'column', c.oid::regclass::text, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull::text FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${user} AND a.attnum > 0 AND NOT a.attisdropped
  UNION ALL SELECT 'constraint', c.conrelid::regclass::text, c.conname, pg_get_constraintdef(c.oid), '' FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace WHERE ${user}
  UNION ALL SELECT 'index', indexrelid::regclass::text, pg_get_indexdef(indexrelid), '', '' FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace n ON n.oid = c.relnamespace WHERE ${user}
  UNION ALL SELECT 'type', t.oid::regtype::text, t.typtype::text, '', '' FROM pg_type t JOIN pg_namespace n ON n.oid = t.typnamespace WHERE ${user}
  UNION ALL SELECT 'routine', p.oid::regprocedure::text, p.prosrc, '', '' FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace WHERE ${user}
  UNION ALL SELECT 'trigger', tgrelid::regclass::text, tgname, pg_get_triggerdef(oid), '' FROM pg_trigger WHERE NOT tgisinternal
  UNION ALL SELECT 'schema', nspname, COALESCE(nspacl::text, ''), '', '' FROM pg_namespace n WHERE ${user}
  UNION ALL SELECT 'extension', extname, extversion, '', '' FROM pg_extension
  ORDER BY 1, 2, 3, 4`;
const here = "= DATABASE()";
const mysqlCatalogue = `
  SELECT 'table', TABLE_NAME, TABLE_TYPE, COALESCE(ENGINE, ''), COALESCE(TABLE_COLLATION, ''), TABLE_COMMENT FROM information_schema.TABLES WHERE TABLE_SCHEMA ${here}
  UNION ALL SELECT 'column', TABLE_NAME, COLUMN_NAME, COLUMN_TYPE, IS_NULLABLE, COALESCE(COLUMN_DEFAULT, '') FROM information_schema.COLUMNS WHERE TABLE_SCHEMA ${here}
  UNION ALL SELECT 'key', TABLE_NAME, INDEX_NAME, COLUMN_NAME, SEQ_IN_INDEX, NON_UNIQUE FROM information_schema.STATISTICS WHERE TABLE_SCHEMA ${here}
  UNION ALL SELECT 'constraint', TABLE_NAME, CONSTRAINT_NAME, CONSTRAINT_TYPE, '', '' FROM information_schema.TABLE_CONSTRAINTS WHERE TABLE_SCHEMA ${here}
  UNION ALL SELECT 'trigger', EVENT_OBJECT_TABLE, TRIGGER_NAME, ACTION_STATEMENT, '', '' FROM information_schema.TRIGGERS WHERE TRIGGER_SCHEMA ${here}
  UNION ALL SELECT 'routine', ROUTINE_NAME, ROUTINE_TYPE, ROUTINE_DEFINITION, '', '' FROM information_schema.ROUTINES WHERE ROUTINE_SCHEMA ${here}
  ORDER BY 1, 2, 3, 4`;
