import type { InventoryEntry } from "../contract.ts";
import type { MysqlFence } from "../mysql/fence.ts";
import { identifier, literal, qualified } from "../mysql/names.ts";
import type { Session } from "../mysql/session.ts";
import { errorNumber } from "../mysql/target.ts";
import { saidBy } from "./making.ts";

/** Who has which right on what, as far as the source's user may see it. */
export interface SourceGrant {
  user: string;
  host: string;
  /** Null: the whole database. */
  table: string | null;
  right: string;
  grantable: boolean;
}

export async function readGrants(session: Session, database: string): Promise<SourceGrant[]> {
  const schema = literal(database);
  const rows = await session.query(
    `SELECT GRANTEE, TABLE_NAME, PRIVILEGE_TYPE, IS_GRANTABLE FROM information_schema.TABLE_PRIVILEGES WHERE TABLE_SCHEMA = ${schema}
     UNION ALL SELECT GRANTEE, NULL, PRIVILEGE_TYPE, IS_GRANTABLE FROM information_schema.SCHEMA_PRIVILEGES
      WHERE REPLACE(REPLACE(TABLE_SCHEMA, '\\\\_', '_'), '\\\\%', '%') = ${schema}`,
  );
  return rows.map(([grantee, table, right, grantable]) => {
    const [, user = "", host = ""] = /^'([\s\S]*)'@'([\s\S]*)'$/.exec(grantee ?? "") ?? [];
    return { user, host, table: table ?? null, right: right ?? "", grantable: grantable === "YES" };
  });
}

/** Rights on the database and its tables, for the accounts that the target has. */
export async function copyGrants(
  session: Session,
  fence: MysqlFence,
  grants: readonly SourceGrant[],
  {
    database,
    prefix,
    copied,
    accounts,
  }: { database: string; prefix: string; copied: ReadonlySet<string>; accounts: ReadonlySet<string> | undefined },
): Promise<InventoryEntry[]> {
  const entries: InventoryEntry[] = [];
  for (const grant of grants) {
    if (grant.right === "USAGE") continue;
    const account = `${grant.user}@${grant.host}`;
    const name = `${grant.right} on ${grant.table === null ? `${database}.*` : grant.table} to ${account}`;
    const entry = (outcome: InventoryEntry["outcome"], note?: string) =>
      entries.push({ kind: "grant", name, outcome, ...(note === undefined ? {} : { note, definition: sql }) });
    const on = grant.table === null ? `${pattern(database)}.*` : qualified(database, prefix + grant.table);
    const sql = `GRANT ${grant.right} ON ${on} TO ${identifier(grant.user)}@${identifier(grant.host)}${grant.grantable ? " WITH GRANT OPTION" : ""}`;
    if (grant.table !== null && !copied.has(grant.table))
      entry("not_applicable", "its table is left out by the options");
    else if (accounts === undefined)
      entry("reported", "the target's user may not see which accounts there are: grant it there");
    else if (!accounts.has(account))
      entry("reported", `the target has no account ${account}: make it there, then grant`);
    else {
      await fence.guard(session);
      try {
        await session.run(sql);
        entry("copied");
      } catch (error) {
        if (errorNumber(error) === undefined) throw error;
        entry("reported", `the target's server did not take it: ${saidBy(error)}`);
      }
    }
  }
  return entries;
}

/** A database in GRANT is a pattern. */
const pattern = (database: string): string => identifier(database.replaceAll(/[\\_%]/g, "\\$&"));
