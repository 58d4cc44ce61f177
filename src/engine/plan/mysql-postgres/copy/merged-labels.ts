import { labelsOf, type SourceColumn } from "../../../mysql/catalogue/catalogue.ts";
import { identifier, qualified } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../mysql/driver/session.ts";
import type { TablePlan } from "../tables/table-plan.ts";

/**
 * An ENUM's value outside of its list (number 0) and its empty label have one text, as have a SET without a member and one of
 * the empty member alone: only their numbers differ, which PostgreSQL does not keep.
 */

/** The number that has the text of another value; undefined: none has. */
function mergedNumber({ dataType, columnType }: SourceColumn): string | undefined {
  if (dataType !== "enum" && dataType !== "set") return undefined;
  const empty = labelsOf(columnType).findIndex((label) => label.trimEnd() === "");
  if (empty < 0) return undefined;
  return dataType === "enum" ? "0" : String(1n << BigInt(empty));
}

/** Values of each column that is copied, in order, that become equal to another of its values. */
export async function countMerged(reader: Session, database: string, { source, copied }: TablePlan): Promise<number[]> {
  const numbers = copied.map((column) => mergedNumber(column.source));
  if (numbers.every((number) => number === undefined)) return numbers.map(() => 0);
  const counts = copied.map((column, index) =>
    numbers[index] === undefined
      ? "0"
      : `COUNT(IF(CAST(${identifier(column.source.name)} AS UNSIGNED) = ${numbers[index]}, 1, NULL))`,
  );
  const [row = []] = await reader.query(`SELECT ${counts.join(", ")} FROM ${qualified(database, source.name)}`);
  return row.map(Number);
}
