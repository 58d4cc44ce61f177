import type { InventoryEntry } from "../../../contract/index.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import { errorNumber, targetModeOf } from "../../../mysql/driver/write-session.ts";
import type { MysqlFence } from "../../../mysql/fence/fence.ts";
import type { Granted, SourceGrant } from "../../../mysql/source/grants.ts";
import { serverMessage } from "../copy/create-tables.ts";

interface Granting {
  /** Of the target. */
  database: string;
  prefix: string;
  /** Tables, views, sequences and routines that are in the target. */
  has(kind: Granted, name: string): boolean;
  /** Sequences in it, which get no prefix. */
  sequences: ReadonlySet<string>;
  /** Undefined where they may not be read. */
  accounts: ReadonlySet<string> | undefined;
  /** MySQL to MariaDB or back. */
  crossing: boolean;
}

/** MariaDB's roles have no host. With one, though it be empty, MariaDB takes the name for an account's. */
const accountOf = ({ user, host }: SourceGrant) => `${user}@${host}`;
const isRole = ({ host }: SourceGrant) => host === "";
const shownName = (grant: SourceGrant) => (isRole(grant) ? grant.user : accountOf(grant));

/** From this version on everybody is PUBLIC, before anything was granted to it. */
const publicSince = 101100;

function isKnown(grant: SourceGrant, { server }: Session, accounts: ReadonlySet<string>, crossing: boolean): boolean {
  // MySQL's accounts of any host, and MariaDB's roles.
  if (isRole(grant) && crossing) return false;
  if (isRole(grant) && grant.user === "PUBLIC" && server.maria && server.version >= publicSince) return true;
  return accounts.has(accountOf(grant));
}

/** Why a right is not granted, if it is not. */
function refusal(grant: SourceGrant, session: Session, granting: Granting): Fate | undefined {
  const { on } = grant;
  const { has, accounts, crossing } = granting;
  if (on.kind !== "database" && !has(on.kind, on.name))
    return { outcome: "not_applicable", note: "what it is on is not in the target" };
  if (accounts === undefined)
    return {
      outcome: "reported",
      note: "the target's user may not see which accounts there are: grant it there",
    };
  if (isKnown(grant, session, accounts, crossing)) return undefined;
  const who = `${isRole(grant) ? "role" : "account"} ${shownName(grant)}`;
  return { outcome: "reported", note: `the target has no ${who}: create it there, then run the GRANT` };
}

type Fate = Required<Pick<InventoryEntry, "outcome" | "note">>;

/** What `copyGrants` answers where the target's server takes every right. */
export const planGrants = (
  session: Session,
  grants: readonly SourceGrant[],
  granting: Granting,
): Pick<InventoryEntry, "kind" | "name" | "outcome" | "note">[] =>
  grants.map((grant) => ({
    kind: "grant",
    name: grantText(grant, session.server.maria, granting).name,
    ...(refusal(grant, session, granting) ?? { outcome: "copied" }),
  }));

/** Rights on the database, its tables, columns and routines, for the accounts that the target has. */
export async function copyGrants(
  session: Session,
  fence: MysqlFence,
  grants: readonly SourceGrant[],
  granting: Granting,
): Promise<InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const grant of grants) {
    const { name, sql } = grantText(grant, session.server.maria, granting);
    const refused = refusal(grant, session, granting);
    if (refused !== undefined) {
      entries.push({ kind: "grant", name, ...refused, definition: sql });
      continue;
    }
    await fence.guard(session);
    try {
      await granted(session, grant.on.kind, sql);
      entries.push({ kind: "grant", name, outcome: "copied" });
    } catch (error) {
      if (errorNumber(error) === undefined) throw error;
      const note = `the target's server did not take it: ${serverMessage(error)}`;
      entries.push({ kind: "grant", name, outcome: "reported", note, definition: sql });
    }
  }
  return entries;
}

/** MariaDB's words for packages are Oracle's, known only in its mode. */
async function granted(session: Session, kind: SourceGrant["on"]["kind"], sql: string): Promise<void> {
  if (kind !== "package" && kind !== "package body") return void (await session.run(sql));
  await session.run(`SET SESSION sql_mode = 'ORACLE,${targetModeOf(session.server)}'`);
  try {
    await session.run(sql);
  } finally {
    await session.run(`SET SESSION sql_mode = '${targetModeOf(session.server)}'`).catch(() => undefined);
  }
}

/** For a person, and for the target. */
function grantText(
  grant: SourceGrant,
  maria: boolean,
  { database, prefix, sequences }: Pick<Granting, "database" | "prefix" | "sequences">,
): { name: string; sql: string } {
  const { user, host, on, right, grantable } = grant;
  const account = identifier(user) + (maria && isRole(grant) ? "" : `@${identifier(host)}`);
  const text = (rights: string, what: string, object: string) => ({
    name: `${rights} on ${what} to ${shownName(grant)}`,
    sql: `GRANT ${rights} ON ${object} TO ${account}${grantable ? " WITH GRANT OPTION" : ""}`,
  });
  if (on.kind === "database") return text(right, `${database}.*`, `${pattern(database)}.*`);
  if (on.kind !== "table")
    return text(right, `${on.kind} ${on.name}`, `${on.kind.toUpperCase()} ${qualified(database, on.name)}`);
  const columns = on.columns === undefined ? "" : ` (${on.columns.map(identifier).join(", ")})`;
  return text(right + columns, on.name, qualified(database, sequences.has(on.name) ? on.name : prefix + on.name));
}

/** A database in GRANT is a pattern. */
const pattern = (database: string): string => identifier(database.replaceAll(/[\\_%]/g, "\\$&"));
