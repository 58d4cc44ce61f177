import type { MadeObject } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import type { Fence } from "../../run/fence/fence.ts";
import type { Session } from "../driver/connection.ts";
import { fenced } from "../fence/fence.ts";

/**
 * A target may give rights on whatever is made in it (ALTER DEFAULT PRIVILEGES), which the source never gave: the run's
 * own objects get the rights that they would have without.
 */

/** Catalogue, its columns of owner and rights, how acldefault and GRANT call its kind. */
const catalogues = [
  [
    "pg_class",
    "relowner",
    "relacl",
    "CASE o.relkind WHEN 'S' THEN 's' ELSE 'r' END",
    "CASE o.relkind WHEN 'S' THEN 'SEQUENCE' ELSE 'TABLE' END",
  ],
  ["pg_proc", "proowner", "proacl", "'f'", "'ROUTINE'"],
  ["pg_type", "typowner", "typacl", "'T'", "'TYPE'"],
  ["pg_namespace", "nspowner", "nspacl", "'n'", "'SCHEMA'"],
] as const;

/** `log` hears of the roles whose rights were taken back. */
export async function withoutDefaultRights(
  session: Session,
  fence: Fence<Session>,
  log: (words: string) => void,
): Promise<void> {
  const recorded = idsOf(await fence.made());
  // A column's own sequence is made with its table.
  const owned = await session.query<{ id: string }>(
    `SELECT '1259:' || d.objid::int8 AS id FROM pg_catalog.pg_depend d JOIN pg_catalog.pg_class s ON s.oid = d.objid AND s.relkind = 'S'
      WHERE d.classid = 'pg_catalog.pg_class'::pg_catalog.regclass AND d.refclassid = d.classid AND d.deptype IN ('a', 'i')
        AND '1259:' || d.refobjid::int8 = ANY ($1::pg_catalog.text[])`,
    [recorded],
  );
  const ids = [...new Set([...recorded, ...owned.map(({ id }) => id)])];
  const parts = catalogues.map(
    ([catalogue, owner, acl, letter, word]) => `SELECT * FROM (
      SELECT ${word} AS word, i.identity, 'pg_catalog.${catalogue}'::pg_catalog.regclass::int8 AS class, o.oid, o.${acl} AS acl,
             pg_catalog.acldefault((${letter})::"char", o.${owner}) AS usual
        FROM pg_catalog.${catalogue} o, LATERAL pg_catalog.pg_identify_object('pg_catalog.${catalogue}'::pg_catalog.regclass, o.oid, 0) i
       WHERE o.${acl} IS NOT NULL AND o.oid = ANY ($1::pg_catalog.oid[])) x
       WHERE x.class || ':' || x.oid::int8 = ANY ($2::pg_catalog.text[])`,
  );
  const role =
    "CASE a.grantee WHEN 0 THEN 'PUBLIC' ELSE pg_catalog.quote_ident(pg_catalog.pg_get_userbyid(a.grantee)) END";
  const changes = await session.query<{ sql: string; role: string; taken: boolean }>(
    `WITH found AS (${parts.join(" UNION ALL ")})
     SELECT pg_catalog.format('REVOKE %s ON %s %s FROM %s', a.privilege_type, word, identity, ${role}) AS sql, ${role} AS role, true AS taken
       FROM found, LATERAL pg_catalog.aclexplode(acl) a
      WHERE NOT EXISTS (SELECT FROM pg_catalog.aclexplode(usual) u WHERE u.grantee = a.grantee AND u.privilege_type = a.privilege_type)
     UNION ALL
     SELECT pg_catalog.format('GRANT %s ON %s %s TO %s', a.privilege_type, word, identity, ${role}), ${role}, false
       FROM found, LATERAL pg_catalog.aclexplode(usual) a
      WHERE NOT EXISTS (SELECT FROM pg_catalog.aclexplode(acl) u WHERE u.grantee = a.grantee AND u.privilege_type = a.privilege_type)`,
    [ids.map((id) => id.slice(id.indexOf(":") + 1)), ids],
  );
  for (let start = 0; start < changes.length; start += batch) {
    const some = changes.slice(start, start + batch).map(({ sql }) => sql);
    await fenced(session, fence, () => session.run(some.join("; ")));
  }
  const roles = [...new Set(changes.flatMap((change) => (change.taken ? [change.role] : [])))].sort();
  if (roles.length > 0)
    log(
      `Rights that the target gives on all new objects (to ${printable(roles.join(", "))}) were taken back from those of the copy`,
    );
}

const batch = 200;

const idsOf = (made: readonly MadeObject[]) => [...new Set(made.flatMap(({ id }) => id ?? []))];
