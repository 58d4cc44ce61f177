import { EngineError } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import type { Session } from "../driver/session.ts";
import { pinKeys } from "../driver/write-session.ts";

/** What a MySQL server does with tables that are made without a primary key, where the user may not change that. */

const most = 10;
const fixOf = (variable: string): string =>
  `SET GLOBAL ${variable} = OFF while the copy runs, grant the user SESSION_VARIABLES_ADMIN, or give the tables a primary key`;

/**
 * Words for tables that get an invisible key, and the fix. `exactly`: they may not. Errors: `table_refused`, also where the
 * server takes no table without a key.
 */
export async function keylessTables(
  session: Session,
  tables: readonly string[],
  exactly = false,
): Promise<{ reason: string; fix: string }[]> {
  if (session.server.maria || tables.length === 0) return [];
  await pinKeys(session);
  const rows = await session.query(
    "SHOW SESSION VARIABLES WHERE Variable_name IN ('sql_require_primary_key', 'sql_generate_invisible_primary_key') AND Value = 'ON'",
  );
  const on = new Set(rows.map(([name]) => (name ?? "").toLowerCase()));
  const more = tables.length > most ? ` and ${tables.length - most} more` : "";
  const list = `${tables.slice(0, most).map(printable).join(", ")}${more}`;
  if (on.has("sql_generate_invisible_primary_key")) {
    const reason = `sql_generate_invisible_primary_key is on in the target, and its user may not switch it off: tables without a primary key get an invisible column my_row_id: ${list}`;
    const fix = fixOf("sql_generate_invisible_primary_key");
    if (!exactly) return [{ reason, fix }];
    throw new EngineError("table_refused", `${reason}; ${fix}`);
  }
  if (on.has("sql_require_primary_key"))
    throw new EngineError(
      "table_refused",
      `sql_require_primary_key is on in the target, whose user may not switch it off, and these tables have no primary key: ${list}; ${fixOf("sql_require_primary_key")}`,
    );
  return [];
}
