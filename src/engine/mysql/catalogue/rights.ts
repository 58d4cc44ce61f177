import { many, matchesWildcards, one, type Wildcards } from "../../contract/text/wildcards.ts";
import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/**
 * What a user may do, from the server's own SHOW GRANTS (which includes active roles and PUBLIC). When in doubt
 * the answer is no: a warning too many does less harm than an object that is missing in silence.
 */
export interface Rights {
  /** On all of a database, by a grant on it, on a pattern that it matches, or on everything. */
  onDatabase(right: string, database: string): boolean;
  /** On a whole table, by a grant on it or on its database; rights on single columns do not count. */
  onTable(right: string, database: string, table: string): boolean;
  everywhere(right: string): boolean;
}

interface Grant {
  revoked: boolean;
  rights: ReadonlySet<string>;
  grantee: string;
  /** As written in the grant, without its backticks; undefined: everything. */
  database?: string;
  /** Undefined: the whole database. */
  table?: string;
}

const quoted = "`(?:[^`]|``)*`(?!`)";
const grantLine = new RegExp(
  `^(GRANT|REVOKE) ((?:[^\`]|${quoted})*?) ON (?:TABLE )?(?:\\*\\.\\*|(${quoted})\\.(?:\\*|(${quoted}))) (?:TO|FROM) (${quoted}|'[^']*'|\\S+)`,
);
const oneRight = new RegExp(`([A-Z][A-Z_]*(?: [A-Z_]+)*)\\s*(?:(\\((?:${quoted}|[^\`)])*\\))\\s*)?(?:,\\s*|$)`, "gy");

/** `foldCase`: the server takes names of databases and tables in any case. */
export function rightsOf(lines: readonly string[], foldCase: boolean): Rights {
  const fold = (name: string) => (foldCase ? name.toLowerCase() : name);
  const grants = lines.map(grantOf).filter((grant) => grant !== undefined);
  const has = ({ rights }: Grant, right: string) => rights.has(right) || rights.has("ALL PRIVILEGES");
  const given = grants.filter(({ revoked }) => !revoked);
  const whole = given.filter(({ database }) => database === undefined);

  const onDatabase = (right: string, database: string): boolean => {
    const name = fold(database);
    // MySQL's partial revokes take a right on everything back for one database.
    const takenBack = grants.some(
      (grant) => grant.revoked && fold(grant.database ?? "") === name && grant.rights.has(right),
    );
    if (!takenBack && whole.some((grant) => has(grant, right))) return true;
    const matching = given.filter(
      (grant) =>
        grant.database !== undefined &&
        grant.table === undefined &&
        matchesWildcards(patternOf(fold(grant.database)), name),
    );
    return [...new Set(matching.map(({ grantee }) => grantee))].some((grantee) => {
      const own = matching.filter((grant) => grant.grantee === grantee);
      // The server takes one entry only: the exact one, else one of the patterns.
      const exact = own.filter((grant) => fold(grant.database ?? "").replaceAll(/\\([_%])/g, "$1") === name);
      return (exact.length > 0 ? exact : own).every((grant) => has(grant, right));
    });
  };
  return {
    everywhere: (right) => whole.some((grant) => has(grant, right)),
    onDatabase,
    onTable: (right, database, table) =>
      onDatabase(right, database) ||
      given.some(
        (grant) =>
          grant.table !== undefined &&
          fold(grant.table) === fold(table) &&
          fold(grant.database ?? "") === fold(database) &&
          has(grant, right),
      ),
  };
}

/** Undefined for roles, routines and proxies. */
function grantOf(line: string): Grant | undefined {
  const found = grantLine.exec(line);
  if (found === null) return undefined;
  const [, verb, list = "", database, table, grantee = ""] = found;
  const rights = new Set<string>();
  for (const [, right = "", columns] of list.matchAll(oneRight)) if (columns === undefined) rights.add(right);
  return {
    revoked: verb === "REVOKE",
    rights,
    grantee,
    ...(database === undefined ? {} : { database: unquoted(database) }),
    ...(table === undefined ? {} : { table: unquoted(table) }),
  };
}

const unquoted = (name: string): string => name.slice(1, -1).replaceAll("``", "`");

/** `%` and `_` as in LIKE, `\` before them takes them as they are. */
const patternOf = (pattern: string): Wildcards =>
  (pattern.match(/\\[_%]|[\s\S]/gu) ?? []).map((token) => {
    if (token === "%") return many;
    if (token === "_") return one;
    return token.length === 2 && token.startsWith("\\") ? token.slice(1) : token;
  });

/** The session's user's. Errors: as the session's; the cause is a MysqlError where the server does not tell or has no grants. */
export async function readRights(session: Session): Promise<Rights> {
  const [[folded] = []] = await session.query("SELECT @@lower_case_table_names");
  const lines = await session.query("SHOW GRANTS");
  return rightsOf(
    lines.map(([line]) => line ?? ""),
    folded !== "0",
  );
}

/** The account by which the server knows the session, as GRANT takes it: `'app'@'%'`. */
export async function ownAccount(session: Pick<Session, "query">): Promise<string> {
  const [[self] = []] = await session.query("SELECT CURRENT_USER()");
  return quotedAccount(self ?? "");
}

/** `account`: as CURRENT_USER() gives it, without quotes. */
export function quotedAccount(account: string): string {
  const at = account.lastIndexOf("@");
  return `${literal(account.slice(0, at))}@${literal(account.slice(at + 1))}`;
}
