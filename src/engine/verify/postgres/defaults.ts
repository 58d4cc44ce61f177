import type { Session } from "../../postgres/driver/connection.ts";
import type { ComparedObject } from "../same-engine.ts";
import { isThere, type OwnedObject, type Roles, words } from "./roles.ts";

/** What PostgreSQL gives by default on objects that are yet to be made (ALTER DEFAULT PRIVILEGES), side by side. */

interface Defaults extends OwnedObject {
  /** What a role that has said nothing gives to everybody on such objects. */
  builtIn: string | null;
}

/** Those of the source, each with the target's; of what the target alone gives a note says so. */
export async function defaultRights(
  source: Session,
  target: Session,
  roles: Roles,
  notes: Set<string>,
): Promise<{ one: ComparedObject; other: ComparedObject | undefined }[]> {
  const [here, there] = await Promise.all([readDefaults(source), readDefaults(target)]);
  const counts = ({ owner, rights }: OwnedObject) => rights.filter(([grantee]) => grantee !== owner);
  for (const [name, found] of there) {
    const known = new Set((here.get(name)?.rights ?? []).map(words)).add(found.builtIn ?? "");
    const alone = counts(found)
      .map(words)
      .filter((one) => !known.has(one));
    if (alone.length > 0) notes.add(`default rights ${name} give in the target alone ${alone.sort().join(", ")}`);
    if (here.has(name) || found.builtIn === null || counts(found).map(words).includes(found.builtIn)) continue;
    notes.add(`default rights ${name} give no ${found.builtIn} in the target`);
  }
  return [...here].flatMap(([name, held]) => {
    if (!roles.own.has(held.owner)) {
      notes.add(`default rights of role ${held.owner} are not in the target, which has no such role to act as`);
      return [];
    }
    const found = there.get(name);
    const ours = counts(held)
      .filter(([grantee]) => isThere(grantee, roles, notes))
      .map(words);
    const theirs = new Set(found === undefined ? [held.builtIn] : counts(found).map(words));
    // Taken back in the source, which no right of it can say.
    const left =
      held.builtIn !== null && !ours.includes(held.builtIn) && theirs.has(held.builtIn) ? [held.builtIn] : [];
    const seen = (rights: readonly string[]): ComparedObject => ({
      kind: held.kind,
      name,
      aspects: [{ aspect: "grants", value: [...rights].sort().join(", "), settled: true, shown: true }],
    });
    if (ours.length === 0 && left.length === 0) return [];
    return [{ one: seen(ours), other: found && seen([...ours.filter((one) => theirs.has(one)), ...left]) }];
  });
}

async function readDefaults(session: Session): Promise<Map<string, Defaults>> {
  const rows = await session.query<Defaults>(
    `SELECT 'default rights' AS kind, pg_catalog.pg_get_userbyid(d.defaclrole)::text AS owner,
            CASE WHEN d.defaclnamespace = 0 THEN CASE d.defaclobjtype WHEN 'f' THEN 'EXECUTE to PUBLIC' WHEN 'T' THEN 'USAGE to PUBLIC' END END AS "builtIn",
            pg_catalog.concat_ws(' ', 'of', pg_catalog.pg_get_userbyid(d.defaclrole), 'on',
              CASE d.defaclobjtype WHEN 'r' THEN 'tables' WHEN 'S' THEN 'sequences' WHEN 'f' THEN 'routines' WHEN 'T' THEN 'types' WHEN 'n' THEN 'schemas' ELSE 'large objects' END,
              'in ' || n.nspname) AS name,
            (SELECT COALESCE(pg_catalog.json_agg(pg_catalog.json_build_array(CASE WHEN a.grantee <> 0 THEN pg_catalog.pg_get_userbyid(a.grantee) END, a.privilege_type, a.is_grantable)), '[]')
               FROM pg_catalog.aclexplode(d.defaclacl) a WHERE a.privilege_type <> 'MAINTAIN') AS rights
       FROM pg_catalog.pg_default_acl d LEFT JOIN pg_catalog.pg_namespace n ON n.oid = d.defaclnamespace`,
  );
  return new Map(rows.map((row) => [row.name, row]));
}
