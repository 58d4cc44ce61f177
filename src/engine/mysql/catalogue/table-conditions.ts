import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import type { SourceTable } from "./tables.ts";

type Check = SourceTable["checks"][number];

/** Checks of the tables of a database; `onlyThese`: as `among` writes it. Only reads. */
export async function readChecks(
  session: Session,
  database: string,
  onlyThese = "",
): Promise<(Check & { table: string })[]> {
  const { maria, version } = session.server;
  if (!maria && version < 80_016) return [];
  const schema = literal(database);
  const rows = await session.query(
    maria
      ? `SELECT TABLE_NAME, CONSTRAINT_NAME, CHECK_CLAUSE FROM information_schema.CHECK_CONSTRAINTS WHERE CONSTRAINT_SCHEMA = ${schema}${onlyThese}`
      : `SELECT t.TABLE_NAME, c.CONSTRAINT_NAME, c.CHECK_CLAUSE, t.ENFORCED
           FROM information_schema.CHECK_CONSTRAINTS c JOIN information_schema.TABLE_CONSTRAINTS t
             ON t.CONSTRAINT_SCHEMA = c.CONSTRAINT_SCHEMA AND t.CONSTRAINT_NAME = c.CONSTRAINT_NAME AND t.CONSTRAINT_TYPE = 'CHECK'
          WHERE c.CONSTRAINT_SCHEMA = ${schema}${onlyThese}`,
  );
  return rows.map(([table, name, clause, enforced]) => ({
    table: table ?? "",
    name: name ?? "",
    clause: clause ?? "",
    enforced: enforced !== "NO",
  }));
}

/** As new rows meet them: those that are enforced, by table. */
export const readConditions = async (session: Session, database: string): Promise<Map<string, Check[]>> =>
  Map.groupBy(
    (await readChecks(session, database)).filter(({ enforced }) => enforced),
    ({ table }) => table,
  );
