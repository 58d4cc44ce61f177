import type { InventoryEntry } from "../../../contract/index.ts";
import type { Session as Reader } from "../../../mysql/driver/session.ts";
import { errorNumber } from "../../../mysql/driver/write-session.ts";
import { readGrants, type SourceGrant } from "../../../mysql/source/grants.ts";
import type { Session as Target } from "../../../postgres/driver/connection.ts";
import { serverMessage, sqlState } from "../../../postgres/driver/errors.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import { fenced } from "../../../postgres/fence/fence.ts";
import type { TablePlan } from "../tables/table-plan.ts";
import type { Finishing } from "./finishing-run.ts";

/** Rights on tables, for accounts whose name a role of the target has; the others are named with what they had. */

const rights = new Set(["SELECT", "INSERT", "UPDATE", "DELETE", "REFERENCES", "TRIGGER"]);

const ofOwner = "PostgreSQL grants no such right: only the table's owner has it";
const ofRoutines = "routines are not copied: grant EXECUTE on each function once it is rewritten";
const onSchema = "PostgreSQL grants this by CREATE on the schema, to be granted by hand";

/** Why each of MySQL's other rights has no grant, and what takes its place. */
const others: Readonly<Record<string, string>> = {
  CREATE: onSchema,
  "CREATE VIEW": onSchema,
  "CREATE ROUTINE": onSchema,
  "CREATE TEMPORARY TABLES": "PostgreSQL grants TEMPORARY on the database, which every role has unless it was revoked",
  EXECUTE: ofRoutines,
  "ALTER ROUTINE": "routines are not copied; in PostgreSQL only a function's owner may change it",
  "SHOW VIEW": "PostgreSQL shows the definition of a view to every role",
  "LOCK TABLES": "PostgreSQL needs no such right: a role may lock a table by its other rights on it",
  EVENT: "PostgreSQL has no events",
};

interface Planned {
  entry: InventoryEntry;
  /** Undefined: it cannot be made. */
  grant: string | undefined;
}

export async function makeGrants(
  { sessions, fence, scheme }: Finishing,
  reader: Reader,
  plans: readonly TablePlan[],
): Promise<InventoryEntry[]> {
  const found = await readGrants(reader, scheme.database);
  const inventory = await unseen(reader, scheme.database);
  if (found.length === 0) return inventory;
  await sessions.use(async (session) => {
    const names = await readRoles(session);
    const madeSchema = (await fence.made()).some(({ kind, name }) => kind === "schema" && name[0] === scheme.schema);
    for (const { entry, grant } of planGrants(found, plans, scheme, names)) {
      inventory.push(entry);
      if (grant === undefined) continue;
      const [role] = grant.match(/"(?:[^"]|"")*"(?= WITH GRANT OPTION$|$)/) ?? [];
      try {
        await fenced(session, fence, () =>
          session.run(madeSchema ? `GRANT USAGE ON SCHEMA ${qualified(scheme.schema)} TO ${role}; ${grant}` : grant),
        );
      } catch (error) {
        if (sqlState(error) === undefined) throw error;
        Object.assign(entry, { outcome: "reported", note: `it could not be made: ${serverMessage(error)}` });
      }
    }
  });
  return inventory;
}

/** What `makeGrants` would answer, by the target's roles of this moment, if none was refused. */
export async function plannedGrants(
  reader: Reader,
  target: Pick<Target, "query">,
  plans: readonly TablePlan[],
  scheme: Finishing["scheme"],
): Promise<InventoryEntry[]> {
  const found = await readGrants(reader, scheme.database);
  const roles = found.length === 0 ? new Set<string>() : await readRoles(target);
  const planned = planGrants(found, plans, scheme, roles).map(({ entry }) => entry);
  return [...(await unseen(reader, scheme.database)), ...planned];
}

async function readRoles(session: Pick<Target, "query">): Promise<Set<string>> {
  const roles = await session.query<{ name: string }>("SELECT rolname AS name FROM pg_roles WHERE rolname !~ '^pg_'");
  return new Set(roles.map(({ name }) => name));
}

function planGrants(
  found: readonly SourceGrant[],
  plans: readonly TablePlan[],
  { database, schema }: Finishing["scheme"],
  roles: ReadonlySet<string>,
): Planned[] {
  const hosts = new Map<string, Set<string>>();
  for (const { user, host } of found) hosts.set(user, (hosts.get(user) ?? new Set()).add(host));
  return found.flatMap((given): Planned[] => {
    const { user, host, on, right, grantable } = given;
    if (right === "USAGE") return [];
    const words = on.kind === "database" ? `${database}.*` : `${on.name}${columnsIn(on, (column) => column)}`;
    const name = `${right} on ${words} to ${user}@${host}`;
    const definition = `GRANT ${right} ON ${words} TO '${user}'@'${host}'${grantable ? " WITH GRANT OPTION" : ""}`;
    const not = (note: string): Planned[] => [
      { entry: { kind: "grant", name, outcome: "reported", note, definition }, grant: undefined },
    ];
    if (on.kind !== "database" && on.kind !== "table") return not("its routine is not copied");
    const tables = plans.filter(({ source }) => on.kind === "database" || source.name === on.name);
    if (tables.length === 0) return not("the object that it is on is not copied");
    if (!rights.has(right)) return not(others[right] ?? ofOwner);
    if (!roles.has(user)) return not(`the target has no role ${user}: create it there, then run the GRANT`);
    if ((hosts.get(user)?.size ?? 0) > 1)
      return not(`${user} has rights of its own by host, which one role cannot have: grant what it is to have`);
    const list = tables.map((plan) => qualified(schema, plan.name)).join(", ");
    const [only] = tables;
    const note = [
      ...(on.kind === "database" ? ["on the tables that were copied"] : []),
      ...(host === "%" || host === "" ? [] : [`from every host, not ${host} alone`]),
    ].join("; ");
    const named = (column: string) =>
      identifier(only?.columns.find(({ source }) => source.name === column)?.name ?? column);
    return [
      {
        entry: { kind: "grant", name, outcome: "converted", ...(note === "" ? {} : { note }) },
        grant: `GRANT ${right}${columnsIn(on, named)} ON ${list} TO ${identifier(user)}${grantable ? " WITH GRANT OPTION" : ""}`,
      },
    ];
  });
}

const columnsIn = (on: SourceGrant["on"], named: (column: string) => string): string =>
  on.kind === "table" && on.columns !== undefined ? ` (${on.columns.map(named).join(", ")})` : "";

const unseen = async (reader: Reader, database: string): Promise<InventoryEntry[]> =>
  (await seesAll(reader))
    ? []
    : [
        {
          kind: "grant",
          name: `${database}.*`,
          outcome: "reported",
          note: "only the user's own rights can be seen; those of other accounts need SELECT ON mysql.*",
        },
      ];

/** Whoever may read the grant tables is told of everybody's rights by information_schema. */
async function seesAll(reader: Reader): Promise<boolean> {
  try {
    await reader.query("SELECT 1 FROM mysql.tables_priv, mysql.db LIMIT 0");
    return true;
  } catch (error) {
    if (errorNumber(error) === undefined) throw error;
    return false;
  }
}
