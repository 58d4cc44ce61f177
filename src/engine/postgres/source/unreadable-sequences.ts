import { EngineError } from "../../contract/index.ts";
import { fullName } from "../../contract/text/full-name.ts";
import { printable } from "../../contract/text/printable.ts";
import { ofUsers, type Sequence } from "../catalogue/tables.ts";
import type { Session } from "../driver/connection.ts";
import { identifier } from "../driver/names.ts";

/** Sequences whose values the user may not read: pg_dump fails on the first of them, and so does whoever copies the value. */

/** Of a row of pg_class `c` and its schema `n`. The function fails for what is no sequence, and a planner may ask it first. */
export const mayReadSequence =
  "CASE WHEN c.relkind = 'S' THEN pg_catalog.has_sequence_privilege(c.oid, 'SELECT') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') ELSE false END";

/** Without those of extensions. */
export const readUnreadableSequences = (session: Session): Promise<Sequence[]> =>
  session.query<Sequence>(
    `SELECT n.nspname AS schema, c.relname AS name
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind = 'S' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT ${mayReadSequence}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY 1, 2`,
  );

const most = 20;

/** For a person: at most twenty, and how many more. */
export function sequenceNames(sequences: readonly Sequence[]): string {
  const all = sequences.map(({ schema, name }) => printable(fullName(schema, name))).sort();
  const names = all.slice(0, most);
  const more = sequences.length - names.length;
  return `${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

/** The statements that fix it. */
export function sequenceGrant(sequences: readonly Sequence[], user: string): string {
  const schemas = [...new Set(sequences.map(({ schema }) => identifier(schema)))].sort().join(", ");
  const to = identifier(user);
  return printable(
    `GRANT USAGE ON SCHEMA ${schemas} TO ${to}; GRANT SELECT ON ALL SEQUENCES IN SCHEMA ${schemas} TO ${to}`,
  );
}

/** Errors: `schema_unreadable` with all of them (of those that are wanted) and the fix. */
export async function refuseUnreadableSequences(session: Session, wanted?: readonly Sequence[]): Promise<void> {
  const names = wanted && new Set(wanted.map(({ schema, name }) => fullName(schema, name)));
  const refused = (await readUnreadableSequences(session)).filter(
    ({ schema, name }) => names?.has(fullName(schema, name)) !== false,
  );
  if (refused.length === 0) return;
  const { user } = session.place.endpoint;
  throw new EngineError(
    "schema_unreadable",
    `user "${user}" may not read ${refused.length} of the source's sequences: ${sequenceNames(refused)}; ${sequenceGrant(refused, user)}`,
  );
}
