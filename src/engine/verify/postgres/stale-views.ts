import { fullName } from "../../contract/text/full-name.ts";
import { staleViews } from "../../plan/postgres-postgres/index.ts";
import type { Session } from "../../postgres/driver/connection.ts";

/** Notes on materialised views of both sides whose rows differ: a copy fills them anew. `left`: those that are left out. */
export async function staleViewNotes(source: Session, target: Session, left: ReadonlySet<string>): Promise<string[]> {
  const theirs = new Set(await readable(target));
  const both = (await readable(source)).filter((name) => theirs.has(name) && !left.has(name));
  const found = await staleViews(
    source,
    target,
    both.map((name) => ({ kind: "materialized view", name })),
  );
  return found.map(({ name, note }) => `materialized view ${name}: ${note}`);
}

/** Those that are filled and may be read: an error would end the transaction in which all is read. */
async function readable(session: Session): Promise<string[]> {
  const rows = await session.query<{ schema: string; name: string }>(
    `SELECT n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'm' AND c.relispopulated AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT')`,
  );
  return rows.map(({ schema, name }) => fullName(schema, name));
}
