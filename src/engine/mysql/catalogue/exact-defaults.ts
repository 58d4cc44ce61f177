import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { hexOf, holdsBytes, isPlainText } from "./exact-bytes.ts";
import { readShownDefaults } from "./shown-defaults.ts";
import type { SourceColumn, SourceTable } from "./tables.ts";

/**
 * The servers' catalogues hold three bytes of UTF-8 per character and show `?` for one with four, and a FLOAT with six
 * digits, in information_schema and SHOW CREATE TABLE alike. So each literal default with a `?`, of a FLOAT and of a BLOB
 * is asked of the table itself; where it does not tell (an empty table, a NOT NULL column) the column is marked.
 */
export async function readExactDefaults(
  session: Session,
  database: string,
  tables: Iterable<SourceTable>,
): Promise<void> {
  const { maria } = session.server;
  for (const table of tables) {
    const doubtful = table.columns.filter((column) => isDoubtful(column, maria));
    if (doubtful.length === 0) continue;
    const [row = []] = await session.query(
      `SELECT ${doubtful.map((column) => asked(column)).join(", ")}
         FROM (SELECT 1) AS one LEFT JOIN ${qualified(database, table.name)} AS t ON TRUE LIMIT 1`,
    );
    const untold = doubtful.filter((column, index) => (row[index] ?? null) === null && isText(column));
    const shown = await readShownDefaults(session, database, table, untold);
    doubtful.forEach((column, index) => {
      if (shown.has(column)) return;
      const told = row[index] ?? null;
      if (isFloat(column)) takeFloat(column, told);
      else if (told === null) column.defaultInDoubt = "characters";
      else if (holdsBytes(column)) column.default = hexOf(Buffer.from(told, "hex"));
      else column.default = maria ? literal(told) : told;
    });
  }
}

function asked(column: SourceColumn): string {
  const value = `DEFAULT(t.${identifier(column.name)})`;
  if (holdsBytes(column)) return `HEX(${value})`;
  return isFloat(column) ? `${value} * 1e0` : value;
}

const isText = (column: SourceColumn): boolean => !isFloat(column) && !holdsBytes(column);
const isFloat = ({ dataType }: SourceColumn): boolean => dataType === "float";

function isDoubtful(column: SourceColumn, maria: boolean): boolean {
  const { default: text, extra } = column;
  if (text === null || (!maria && extra.includes("default_generated"))) return false;
  if (isFloat(column)) return number.test(text);
  if (column.dataType.endsWith("binary")) return false;
  if (holdsBytes(column)) return maria && text.startsWith("'") && (text.includes("?") || !isPlainText(text));
  return text.includes("?") && (!maria || /^'(?:[^'\\]|''|\\[\s\S])*'$/.test(text));
}

const number = /^-?(\d+(?:\.\d+)?)(?:e[-+]?\d+)?$/i;
const shownDigits = 6;

/** The text that is shown stays where it means the same. `told` is the value as a DOUBLE. */
function takeFloat(column: SourceColumn, told: string | null): void {
  const shown = column.default ?? "";
  if (told !== null) {
    if (Math.fround(Number(told)) !== Math.fround(Number(shown))) column.default = told;
    return;
  }
  // What is shown with fewer digits was most likely written so.
  const digits = (number.exec(shown)?.[1] ?? "").replace(".", "").replace(/^0+|0+$/g, "");
  if (digits.length >= shownDigits) column.defaultInDoubt = "digits";
}
