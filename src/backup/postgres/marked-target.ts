import { readInventory } from "../../engine/postgres/catalogue/inventory.ts";
import { ofUsers } from "../../engine/postgres/catalogue/tables.ts";
import type { Session } from "../../engine/postgres/driver/connection.ts";
import { sqlState } from "../../engine/postgres/driver/errors.ts";
import { literal } from "../../engine/postgres/driver/names.ts";
import { sharedKinds } from "../../engine/run/fence/claims.ts";
import { type MarkedTarget, markName } from "../attempts.ts";

/**
 * The mark is a schema whose comment names the restore. Objects of kinds that `objects` does not list, and large objects, are never
 * dropped.
 */
export const markedTarget = (session: Session): MarkedTarget<{ kind: string; name: string }[]> => ({
  async mark() {
    const [mark] = await session.query<{ text: string | null }>(
      `SELECT pg_catalog.obj_description(n.oid, 'pg_namespace') AS text FROM pg_catalog.pg_namespace n WHERE n.nspname = ${literal(markName)}`,
    );
    return mark?.text;
  },
  /** Without the right to make the schema there is no mark, and another attempt finds a database that is not empty. */
  async setMark(text) {
    try {
      await session.run(`CREATE SCHEMA ${markName}; COMMENT ON SCHEMA ${markName} IS ${literal(text)}`);
    } catch (error) {
      if (!["42501", "42P06"].includes(sqlState(error) ?? "")) throw error;
    }
  },
  async dropMark() {
    await session.run(`DROP SCHEMA ${markName}`);
  },
  read: async () => (await readInventory(session, new Set())).filter(({ kind }) => !sharedKinds.has(kind)),
  objects: (found) => found,
  async drop() {
    for (const { statement } of await session.query<{ statement: string }>(objects)) await session.run(statement);
  },
});

const own = (catalog: string, oid: string) =>
  `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype IN ('e', 'i'))`;
const users = ofUsers("n.nspname");
/** Nothing of others can depend on them: all that is there is of the backup. Parts of extensions and of tables go with these. */
const objects = `
  SELECT pg_catalog.format('DROP %s IF EXISTS %I.%I CASCADE',
           CASE c.relkind WHEN 'v' THEN 'VIEW' WHEN 'm' THEN 'MATERIALIZED VIEW' WHEN 'S' THEN 'SEQUENCE' WHEN 'f' THEN 'FOREIGN TABLE' ELSE 'TABLE' END,
           n.nspname, c.relname) AS statement
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
   WHERE c.relkind IN ('r', 'p', 'v', 'm', 'S', 'f') AND ${users} AND ${own("pg_class", "c.oid")}
  UNION ALL
  SELECT pg_catalog.format('DROP ROUTINE IF EXISTS %I.%I(%s) CASCADE', n.nspname, p.proname, pg_catalog.pg_get_function_identity_arguments(p.oid))
    FROM pg_catalog.pg_proc p JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
   WHERE ${users} AND ${own("pg_proc", "p.oid")}
  UNION ALL
  SELECT pg_catalog.format('DROP TYPE IF EXISTS %I.%I CASCADE', n.nspname, t.typname)
    FROM pg_catalog.pg_type t JOIN pg_catalog.pg_namespace n ON n.oid = t.typnamespace
   WHERE t.typtype IN ('c', 'd', 'e', 'r') AND (t.typrelid = 0 OR EXISTS (SELECT FROM pg_catalog.pg_class c WHERE c.oid = t.typrelid AND c.relkind = 'c'))
     AND ${users} AND ${own("pg_type", "t.oid")}`;
