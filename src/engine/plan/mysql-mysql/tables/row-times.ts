import type { SourceColumn, SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier } from "../../../mysql/driver/names.ts";
import type { Server } from "../../../mysql/driver/session.ts";

/** The times of rows in MariaDB's system-versioned tables. Pure. */

/** MariaDB whose TIMESTAMP ends in 2106. A row is a present one if its end is the last time of that type. */
const longTimes = 110500;
const lastTime = ({ version }: Server): string =>
  version >= longTimes ? "2106-02-07 06:28:15.999999" : "2038-01-19 03:14:07.999999";

export const isPeriod = ({ generation }: SourceColumn): boolean => /^ROW (?:START|END)$/i.test(generation);

/** Versions that transactions number instead of times cannot be told again. */
export const withoutHistory = ({ columns }: SourceTable): boolean =>
  columns.some((column) => isPeriod(column) && column.dataType === "bigint");

/** Columns of a versioned table that its text does not have. */
export const hiddenTimes = ["row_start", "row_end"];

/** How the end of a row is read, if the target calls another time the end of a present row; undefined: as it is. */
export function endOfRow(
  { name, generation }: Pick<SourceColumn, "name" | "generation">,
  source: Server,
  target: Server,
): string | undefined {
  if (!/^ROW END$/i.test(generation) || lastTime(source) === lastTime(target)) return undefined;
  const column = identifier(name);
  return `IF(${column} = '${lastTime(source)}', '${lastTime(target)}', ${column})`;
}
