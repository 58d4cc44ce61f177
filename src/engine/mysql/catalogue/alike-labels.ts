import { literal } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { labelsOf } from "./catalogue-text.ts";
import type { SourceColumn, SourceTable } from "./tables.ts";

/**
 * Whether a label of an ENUM or SET is, or may be to a collation, there twice: of such a column only the values' numbers tell
 * them apart. The server is asked, by the column's own collation and by those that take most letters for one, since the
 * target's may be another.
 */

const widest = [
  "utf8mb4_unicode_ci",
  "utf8mb4_unicode_520_ci",
  "utf8mb4_general_ci",
  "utf8mb4_0900_ai_ci",
  "utf8mb4_uca1400_ai_ci",
];

/** Every collation tells these apart, but for their case and for spaces at their end. */
const simple = /^[\x20-\x7e]*$/;

/** Columns that one statement asks for. */
const perQuery = 50;

export async function markAlikeLabels(session: Session, tables: Iterable<SourceTable>): Promise<void> {
  const asked: SourceColumn[] = [];
  for (const { columns } of tables)
    for (const column of columns) {
      if (!["enum", "set"].includes(column.dataType)) continue;
      const labels = labelsOf(column.columnType);
      if (new Set(labels.map((label) => label.toLowerCase().trimEnd())).size < labels.length) column.labelsAlike = true;
      else if (!labels.every((label) => simple.test(label))) asked.push(column);
    }
  if (asked.length === 0) return;
  const known = await knownCollations(session);
  for (let start = 0; start < asked.length; start += perQuery) {
    const some = asked.slice(start, start + perQuery);
    const rows = await session.query(some.map((column, at) => question(column, at, known)).join(" UNION ALL "));
    for (const [at] of rows) (some[Number(at)] as SourceColumn).labelsAlike = true;
  }
}

async function knownCollations(session: Session): Promise<string[]> {
  const { maria, version } = session.server;
  const rows = await session.query(
    maria && version >= 101000
      ? "SELECT FULL_COLLATION_NAME FROM information_schema.COLLATION_CHARACTER_SET_APPLICABILITY"
      : "SELECT COLLATION_NAME FROM information_schema.COLLATIONS",
  );
  const names = new Set(rows.map(([name]) => name));
  return widest.filter((name) => names.has(name));
}

/** A row where two labels are equal to any of the collations. */
function question({ columnType, characterSet, collation }: SourceColumn, at: number, known: readonly string[]): string {
  const labels = labelsOf(columnType);
  const list = labels.map(
    (label, index) => `SELECT CONVERT(${literal(label)} USING utf8mb4)${index === 0 ? " AS l" : ""}`,
  );
  const own =
    characterSet === null || collation === null ? [] : [`CONVERT(l USING ${characterSet}) COLLATE ${collation}`];
  const each = [...known.map((name) => `l COLLATE ${name}`), ...own];
  // Spaces at the end are no part of a label.
  const fewer = each.map((value) => `COUNT(DISTINCT TRIM(TRAILING ' ' FROM ${value})) < ${labels.length}`);
  return `SELECT ${at} FROM (${list.join(" UNION ALL ")}) AS labels HAVING ${fewer.join(" OR ")}`;
}
