import { EngineError, type MadeObject } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { sharedKinds } from "../../run/fence/claims.ts";
import type { Session } from "../driver/connection.ts";

/** What others made on the objects of a list, so that none of the list is dropped where the server would refuse one of them. */

const told = 5;

/** A list is the caller's, who may write anything. */
const isId = (id: string | undefined): id is string =>
  id !== undefined && /^\d{1,10}:\d{1,10}$/.test(id) && id.split(":").every((number) => Number(number) < 2 ** 32);

/**
 * What several runs may need is not looked at: another one's object in it is no reason, where that one takes it over.
 * Errors: `dependents_exist`.
 */
export async function refuseDependents(session: Session, made: readonly MadeObject[]): Promise<void> {
  const ids = [...new Set(made.flatMap(({ kind, id }) => (isId(id) && !sharedKinds.has(kind) ? [id] : [])))];
  if (ids.length === 0) return;
  const all = made.flatMap(({ id }) => (isId(id) ? [id] : []));
  const found = await session.query<{ own: string; other: string }>(
    `WITH RECURSIVE listed AS MATERIALIZED (
            SELECT pg_catalog.split_part(id, ':', 1)::pg_catalog.oid AS class, pg_catalog.split_part(id, ':', 2)::pg_catalog.oid AS object
              FROM pg_catalog.unnest($1::pg_catalog.text[]) id),
          gone AS (SELECT class, object FROM listed
             UNION SELECT d.classid, d.objid FROM gone g
                     JOIN pg_catalog.pg_depend d ON d.refclassid = g.class AND d.refobjid = g.object AND d.deptype IN ('a', 'i', 'e', 'P', 'S')),
          spared AS MATERIALIZED (SELECT class, object FROM gone
             UNION SELECT pg_catalog.split_part(id, ':', 1)::pg_catalog.oid, pg_catalog.split_part(id, ':', 2)::pg_catalog.oid
                     FROM pg_catalog.unnest($2::pg_catalog.text[]) id)
     SELECT DISTINCT pg_catalog.pg_describe_object(g.class, g.object, 0) AS own, pg_catalog.pg_describe_object(d.classid, d.objid, d.objsubid) AS other
       FROM gone g JOIN pg_catalog.pg_depend d ON d.refclassid = g.class AND d.refobjid = g.object AND d.deptype = 'n'
      WHERE NOT EXISTS (SELECT FROM spared s WHERE s.class = d.classid AND s.object = d.objid) ORDER BY 1, 2`,
    [ids, all],
  );
  if (found.length === 0) return;
  const words = found.slice(0, told).map(({ own, other }) => `${other} needs ${own}`);
  const more = found.length > told ? ` and ${found.length - told} more` : "";
  throw new EngineError(
    "dependents_exist",
    printable(
      `nothing was dropped from the target, because others' objects need what the run made: ${words.join("; ")}${more}. Drop what depends on it, then reset again`,
    ),
  );
}
