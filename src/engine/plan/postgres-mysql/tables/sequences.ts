import { ofUsers } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { letGo } from "../../../postgres/source/holding.ts";

/** The sequences of a PostgreSQL source. */

export interface SourceSequence {
  oid: number;
  schema: string;
  name: string;
  last: string | null;
  called: boolean;
  increment: string;
  /** The table whose column it belongs to, or else has it in its default; a partition's is its root. */
  owner: number | null;
  definition: string;
}

const root = (oid: string) =>
  `pg_catalog.max(COALESCE(pg_catalog.pg_partition_root(${oid})::pg_catalog.oid, ${oid})::int8)`;

/** All sequences with their values now: sequences know no snapshot. `last` is null where the user may not read it. */
export async function readSequences(session: Session): Promise<SourceSequence[]> {
  const sequences = await session.query<
    Omit<SourceSequence, "last" | "called"> & { readable: boolean; quoted: string }
  >(
    `SELECT c.oid::int8 AS oid, n.nspname AS schema, c.relname AS name, q.seqincrement::text AS increment,
            COALESCE(
              (SELECT ${root("d.refobjid")} FROM pg_catalog.pg_depend d
                WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.deptype IN ('a', 'i') AND d.refobjsubid > 0),
              (SELECT ${root("f.adrelid")} FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_attrdef f ON f.oid = d.objid
                WHERE d.classid = 'pg_catalog.pg_attrdef'::regclass AND d.refclassid = 'pg_catalog.pg_class'::regclass AND d.refobjid = c.oid)) AS owner,
            c.oid::regclass::text AS quoted,
            pg_catalog.has_table_privilege(c.oid, 'SELECT') AND pg_catalog.has_schema_privilege(n.oid, 'USAGE') AS readable,
            pg_catalog.format('CREATE SEQUENCE %I.%I AS %s INCREMENT BY %s MINVALUE %s MAXVALUE %s START WITH %s CACHE %s %s', n.nspname, c.relname,
              pg_catalog.format_type(q.seqtypid, NULL), q.seqincrement, q.seqmin, q.seqmax, q.seqstart, q.seqcache, CASE WHEN q.seqcycle THEN 'CYCLE' ELSE 'NO CYCLE' END) AS definition
       FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace JOIN pg_catalog.pg_sequence q ON q.seqrelid = c.oid
      WHERE c.relkind = 'S' AND c.relpersistence <> 't' AND ${ofUsers("n.nspname")}
        AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
      ORDER BY c.oid`,
  );
  const found = new Map<number, { last: string; called: boolean }>();
  const readable = sequences.filter((one) => one.readable);
  for (let start = 0; start < readable.length; start += 200) {
    const reads = readable
      .slice(start, start + 200)
      .map(
        ({ oid, quoted }) => `SELECT ${oid}::int8 AS oid, last_value::text AS last, is_called AS called FROM ${quoted}`,
      );
    for (const { oid, ...value } of await session.query<{ oid: number; last: string; called: boolean }>(
      reads.join(" UNION ALL "),
    ))
      found.set(oid, value);
    // Each was locked by being read, and the server's table of locks has no room for all.
    await letGo(session);
  }
  return sequences.map(({ readable: _, quoted: __, ...one }) => ({
    ...one,
    last: found.get(one.oid)?.last ?? null,
    called: found.get(one.oid)?.called ?? false,
  }));
}
