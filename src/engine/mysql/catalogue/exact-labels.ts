import { identifier, literal, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { labelsOf } from "./catalogue-text.ts";
import type { SourceTable } from "./tables.ts";

/**
 * Labels of ENUM and SET are shown with `?` for each character of four bytes, as defaults are (exact-defaults.ts). Only the rows
 * tell the label itself, so each column with a `?` in one is asked for its different values, which reads the table; a label
 * that no row has stays as it is shown, and the column is marked.
 */
export async function readExactLabels(
  session: Session,
  database: string,
  tables: Iterable<SourceTable>,
): Promise<void> {
  for (const table of tables) {
    for (const column of table.columns) {
      if (!["enum", "set"].includes(column.dataType) || !column.columnType.includes("?")) continue;
      const shown = labelsOf(column.columnType);
      const name = identifier(column.name);
      const rows = await session.query(
        `SELECT DISTINCT ${name} + 0, CONVERT(${name} USING utf8mb4) FROM ${qualified(database, table.name)} WHERE ${name} + 0 > 0`,
      );
      const values = rows.map(([number, text]) => ({ number: BigInt(number ?? "0"), text: text ?? "" }));
      const found = column.dataType === "enum" ? ofEnum(values) : ofSet(values);
      const labels = shown.map((label, at) => (label.includes("?") ? (found.get(at) ?? label) : label));
      if (labels.some((label, at) => label.includes("?") && !found.has(at))) column.labelsInDoubt = true;
      if (found.size > 0 || column.labelsInDoubt)
        column.columnType = `${column.dataType}(${distinct(labels, (at) => !found.has(at))
          .map(literal)
          .join(",")})`;
    }
  }
}

interface Value {
  number: bigint;
  text: string;
}

const ofEnum = (values: readonly Value[]): Map<number, string> =>
  new Map(values.map(({ number, text }) => [Number(number) - 1, text]));

/** A value's labels stand in the order of their bits. */
function ofSet(values: readonly Value[]): Map<number, string> {
  const found = new Map<number, string>();
  for (const { number, text } of values) {
    const labels = text.split(",");
    for (let bit = 0; bit < 64; bit++) {
      if (((number >> BigInt(bit)) & 1n) === 0n) continue;
      const label = labels.shift();
      if (label !== undefined) found.set(bit, label);
    }
  }
  return found;
}

/** Few servers take a label twice, as two of them may be shown. */
const distinct = (labels: readonly string[], unknown: (at: number) => boolean): string[] =>
  labels.map((label, at) =>
    labels.indexOf(label) < at && label.includes("?") && unknown(at) ? `${label} ${at + 1}` : label,
  );
