import { printable } from "../../contract/text/printable.ts";
import type { Session } from "../../postgres/driver/connection.ts";
import { fullNameSql } from "../../postgres/driver/names.ts";
import { actAs, ownerReason } from "../../postgres/target/owners.ts";
import type { ComparedObject, Particular } from "../same-engine.ts";
import { defaultRights } from "./defaults.ts";
import { isThere, type OwnedObject, type Right, type Roles, words } from "./roles.ts";

/**
 * Owners and rights of a PostgreSQL database's objects, side by side. Roles are the server's, not the database's: what a
 * copy cannot give to a role that is not there, or that its user may not act as, is told and is no difference.
 */

/** Catalogue; kind; name; its columns of owner and rights, and how acldefault calls it; what joins it. */
type Catalogue = [
  catalogue: string,
  kind: string,
  name: string,
  owner: string,
  acl: string,
  letter: string,
  from: string,
];

const inSchema = (alias: string, column: string) => `JOIN pg_catalog.pg_namespace n ON n.oid = ${alias}.${column}`;
const named = (...columns: string[]) => fullNameSql("n.nspname", ...columns);
const relationKind =
  "CASE o.relkind WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view' WHEN 'f' THEN 'foreign table' WHEN 'S' THEN 'sequence' ELSE 'table' END";

