import { EngineError } from "../contract.ts";
import type { Session } from "./connection.ts";
import { sqlState } from "./errors.ts";
import { literal, qualified } from "./names.ts";

/** Where the fence's table stands in a PostgreSQL database, and how it comes to be. */

export const fenceTableName = "_rowferry";
const columns = ["body", "epoch", "id", "kind", "name"];
const comment = "Rowferry keeps here what a running copy has made; it is dropped when the copy is done.";

/** The fence's table in this database, quoted. Errors: `target_in_use` when a table of that name is someone else's. */
export async function findTable(session: Session): Promise<string | undefined> {
  const found = await session.query<{ schema: string; columns: string[] }>(
    `SELECT n.nspname AS schema, ARRAY(
        SELECT a.attname::text FROM pg_catalog.pg_attribute a
         WHERE a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attname COLLATE "C") AS columns
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relname = $1 AND c.relkind = 'r' AND n.nspname !~ '^pg_' ORDER BY n.nspname = 'public' DESC, n.nspname`,
    [fenceTableName],
  );
  const first = found.find((table) => table.columns.join() === columns.join());
  if (first !== undefined) return qualified(first.schema, fenceTableName);
  if (found[0] === undefined) return undefined;
  throw new EngineError(
    "target_in_use",
    `the target database has a table ${qualified(found[0].schema, fenceTableName)} that is not Rowferry's: rename it, or name another database`,
  );
}

/** Finds the table or makes it with this owner at epoch 0. Quoted, schema first. */
export async function placeTable(session: Session, owner: string, ownerName: string): Promise<string> {
  const there = await findTable(session);
  if (there !== undefined) return there;
  const schema = (await firstWritableSchema(session)) ?? (await makeSchema(session));
  const table = qualified(schema, fenceTableName);
  try {
    // One string is one transaction: the table never stands without its row.
    await session.run(`
      CREATE TABLE ${table} (
        id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
        kind text NOT NULL, name text NOT NULL, epoch bigint NOT NULL, body text);
      CREATE UNIQUE INDEX ON ${table} (kind) WHERE kind IN ('fence', 'result');
      COMMENT ON TABLE ${table} IS ${literal(comment)};
      INSERT INTO ${table} (kind, name, epoch, body) VALUES ('fence', ${literal(owner)}, 0, ${literal(ownerName)})`);
    return table;
  } catch (error) {
    // Another worker made it at the same moment: 42P07 duplicate table, 23505 duplicate in the catalogue.
    if (!["42P07", "23505"].includes(sqlState(error) ?? "")) throw error;
    const made = await findTable(session);
    if (made === undefined) throw error;
    return made;
  }
}

async function firstWritableSchema(session: Session): Promise<string | undefined> {
  const [row] = await session.query<{ nspname: string }>(
    `SELECT nspname FROM pg_catalog.pg_namespace
      WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' AND pg_catalog.has_schema_privilege(oid, 'CREATE')
      ORDER BY nspname = 'public' DESC, nspname LIMIT 1`,
  );
  return row?.nspname;
}

async function makeSchema(session: Session): Promise<string> {
  await session.run(`CREATE SCHEMA IF NOT EXISTS ${qualified(fenceTableName)}`);
  return fenceTableName;
}
