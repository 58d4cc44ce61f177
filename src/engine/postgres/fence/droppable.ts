import { counted } from "../../../guard/text.ts";
import { type Endpoint, EngineError, type MadeObject } from "../../contract/index.ts";
import { printable } from "../../contract/text/printable.ts";
import { connect } from "../driver/connection.ts";
import { lookName } from "./cut.ts";

/** Before a reset writes anything. Errors: `permission_denied`, where relations of the list belong to others, with their owners. */
export async function refuseOthersObjects(
  target: Endpoint,
  made: readonly MadeObject[],
  signal: AbortSignal,
): Promise<void> {
  const names = made.flatMap(({ name: [schema, name], kind, id }) =>
    relations.has(kind) && schema !== undefined && name !== undefined ? [{ schema, name, id }] : [],
  );
  if (names.length === 0) return;
  const session = await connect(target, { role: "target", applicationName: lookName, signal });
  try {
    const rows = await session.query<{ owner: string; count: number }>(
      `SELECT pg_catalog.pg_get_userbyid(c.relowner) AS owner, pg_catalog.count(*)::pg_catalog.int4 AS count
         FROM pg_catalog.json_to_recordset($1::pg_catalog.json) AS m(schema text, name text, id text)
         JOIN pg_catalog.pg_namespace n ON n.nspname = m.schema
         JOIN pg_catalog.pg_class c ON c.relnamespace = n.oid AND c.relname = m.name
        WHERE (m.id IS NULL OR pg_catalog.split_part(m.id, ':', 2) = c.oid::pg_catalog.text)
          AND NOT pg_catalog.pg_has_role(c.relowner, 'USAGE') AND NOT pg_catalog.pg_has_role(n.nspowner, 'USAGE')
        GROUP BY 1 ORDER BY 2 DESC`,
      [JSON.stringify(names)],
    );
    if (rows.length === 0) return;
    const count = rows.reduce((sum, { count }) => sum + count, 0);
    const owners = rows.map(({ owner }) => `"${printable(owner)}"`).join(", ");
    throw new EngineError(
      "permission_denied",
      `user "${target.user}" may not drop ${counted(count, "object")} of the run, which ${count === 1 ? "belongs" : "belong"} to ${owners}: reset as that user, or GRANT ${owners} TO "${printable(target.user)}"; nothing was dropped`,
    );
  } finally {
    await session.end();
  }
}

const relations = new Set(["table", "view", "materialized view", "sequence"]);
