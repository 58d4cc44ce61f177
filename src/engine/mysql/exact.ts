import type { SourceTable } from "./catalogue.ts";
import { identifier, literal, qualified } from "./names.ts";
import type { Session } from "./session.ts";

/**
 * The servers' catalogues hold three bytes of UTF-8 per character and show `?` for one with four, in information_schema
 * and SHOW CREATE TABLE alike. So each literal default with a `?` is asked of the table itself; where it does not tell
 * (an empty table, a NOT NULL column) the column is marked.
 */
export async function readExactDefaults(
  session: Session,
  database: string,
  tables: Iterable<SourceTable>,
): Promise<void> {
  const { maria } = session.server;
  for (const table of tables) {
    const doubtful = table.columns.filter(
      (column) =>
        column.default?.includes("?") === true &&
        (maria ? /^'(?:[^'\\]|''|\\[\s\S])*'$/.test(column.default) : !column.extra.includes("default_generated")),
    );
    if (doubtful.length === 0) continue;
    const [row = []] = await session.query(
      `SELECT ${doubtful.map(({ name }) => `DEFAULT(t.${identifier(name)})`).join(", ")}
         FROM (SELECT 1) AS one LEFT JOIN ${qualified(database, table.name)} AS t ON TRUE LIMIT 1`,
    );
    doubtful.forEach((column, index) => {
      const told = row[index] ?? null;
      if (told === null) column.defaultInDoubt = true;
      else column.default = maria ? literal(told) : told;
    });
  }
}
