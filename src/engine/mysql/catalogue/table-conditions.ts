import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";

/** Checks of the tables of a database, as new rows meet them: by table, each with its name and clause. Only reads. */
export async function readConditions(
  session: Session,
  database: string,
): Promise<Map<string, { name: string; clause: string }[]>> {
  const found = new Map<string, { name: string; clause: string }[]>();
  const { maria, version } = session.server;
  if (!maria && version < 80_016) return found;
  const rows = await session.query(
    maria
      ? `SELECT TABLE_NAME, CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ${literal(database)}`
      : `SELECT t.TABLE_NAME, c.CONSTRAINT_NAME, c.CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS c JOIN information_schema.TABLE_CONSTRAINTS t
           ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME AND t.CONSTRAINT_TYPE = 'CHECK'
          WHERE c.CONSTRAINT_SCHEMA = ${literal(database)} AND t.ENFORCED = 'YES'`,
  );
  for (const [table = "", name, clause] of rows)
    found.set(table ?? "", [...(found.get(table ?? "") ?? []), { name: name ?? "", clause: clause ?? "" }]);
  return found;
}
