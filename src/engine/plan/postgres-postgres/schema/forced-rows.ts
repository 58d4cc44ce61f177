import { type CopyOptions, EngineError } from "../../../contract/index.ts";
import { fullName } from "../../../contract/text/full-name.ts";
import { printable } from "../../../contract/text/printable.ts";
import { shortList } from "../../../contract/text/short-list.ts";
import type { Session } from "../../../postgres/driver/connection.ts";

/**
 * Tables with FORCE ROW LEVEL SECURITY, whose rows are hidden from their own maker once the copy is whole: their values could not
 * be compared at its end.
 */

/** `tables` are those that are copied. Errors: EngineError `permission_denied`, before anything is written. */
export async function refuseForcedRows(
  source: Session,
  target: Session,
  tables: readonly { oid: number }[],
  { verify, content }: Pick<CopyOptions, "verify" | "content">,
): Promise<void> {
  // Into tables that are there the rows themselves are refused.
  if (verify !== "checksum" || (content ?? "all") !== "all") return;
  const [role] = await target.query<{ sees: boolean }>(
    "SELECT rolsuper OR rolbypassrls AS sees FROM pg_catalog.pg_roles WHERE rolname = current_user",
  );
  if (role?.sees) return;
  const forced = await source.query<{ oid: number; schema: string; name: string }>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p') AND c.relrowsecurity AND c.relforcerowsecurity ORDER BY 2, 3`,
  );
  const copied = new Set(tables.map(({ oid }) => oid));
  const names = forced.flatMap(({ oid, schema, name }) => (copied.has(oid) ? [printable(fullName(schema, name))] : []));
  if (names.length === 0) return;
  const { user } = target.place.endpoint;
  throw new EngineError(
    "permission_denied",
    `user "${user}" of the target could not compare the values of ${shortList(names, 5)}, which FORCE ROW LEVEL SECURITY hides once they are copied; give that user BYPASSRLS, or copy with verify: counts`,
    { side: "target" },
  );
}
