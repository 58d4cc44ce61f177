import { printable } from "../../../contract/text/printable.ts";
import { ofUsers } from "../../../postgres/catalogue/tables.ts";
import type { Session } from "../../../postgres/driver/connection.ts";

/**
 * Code of the source that runs in the target while it is copied, or later with its owner's rights. Under a superuser
 * it has the whole server, though whoever wrote it may only own tables in the source.
 */

interface Found {
  what: string;
  names: string[];
}

const most = 10;

/** Sentences for the report; none unless the target's user is a superuser. */
export async function codeWarnings(source: Session, target: Session): Promise<string[]> {
  const [user] = await target.query<{ superuser: boolean }>(
    "SELECT rolsuper AS superuser FROM pg_catalog.pg_roles WHERE rolname = current_user",
  );
  if (!user?.superuser) return [];
  const found = await source.query<Found>(
    `WITH code AS (
       SELECT p.oid, n.nspname || '.' || p.proname AS name, p.prosecdef FROM pg_catalog.pg_proc p
         JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
        WHERE ${ofUsers("n.nspname")} AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d
               WHERE d.classid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.objid = p.oid AND d.deptype = 'e')),
     called AS (
       SELECT code.name, d.classid, d.objid FROM code JOIN pg_catalog.pg_depend d
           ON d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.refobjid = code.oid),
     all_found AS (
       SELECT 1 AS place, 'check constraints, which run as rows are written' AS what, o.conname || ' calls ' || called.name AS name
         FROM called JOIN pg_catalog.pg_constraint o ON called.classid = 'pg_catalog.pg_constraint'::pg_catalog.regclass AND o.oid = called.objid
       UNION ALL SELECT 2, 'defaults and generated columns', f.adrelid::pg_catalog.regclass || ' calls ' || called.name
         FROM called JOIN pg_catalog.pg_attrdef f ON called.classid = 'pg_catalog.pg_attrdef'::pg_catalog.regclass AND f.oid = called.objid
       UNION ALL SELECT 3, 'indexes and views, which are computed from rows', COALESCE(r.ev_class, c.oid)::pg_catalog.regclass || ' calls ' || called.name
         FROM called LEFT JOIN pg_catalog.pg_class c ON called.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND c.oid = called.objid
              LEFT JOIN pg_catalog.pg_rewrite r ON called.classid = 'pg_catalog.pg_rewrite'::pg_catalog.regclass AND r.oid = called.objid
        WHERE c.relkind IN ('i', 'I') OR r.oid IS NOT NULL
       UNION ALL SELECT 4, 'event triggers, which run at any change of the schema', e.evtname::text FROM pg_catalog.pg_event_trigger e
         JOIN code ON code.oid = e.evtfoid
       UNION ALL SELECT 5, 'SECURITY DEFINER functions, which run with their owner''s rights', name FROM code WHERE prosecdef)
     SELECT what, pg_catalog.array_agg(DISTINCT name ORDER BY name) AS names FROM all_found GROUP BY place, what ORDER BY place`,
  );
  return found.map(({ what, names }) => {
    const more = names.length > most ? ` and ${names.length - most} more` : "";
    const list = names.slice(0, most).map(printable).join(", ");
    return `the target's user is a superuser, and the source brings code that may run with its rights: ${what}: ${list}${more}; name a user in the target that is no superuser, as the owner of the database`;
  });
}
