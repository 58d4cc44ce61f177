import { literal } from "../driver/names.ts";
import type { Row, Session } from "../driver/session.ts";
import { errorNumber } from "../driver/write-session.ts";

/** The rights that accounts have on a source, as its catalogues tell them. */

/** What information_schema and mysql.procs_priv have rights on, beside the database; views and sequences are tables to them. */
export type Granted = "table" | "function" | "procedure" | "package" | "package body";

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

/** User and host of `'user'@'host'`; a user's name may have the same signs in it. */
function partsOf(grantee: string): [user: string, host: string] {
  const between = grantee.lastIndexOf("'@'");
  return between < 1 || !grantee.startsWith("'") || !grantee.endsWith("'")
    ? ["", ""]
    : [grantee.slice(1, between), grantee.slice(between + 3, -1)];
}
