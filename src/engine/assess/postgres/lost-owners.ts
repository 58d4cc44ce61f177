import { printable } from "../../contract/text/printable.ts";
import { type Thing, thingKey } from "../../postgres/catalogue/inventory.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { fullNameSql } from "../../postgres/driver/names.ts";
import { actAs, type OwnerStays, ownerReason, schemaOf } from "../../postgres/target/owners.ts";
import type { ReportFinding } from "../finding.ts";

/** Owners that the copy cannot keep: roles that the target lacks, that its user may not act as, or that lack a right there. */

interface Owned {
  owner: string;
  schema: string;
  kind: string;
  /** As the inventory names it; null for what every copy makes. */
  name: string | null;
  /** The source grants the owner CREATE on the schema, and a copy grants it in the target too. */
  granted: boolean;
}

const owned = `SELECT DISTINCT pg_catalog.pg_get_userbyid(o.owner)::text AS owner, n.nspname::text AS schema, o.kind, o.name,
    EXISTS (SELECT FROM pg_catalog.aclexplode(n.nspacl) a WHERE a.grantee = o.owner AND a.privilege_type = 'CREATE') AS granted
  FROM (
    SELECT c.oid, c.relnamespace AS space, c.relowner AS owner,
           CASE c.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' WHEN 'S' THEN 'sequence' ELSE 'table' END AS kind,
           ${fullNameSql("s.nspname", "c.relname")} AS name
      FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace s ON s.oid = c.relnamespace WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')
    UNION ALL SELECT oid, pronamespace, proowner, 'function', NULL FROM pg_catalog.pg_proc
    UNION ALL SELECT t.oid, t.typnamespace, t.typowner, 'type', NULL FROM pg_catalog.pg_type t
      WHERE t.typtype IN ('d', 'e', 'r') OR t.typtype = 'c' AND EXISTS (SELECT FROM pg_catalog.pg_class r WHERE r.oid = t.typrelid AND r.relkind = 'c')
  ) o JOIN pg_catalog.pg_namespace n ON n.oid = o.space
  WHERE n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_depend d WHERE d.objid = o.oid AND d.deptype = 'e')`;

export async function reportOwners(
  source: Session,
  target: Session,
  wanted: readonly Pick<Thing, "kind" | "name">[],
  report: ReportFinding,
): Promise<void> {
  const kept = new Set(wanted.map(thingKey));
  const all = (await source.query<Owned & Record<string, unknown>>(owned)).filter(
    ({ kind, name }) => name === null || kept.has(thingKey({ kind, name })),
  );
  const owners = [...new Set(all.map(({ owner }) => owner))];
  const schemas = [...new Set(all.map(({ schema }) => schema))];
  const roles = await target.query<{ name: string; acts: boolean; user: string; free: boolean; lacks: string[] }>(
    `SELECT r.rolname::text AS name, ${actAs(target.version, "r.oid")} AS acts, current_user::text AS user,
            (SELECT rolsuper FROM pg_catalog.pg_roles WHERE rolname = current_user) AS free,
            ARRAY(SELECT n.nspname::text FROM pg_catalog.pg_namespace n WHERE n.nspname = ANY ($2::text[])
                    AND NOT pg_catalog.has_schema_privilege(r.oid, n.oid, 'CREATE')) AS lacks
       FROM pg_catalog.pg_roles r WHERE r.rolname = ANY ($1::text[]) OR r.rolname = current_user`,
    [owners, schemas],
  );
  const user = roles[0]?.user ?? "";
  const tell = (stays: OwnerStays) => {
    const { reason, fix } = ownerReason(stays);
    report(
      "warning",
      "owner_lost",
      `role ${printable(stays.owner)}`,
      `its objects${schemaOf(stays)} will belong to ${printable(user)} in the target: ${reason}`,
      fix,
    );
  };
  for (const owner of owners.sort()) {
    if (owner === user) continue;
    const role = roles.find(({ name }) => name === owner);
    if (role === undefined || !role.acts) {
      tell({ owner, user, why: role === undefined ? "unknown" : "not a member" });
      continue;
    }
    if (role.free) continue;
    for (const schema of role.lacks)
      if (all.some((one) => one.owner === owner && one.schema === schema && !one.granted))
        tell({ owner, user, why: "refused", schema, message: `${printable(owner)} may not create objects there` });
  }
}
