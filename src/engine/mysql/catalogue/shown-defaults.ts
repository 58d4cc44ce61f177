import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import type { SourceColumn, SourceTable } from "./tables.ts";

/**
 * MySQL's SHOW CREATE TABLE has a default with a character of four bytes as `0x…`, in the column's character set, where
 * information_schema has a `?`. A default that it shows as text is exact: of servers that were looked at, from 9.7 on.
 */
const exactFrom = 90_700;

/** `columns`: of which the table itself did not tell. Answers those whose default is known now, and sets it. */
export async function readShownDefaults(
  session: Session,
  database: string,
  table: SourceTable,
  columns: readonly SourceColumn[],
): Promise<Set<SourceColumn>> {
  const found = new Set<SourceColumn>();
  const { maria, version } = session.server;
  if (maria || columns.length === 0) return found;
  const [[, shown] = []] = await session.query(`SHOW CREATE TABLE ${qualified(database, table.name)}`);
  for (const column of columns) {
    const value = shownDefault(shown ?? "", column.name);
    if (value === "text" && version >= exactFrom) found.add(column);
    if (value === undefined || value === "text" || !/^[a-z0-9_]+$/.test(column.characterSet ?? "")) continue;
    const [[text] = []] = await session.query(`SELECT CONVERT(_${column.characterSet} ${value} USING utf8mb4)`);
    if (text === null || text === undefined) continue;
    column.default = text;
    found.add(column);
  }
  return found;
}

/** The hexadecimal literal, or `text` for a quoted one. */
function shownDefault(shown: string, name: string): string | undefined {
  const start = `\n  ${identifier(name)} `;
  const from = shown.indexOf(start);
  if (from < 0) return undefined;
  // Without what is in quotes: a comment or a label may say the same.
  const line = shown
    .slice(from + start.length)
    .replaceAll(/'(?:[^'\\]|''|\\[\s\S])*(?:'|\\?$)/g, literal(""))
    .split("\n", 1)[0];
  return (
    / DEFAULT (0x(?:[0-9A-F]{2})+)\b/.exec(line ?? "")?.[1] ?? (/ DEFAULT ''/.test(line ?? "") ? "text" : undefined)
  );
}
