import { identifier } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { definitionOf } from "./foreign-keys.ts";
import type { SourceTable } from "./tables.ts";

/**
 * From MySQL 8.0 on, information_schema keeps a TIMESTAMP's literal default as it was written, in the time zone of the
 * session that made the table, and does not tell which that was. SHOW CREATE TABLE shows the instant in the reader's own
 * zone, which is UTC here (settings.ts).
 */
export async function readExactInstants(
  session: Session,
  database: string,
  tables: Iterable<SourceTable>,
): Promise<void> {
  const { maria, version } = session.server;
  if (maria || version < 80000) return;
  for (const table of tables) {
    const literals = table.columns.filter(
      ({ dataType, default: text, extra }) =>
        dataType === "timestamp" && /^\d/.test(text ?? "") && !extra.includes("default_generated"),
    );
    if (literals.length === 0) continue;
    const definition = await definitionOf(session, database, table.name);
    for (const column of literals) {
      const instant = instantIn(definition, column.name);
      if (instant === undefined) column.defaultInDoubt = "instant";
      else column.default = instant;
    }
  }
}

/** The literal default of a TIMESTAMP in a table's definition. Pure. */
export function instantIn(definition: string, column: string): string | undefined {
  const line = definition.split("\n").find((one) => one.startsWith(`  ${identifier(column)} timestamp`));
  return / DEFAULT '(\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)'/.exec(line ?? "")?.[1];
}
