import { EngineError } from "../../contract/index.ts";
import type { ErrorOrigin } from "../../contract/server-errors.ts";
import { printable } from "../../contract/text/printable.ts";
import { MysqlError } from "./errors.ts";
import type { Session } from "./session-types.ts";

/** A server says of a mistyped database to a user without global rights that access is denied: the names that the user sees show which it is. */

const noRight = 1044;
const noDatabase = 1049;
const mostNames = 10;
const own = new Set(["information_schema", "performance_schema", "mysql", "sys"]);

/** Of a login that failed; undefined where it is not about the database. `open` logs in without a database. */
export async function unknownDatabase(
  error: unknown,
  { role, endpoint }: ErrorOrigin,
  open: () => Promise<Session>,
): Promise<EngineError | undefined> {
  if (!(error instanceof MysqlError) || endpoint.database === "") return undefined;
  const name = `"${printable(endpoint.database)}"`;
  const seen = [noRight, noDatabase].includes(error.number) ? await visible(open) : "";
  const told = { side: role, cause: error };
  if (error.number === noDatabase)
    return new EngineError(
      "database_not_found",
      `the ${role} database ${name} does not exist: create it or correct the URL${seen}`,
      told,
    );
  if (error.number !== noRight) return undefined;
  return new EngineError(
    "permission_denied",
    `unknown ${role} database, or no right to it: ${name}: correct the URL, or grant user "${printable(endpoint.user)}" its rights${seen}`,
    told,
  );
}

async function visible(open: () => Promise<Session>): Promise<string> {
  try {
    const session = await open();
    const rows = await session.query("SHOW DATABASES").finally(() => session.end());
    const names = rows.flatMap(([name]) => (name == null || own.has(name) ? [] : [printable(name)]));
    const more = names.length > mostNames ? ` and ${names.length - mostNames} more` : "";
    return names.length === 0
      ? " (the user sees no database)"
      : ` (the user sees: ${names.slice(0, mostNames).join(", ")}${more})`;
  } catch {
    return "";
  }
}
