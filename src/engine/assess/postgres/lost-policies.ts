import { printable } from "../../contract/text/printable.ts";
import { type Thing, thingKey } from "../../postgres/catalogue/inventory.ts";
import { ofUsers } from "../../postgres/catalogue/tables.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { fullNameSql, identifier, partSql } from "../../postgres/driver/names.ts";
import type { ReportFinding } from "../finding.ts";

/** Policies for roles that the target lacks: it refuses them once the rows are there. */
export async function reportPolicies(
  source: Session,
  target: Session,
  wanted: readonly Pick<Thing, "kind" | "name">[],
  ends: boolean,
  report: ReportFinding,
): Promise<void> {
  const kept = new Set(wanted.map(thingKey));
  const all = await source.query<{ name: string; permissive: boolean; roles: string[] }>(
    `SELECT ${fullNameSql("n.nspname", "c.relname")} || ' ' || ${partSql("p.polname")} AS name, p.polpermissive AS permissive,
            ARRAY(SELECT r.rolname::text FROM pg_catalog.pg_roles r WHERE r.oid = ANY (p.polroles) ORDER BY 1) AS roles
       FROM pg_catalog.pg_policy p JOIN pg_catalog.pg_class c ON c.oid = p.polrelid
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
      WHERE ${ofUsers("n.nspname")} AND p.polroles <> '{0}' ORDER BY 1`,
  );
  const named = all.filter(({ name }) => kept.has(thingKey({ kind: "policy", name })));
  if (named.length === 0) return;
  const there = await target.query<{ name: string }>(
    "SELECT rolname::text AS name FROM pg_catalog.pg_roles WHERE rolname = ANY ($1::text[])",
    [[...new Set(named.flatMap(({ roles }) => roles))]],
  );
  const known = new Set(there.map(({ name }) => name));
  for (const { name, permissive, roles } of named) {
    const missing = roles.filter((role) => !known.has(role));
    if (missing.length === 0) continue;
    const object = `policy ${printable(name)}`;
    const reason = `the target has no role ${missing.map(printable).join(", ")}`;
    const making = missing.map((role) => printable(`CREATE ROLE ${identifier(role)}`)).join("; ");
    const fix = `create the role in the target before the copy: ${making}`;
    if (ends || !permissive) report("blocker", "schema_refused", object, reason, fix);
    else report("warning", "policy_lost", object, reason, fix);
  }
}
