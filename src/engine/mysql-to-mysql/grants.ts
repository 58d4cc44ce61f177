import type { InventoryEntry } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { identifier, literal, qualified } from "../mysql/names.ts";
import type { Row, Session } from "../mysql/session.ts";
import { errorNumber } from "../mysql/target.ts";
import { saidBy } from "./making.ts";

/** Who has which right on what, as far as the source's user may see it. */
export interface SourceGrant {
  user: string;
  host: string;
  /** Of the database, of a table of it, of columns of one, or of a routine. */
  on: { kind: "database" } | { kind: "table" | "function" | "procedure"; name: string; columns?: string[] };
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
    const [, user = "", host = ""] = /^'([\s\S]*)'@'([\s\S]*)'$/.exec(grantee ?? "") ?? [];
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
    const kind = type === "FUNCTION" ? ("function" as const) : ("procedure" as const);
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
  /** Tables and routines that are in the target. */
  has(kind: "table" | "function" | "procedure", name: string): boolean;
  /** Undefined where they may not be read. */
  accounts: ReadonlySet<string> | undefined;
}

/** Rights on the database, its tables, columns and routines, for the accounts that the target has. */
export async function copyGrants(
  session: Session,
  fence: MysqlFence,
  grants: readonly SourceGrant[],
  { database, prefix, has, accounts }: Granting,
): Promise<InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const grant of grants) {
    const { user, host, on } = grant;
    const account = `${user}@${host}`;
    const { name, sql } = grantText(grant, database, prefix);
    const entry = (outcome: InventoryEntry["outcome"], note: string) =>
      entries.push({ kind: "grant", name, outcome, note, definition: sql });
    if (on.kind !== "database" && !has(on.kind, on.name)) entry("not_applicable", "what it is on is not in the target");
    else if (accounts === undefined)
      entry("reported", "the target's user may not see which accounts there are: grant it there");
    else if (!accounts.has(account))
      entry("reported", `the target has no account ${account}: make it there, then grant`);
    else {
      await fence.guard(session);
      try {
        await session.run(sql);
        entries.push({ kind: "grant", name, outcome: "copied" });
      } catch (error) {
        if (errorNumber(error) === undefined) throw error;
        entry("reported", `the target's server did not take it: ${saidBy(error)}`);
      }
    }
  }
  return entries;
}

/** For a person, and for the target. */
function grantText(
  { user, host, on, right, grantable }: SourceGrant,
  database: string,
  prefix: string,
): { name: string; sql: string } {
  const to = `${identifier(user)}@${identifier(host)}${grantable ? " WITH GRANT OPTION" : ""}`;
  const text = (rights: string, what: string, object: string) => ({
    name: `${rights} on ${what} to ${user}@${host}`,
    sql: `GRANT ${rights} ON ${object} TO ${to}`,
  });
  if (on.kind === "database") return text(right, `${database}.*`, `${pattern(database)}.*`);
  if (on.kind !== "table")
    return text(right, `${on.kind} ${on.name}`, `${on.kind.toUpperCase()} ${qualified(database, on.name)}`);
  const columns = on.columns === undefined ? "" : ` (${on.columns.map(identifier).join(", ")})`;
  return text(right + columns, on.name, qualified(database, prefix + on.name));
}

/** A database in GRANT is a pattern. */
const pattern = (database: string): string => identifier(database.replaceAll(/[\\_%]/g, "\\$&"));
