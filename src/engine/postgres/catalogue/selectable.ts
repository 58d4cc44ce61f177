import type { CopyOptions } from "../../contract/index.ts";
import { createSelection } from "../../run/selection.ts";
import type { Session } from "../driver/connection.ts";
import { ofUsers } from "./tables.ts";

/** Tables and views that the options `include` and `exclude` may name. A partition goes with its table. */

interface Selectable {
  oid: number;
  schema: string;
  table: string;
  /** It is copied with what it reads, and only `exclude` speaks of it. */
  view: boolean;
  /** The tables that it is a partition of, from the next one up. */
  above: { schema: string; table: string }[];
}

/** Every table and view that a pattern may name. */
export const readSelectable = (source: Session) =>
  source.query<Selectable>(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS table, c.relkind IN ('v', 'm') AS view,
            COALESCE((SELECT pg_catalog.json_agg(pg_catalog.json_build_object('schema', an.nspname, 'table', a.relname))
                        FROM pg_catalog.pg_partition_ancestors(c.oid) p JOIN pg_catalog.pg_class a ON a.oid = p.relid
                        JOIN pg_catalog.pg_namespace an ON an.oid = a.relnamespace WHERE c.relispartition AND p.relid <> c.oid), '[]') AS above
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE c.relkind IN ('r', 'p', 'v', 'm') AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}`,
  );

/** Oids of the tables and views that the options leave out. Errors: `option_unmatched`. */
export function unselected(all: readonly Selectable[], options: Pick<CopyOptions, "include" | "exclude">): Set<number> {
  createSelection(options).refuseUnmatched(all);
  return skippedRelations(all, options);
}

/** The same, whatever the patterns match. */
export function skippedRelations(
  all: readonly Selectable[],
  { include, exclude }: Pick<CopyOptions, "include" | "exclude">,
): Set<number> {
  const wanted = createSelection(include ? { include } : {});
  const spared = createSelection(exclude ? { exclude } : {});
  return new Set(
    all.flatMap(({ oid, view, above, ...own }) => {
      const names = [own, ...above];
      const some = view || names.some(({ schema, table }) => wanted.has(schema, table));
      return some && names.every(({ schema, table }) => spared.has(schema, table)) ? [] : [oid];
    }),
  );
}
