import type { CopyOptions } from "../../contract/index.ts";
import { createSelection } from "../../run/selection.ts";
import type { Session } from "../driver/connection.ts";
import { ofUsers } from "./tables.ts";

/** Which relations of a source a copy does not read, told by their names alone: there may be very many. */

/** Oids of the tables and views that the options leave out. Partitions go with their root. */
export async function readSkippedRelations(
  session: Session,
  options: Pick<CopyOptions, "include" | "exclude">,
): Promise<ReadonlySet<number>> {
  if (options.include === undefined && options.exclude === undefined) return new Set();
  const selection = createSelection(options);
  const all = await session.query<{ oid: number; schema: string; name: string }>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, r.relname AS name
       FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_class r ON r.oid = CASE WHEN c.relispartition THEN pg_catalog.pg_partition_root(c.oid) ELSE c.oid END
       JOIN pg_catalog.pg_namespace n ON n.oid = r.relnamespace
      WHERE c.relkind IN ('r', 'p', 'm', 'f', 'v') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}`,
  );
  return new Set(all.flatMap(({ oid, schema, name }) => (selection.has(schema, name) ? [] : [oid])));
}
