import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { isDenied } from "../driver/write-session.ts";

/** Words for each foreign key of the tables, as they were there, that rows break: they were put in without looking. */
export async function orphansOf(session: Session, database: string, names: ReadonlySet<string>): Promise<string[]> {
  const rows = await session.query(
    `SELECT TABLE_NAME, CONSTRAINT_NAME, COLUMN_NAME, REFERENCED_TABLE_SCHEMA, REFERENCED_TABLE_NAME, REFERENCED_COLUMN_NAME
       FROM information_schema.KEY_COLUMN_USAGE WHERE TABLE_SCHEMA = ${literal(database)} AND REFERENCED_TABLE_NAME IS NOT NULL
      ORDER BY TABLE_NAME, CONSTRAINT_NAME, ORDINAL_POSITION`,
  );
  const keys = new Map<string, string[][]>();
  for (const row of rows.map((one) => one.map((value) => value ?? ""))) {
    const [table = "", name = ""] = row;
    if (names.has(table)) keys.set(`${table}\0${name}`, [...(keys.get(`${table}\0${name}`) ?? []), row]);
  }
  const found: string[] = [];
  for (const columns of keys.values()) {
    const [table = "", name = "", , schema = "", parent = ""] = columns[0] ?? [];
    const match = columns.map((row) => `p.${identifier(row[5] ?? "")} = c.${identifier(row[2] ?? "")}`);
    const filled = columns.map((row) => `c.${identifier(row[2] ?? "")} IS NOT NULL`);
    const counting = session.query(
      `SELECT COUNT(*) FROM ${qualified(database, table)} c WHERE ${filled.join(" AND ")}
          AND NOT EXISTS (SELECT 1 FROM ${qualified(schema, parent)} p WHERE ${match.join(" AND ")})`,
    );
    const [[count] = []] = await counting.catch((error: unknown) => {
      if (isDenied(error)) return [];
      throw error;
    });
    if (count === undefined)
      found.push(`foreign key ${name} of table ${table} was not checked: the user may not read ${schema}.${parent}`);
    else if (count !== "0")
      found.push(`${count} rows of table ${table} have no parent in ${parent}, which its foreign key ${name} asks for`);
  }
  return found;
}
