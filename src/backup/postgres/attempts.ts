import { sharedKinds } from "../../engine/fence/claims.ts";
import { readInventory } from "../../engine/postgres/catalogue/inventory.ts";
import { ofUsers } from "../../engine/postgres/catalogue/tables.ts";
import type { Session } from "../../engine/postgres/driver/connection.ts";
import { sqlState } from "../../engine/postgres/driver/errors.ts";
import { literal } from "../../engine/postgres/driver/names.ts";
import { printable } from "../../engine/text/printable.ts";
import { isLeftover, isMark, markName, markText } from "../leftovers.ts";
import type { Unpacking } from "../work.ts";

/** The mark of a restore that began in an empty database: a schema whose comment names the restore. */

interface Thing {
  kind: string;
  name: string;
}

/**
 * What the target has, without what an earlier attempt of this restore left there, which is dropped. An empty target is marked. Objects
 * of kinds that `objects` does not list, and large objects, are never dropped: they are in the answer.
 */
export async function beginAttempt(session: Session, work: Unpacking): Promise<Thing[]> {
  const there = await things(session);
  const [mark] = await session.query<{ text: string | null }>(findMark);
  if (there.length === 0) {
    if (isMark(mark?.text)) await session.run(`DROP SCHEMA ${markName}`);
    if (work.attempt !== undefined) await setMark(session, work.attempt);
    return there;
  }
  if (work.attempt === undefined) return there;
  const hasLarge = work.manifest.inventory.some(({ kind }) => kind === "large objects");
  if (mark?.text !== markText(work.attempt) || hasLarge || !isLeftover(work.manifest, there)) return there;
  work.log("info", `Dropping what an earlier attempt left in ${printable(work.target.database)}`);
  for (const statement of await drops(session)) await session.run(statement);
  return things(session);
}

const findMark = `SELECT pg_catalog.obj_description(n.oid, 'pg_namespace') AS text FROM pg_catalog.pg_namespace n WHERE n.nspname = ${literal(markName)}`;

/** The restore is complete: nothing is left to be dropped. */
export async function endAttempt(session: Session, { attempt }: Unpacking): Promise<void> {
  if (attempt === undefined) return;
  const [mark] = await session.query<{ text: string | null }>(findMark);
  if (mark?.text === markText(attempt)) await session.run(`DROP SCHEMA ${markName}`);
}

async function things(session: Session): Promise<Thing[]> {
  return (await readInventory(session, new Set())).filter(({ kind }) => !sharedKinds.has(kind));
}

/** Without the right to make the schema there is no mark, and another attempt finds a database that is not empty. */
async function setMark(session: Session, attempt: string): Promise<void> {
  try {
    await session.run(`CREATE SCHEMA ${markName}; COMMENT ON SCHEMA ${markName} IS ${literal(markText(attempt))}`);
  } catch (error) {
    if (!["42501", "42P06"].includes(sqlState(error) ?? "")) throw error;
  }
}

/** Nothing of others can depend on them: all that is there is of the backup. Parts of extensions and of tables go with these. */
const drops = async (session: Session): Promise<string[]> =>
  (await session.query<{ statement: string }>(objects)).map(({ statement }) => statement);

const own = (catalog: string, oid: string) =>
  `NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.classid = 'pg_catalog.${catalog}'::pg_catalog.regclass AND d.objid = ${oid} AND d.deptype IN ('e', 'i'))`;
const users = ofUsers("n.nspname");
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
