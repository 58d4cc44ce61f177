import type { InventoryEntry } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { identifier, literal, qualified } from "../mysql/names.ts";
import type { Row, Session } from "../mysql/session.ts";
import { errorNumber, targetModeOf } from "../mysql/target.ts";
import { saidBy } from "./making.ts";

/** What information_schema and mysql.procs_priv have rights on, beside the database; views and sequences are tables to them. */
type Granted = "table" | "function" | "procedure" | "package" | "package body";

/** Who has which right on what, as far as the source's user may see it. */
export interface SourceGrant {
  user: string;
  /** Empty for MariaDB's roles, and for its PUBLIC. */
  host: string;
  /** Of the database, of a table of it, of columns of one, or of a routine. */
  on: { kind: "database" } | { kind: Granted; name: string; columns?: string[] };
  right: string;
  grantable: boolean;
}

export async function readGrants(session: Session, database: string): Promise<SourceGrant[]> {
  const schema = literal(database);
  const rows = await session.query(
    `SELECT GRANTEE, TABLE_NAME, NULL, PRIVILEGE_TYPE, IS_GRANTABLE FROM information_schema.TABLE_PRIVILEGES WHERE TABLE_SCHEMA = ${schema}
     UNION ALL SELECT GRANTEE, NULL, NULL, PRIVILEGE_TYPE, IS_GRANTABLE FROM information_schema.SCHEMA_PRIVILEGES
      WHERE REPLACE(REPLACE(TABLE_SCHEMA, '\\\\_', '_'), '\\\\%', '%') = ${schema}
     UNION ALL SELECT GRANTEE, TABLE_NAME, COLUMN_NAME, PRIVILEGE_TYPE, IS_GRANTABLE FROM information_schema.COLUMN_PRIVILEGES
      WHERE TABLE_SCHEMA = ${schema}`,
  );
  const found = rows.map(([grantee, table, column, right, grantable]): SourceGrant => {
    const [user, host] = partsOf(grantee ?? "");
    const on: SourceGrant["on"] =
      typeof table === "string"
        ? { kind: "table", name: table, ...(typeof column === "string" ? { columns: [column] } : {}) }
        : { kind: "database" };
    return { user, host, on, right: right ?? "", grantable: grantable === "YES" };
  });
  return [...found, ...(await readRoutineGrants(session, schema))].filter(({ right }) => right !== "USAGE");
}

/** No view of information_schema has them, and few users may read the table. */
async function readRoutineGrants(session: Session, schema: string): Promise<SourceGrant[]> {
  let rows: Row[];
  try {
    rows = await session.query(
      `SELECT User, Host, Routine_name, Routine_type, Proc_priv FROM mysql.procs_priv WHERE Db = ${schema}`,
    );
  } catch (error) {
    if (errorNumber(error) === undefined) throw error;
    return [];
  }
  return rows.flatMap(([user, host, name, type, list]) => {
    const rights = (list ?? "").split(",").filter((right) => right !== "");
    const kind = (type ?? "").toLowerCase() as Granted;
    return rights
      .filter((right) => right !== "Grant")
      .map((right) => ({
        user: user ?? "",
        host: host ?? "",
        on: { kind, name: name ?? "" },
        right: right.toUpperCase(),
        grantable: rights.includes("Grant"),
      }));
  });
}

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
  return { outcome: "reported", note: `the target has no ${who}: make it there, then grant` };
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
      const note = `the target's server did not take it: ${saidBy(error)}`;
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

/** User and host of `'user'@'host'`; a user's name may have the same signs in it. */
function partsOf(grantee: string): [user: string, host: string] {
  const between = grantee.lastIndexOf("'@'");
  return between < 1 || !grantee.startsWith("'") || !grantee.endsWith("'")
    ? ["", ""]
    : [grantee.slice(1, between), grantee.slice(between + 3, -1)];
}