function catalogues(version: number): Catalogue[] {
  const routine =
    version >= 110_000
      ? "CASE o.prokind WHEN 'a' THEN 'aggregate' WHEN 'p' THEN 'procedure' ELSE 'function' END"
      : "CASE WHEN o.proisagg THEN 'aggregate' ELSE 'function' END";
  const arguments_ = "'(' || pg_catalog.oidvectortypes(o.proargtypes) || ')'";
  const typeKind = "CASE o.typtype WHEN 'd' THEN 'domain' ELSE 'type' END";
  const relation = `${inSchema("o", "relnamespace")} AND o.relkind IN ('r', 'p', 'v', 'm', 'f', 'S')`;
  const relationLetter = "CASE o.relkind WHEN 'S' THEN 's' ELSE 'r' END";
  return [
    ["pg_class", relationKind, named("o.relname"), "o.relowner", "o.relacl", relationLetter, relation],
    [
      "pg_attribute",
      "'column'",
      named("c.relname", "o.attname"),
      "c.relowner",
      "o.attacl",
      "'c'",
      `JOIN pg_catalog.pg_class c ON c.oid = o.attrelid ${inSchema("c", "relnamespace")} AND o.attnum > 0 AND NOT o.attisdropped AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
    ],
    [
      "pg_proc",
      routine,
      `${named("o.proname")} || ${arguments_}`,
      "o.proowner",
      "o.proacl",
      "'f'",
      inSchema("o", "pronamespace"),
    ],
    ["pg_type", typeKind, named("o.typname"), "o.typowner", "o.typacl", "'T'", inSchema("o", "typnamespace")],
    ["pg_namespace", "'schema'", "o.nspname::text", "o.nspowner", "o.nspacl", "'n'", ""],
    [
      "pg_database",
      "'database'",
      "'itself'",
      "o.datdba",
      "o.datacl",
      "'d'",
      "JOIN (SELECT) one ON o.datname = pg_catalog.current_database()",
    ],
    ["pg_language", "'language'", "o.lanname::text", "o.lanowner", "o.lanacl", "'l'", ""],
    ["pg_foreign_data_wrapper", "'foreign data wrapper'", "o.fdwname::text", "o.fdwowner", "o.fdwacl", "'F'", ""],
    ["pg_foreign_server", "'server'", "o.srvname::text", "o.srvowner", "o.srvacl", "'S'", ""],
    [
      "pg_largeobject_metadata",
      "'large object'",
      "o.oid::text",
      "o.lomowner",
      "o.lomacl",
      "'L'",
      "WHERE o.oid = ANY ($1::pg_catalog.oid[])",
    ],
    ["pg_publication", "'publication'", "o.pubname::text", "o.pubowner", "", "", ""],
    ["pg_collation", "'collation'", named("o.collname"), "o.collowner", "", "", inSchema("o", "collnamespace")],
    ["pg_statistic_ext", "'statistics'", named("o.stxname"), "o.stxowner", "", "", inSchema("o", "stxnamespace")],
  ];
}

/** `since17`: both servers know the right MAINTAIN, which GRANT ALL gives there. */
async function readHeld(
  session: Session,
  since17: boolean,
  largeObjects: readonly number[],
): Promise<Map<string, OwnedObject>> {
  const parts = catalogues(session.version).map(([catalogue, kind, name, owner, acl, letter, from]) => {
    const explode = `SELECT pg_catalog.json_agg(pg_catalog.json_build_array(CASE WHEN a.grantee <> 0 THEN pg_catalog.pg_get_userbyid(a.grantee) END, a.privilege_type, a.is_grantable))
        FROM pg_catalog.aclexplode(COALESCE(${acl}, pg_catalog.acldefault((${letter})::"char", ${owner}))) a${since17 ? "" : " WHERE a.privilege_type <> 'MAINTAIN'"}`;
    return `SELECT ${kind} AS kind, ${name} AS name, pg_catalog.pg_get_userbyid(${owner})::text AS owner, ${acl === "" ? "NULL::json" : `(${explode})`} AS rights
       FROM pg_catalog.${catalogue} o ${from}`;
  });
  const rows = await session.query<Omit<OwnedObject, "rights"> & { rights: Right[] | null }>(
    parts.join(" UNION ALL "),
    [largeObjects],
  );
  return new Map(rows.map((row) => [keyOf(row), { ...row, rights: row.rights ?? [] }]));
}

const keyOf = ({ kind, name }: Pick<OwnedObject, "kind" | "name">) => `${kind}\0${name}`;

/** Kinds that a copy leaves as they are where they were there before it. */
const shared = new Set(["schema", "language", "foreign data wrapper"]);

/** Gives the objects of both sides their owners and rights to be compared by; answers with what cannot be as in the source. */
export async function addRights(
  [source, target]: readonly [Session, Session],
  ours: ComparedObject[],
  theirs: ComparedObject[],
  largeObjects: readonly number[],
): Promise<string[]> {
  const since17 = source.version >= 170_000 && target.version >= 170_000;
  const [here, there] = await Promise.all([
    readHeld(source, since17, largeObjects),
    readHeld(target, since17, largeObjects),
  ]);
  const rows = await target.query<{ name: string; own: boolean; user: string }>(
    `SELECT rolname::text AS name, ${actAs(target.version)} AS own, current_user::text AS user FROM pg_catalog.pg_roles`,
  );
  const roles: Roles = {
    user: rows[0]?.user ?? "",
    all: new Set(rows.map(({ name }) => name)),
    own: new Set(rows.flatMap(({ name, own }) => (own ? [name] : []))),
  };
  const others = new Map(theirs.map((one) => [keyOf(one), one]));
  const notes = new Set<string>();
  for (const one of ours) {
    const [held, found] = [here.get(keyOf(one)), there.get(keyOf(one))];
    const other = others.get(keyOf(one));
    if (held === undefined || found === undefined || other === undefined) continue;
    const both = [...compareOwners(held, found, roles, notes), ...compareRights(held, found, roles, notes)];
    for (const { aspect, values } of both)
      for (const [side, at] of [
        [one, 0],
        [other, 1],
      ] as const)
        side.aspects.push({ aspect, value: values[at], settled: true, shown: true } satisfies Particular);
  }
  for (const { one, other } of await defaultRights(source, target, roles, notes)) {
    ours.push(one);
    if (other !== undefined) theirs.push(other);
  }
  const compared = new Set(ours.map(keyOf));
  for (const [key, held] of here) {
    const found = there.get(key);
    // Languages that an extension made, and the database, are no objects of the inventory.
    if (found === undefined || compared.has(key) || !["language", "database"].includes(held.kind)) continue;
    const { lacking, alone } = onlyOf(held, found, roles, notes);
    if (lacking !== "") notes.add(`${held.kind} ${held.name} gives no ${lacking} in the target`);
    if (alone !== "") notes.add(`${held.kind} ${held.name} gives in the target alone ${alone}`);
  }
  return [...notes].map(printable).sort();
}

interface Both {
  aspect: string;
  values: readonly [source: string, target: string];
}

function compareOwners(held: OwnedObject, found: OwnedObject, { own, all, user }: Roles, notes: Set<string>): Both[] {
  if (held.owner === found.owner || held.kind === "column") return [];
  if (shared.has(held.kind)) {
    notes.add(`${held.kind} ${held.name} belongs to ${held.owner} in the source, ${found.owner} in the target`);
    return [];
  }
  if (own.has(held.owner)) return [{ aspect: "owner", values: [held.owner, found.owner] }];
  const { reason } = ownerReason({ owner: held.owner, user, why: all.has(held.owner) ? "not a member" : "unknown" });
  notes.add(`objects of role ${held.owner} belong to ${found.owner} in the target: ${reason}`);
  return [];
}

/** Rights that one side alone gives, in words. An owner's own count where it is the same on both sides. */
function onlyOf(
  held: OwnedObject,
  found: OwnedObject,
  roles: Roles,
  notes: Set<string>,
): { lacking: string; alone: string } {
  const kept = held.owner === found.owner;
  const counts = ([grantee]: Right) => kept || (grantee !== held.owner && grantee !== found.owner);
  const wanted = held.rights.filter(counts).filter(([grantee]) => isThere(grantee, roles, notes));
  const given = found.rights.filter(counts);
  const texts = (rights: readonly Right[]) => new Set(rights.map(words));
  const [ours, theirs] = [texts(wanted), texts(given)];
  const only = (some: ReadonlySet<string>, others: ReadonlySet<string>) =>
    [...some]
      .filter((one) => !others.has(one))
      .sort()
      .join(", ");
  return { lacking: only(ours, theirs), alone: only(theirs, ours) };
}

function compareRights(held: OwnedObject, found: OwnedObject, roles: Roles, notes: Set<string>): Both[] {
  const { lacking, alone } = onlyOf(held, found, roles, notes);
  if (!shared.has(held.kind)) return [{ aspect: "grants", values: [lacking, alone] }];
  if (alone !== "") notes.add(`${held.kind} ${held.name} gives in the target alone ${alone}`);
  if (lacking === "" || roles.own.has(found.owner)) return [{ aspect: "grants", values: [lacking, ""] }];
  notes.add(`${held.kind} ${held.name}, which is another's in the target, gives no ${lacking}`);
  return [];
}
