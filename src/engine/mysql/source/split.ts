import type { SourceColumn, SourceTable } from "../catalogue/tables.ts";
import { identifier, qualified } from "../driver/names.ts";
import type { Session } from "../driver/session.ts";
import { canSplit, estimatedRows, isWhole, splitByKey } from "./split-keys.ts";

/** A part of a table: a condition on its key, or the whole. */
export interface TablePart {
  /** Words that name it in the checkpoint. */
  name: string;
  /** SQL after WHERE; undefined: all rows. */
  where: string | undefined;
}

/** About what a part should hold. */
const partBytes = 64 * 1024 * 1024;
const mostParts = 512;

/**
 * Ranges of the key that the rows are stored by; of an integer key by its numbers alone. Bounds are of equal width, then halved where the server's
 * estimate says that a range holds far more than its share (ids with gaps).
 */
export async function splitTable(
  session: Session,
  database: string,
  table: SourceTable,
  bytes = partBytes,
): Promise<TablePart[]> {
  const whole: TablePart[] = [{ name: table.name, where: undefined }];
  const wanted = Math.min(mostParts, Math.floor(table.dataBytes / bytes) + 1);
  const columns = clusteredBy(table);
  const [first] = columns;
  if (wanted < 2 || first === undefined || !canSplit(first)) return whole;
  const from = qualified(database, table.name);
  if (columns.length > 1 || !isWhole(first)) {
    // Less than half of the table, above which the server's estimates do not go.
    const most = Math.max(1, Math.min(table.rows / wanted, table.rows / 3) * 1.25);
    const ranges = await splitByKey({ session, from, columns, most, mostParts });
    if (ranges.length < 2) return whole;
    return ranges.map((where, index) => ({ name: `${table.name} ${index + 1}/${ranges.length}`, where }));
  }
  const key = identifier(first.name);
  const [[low, high] = []] = await session.query(`SELECT ${priorityOf(table)}MIN(${key}), MAX(${key}) FROM ${from}`);
  if (low === null || low === undefined || high === null || high === undefined) return whole;
  const estimate = (above: bigint, upTo: bigint) =>
    estimatedRows(session, from, [`${key} > ${above}`, `${key} <= ${upTo}`]);
  const bounds = equalBounds(BigInt(low) - 1n, BigInt(high), wanted);
  const share = Math.max(1, table.rows / wanted);
  const fine = await halve(bounds, share * 2, estimate);
  return fine.slice(1).map((upTo, index) => {
    const above = fine[index];
    const conditions = [];
    // Open at both ends: what the estimate of MIN and MAX did not see would not be lost.
    if (index > 0) conditions.push(`${key} > ${above}`);
    if (index < fine.length - 2) conditions.push(`${key} <= ${upTo}`);
    return {
      name: `${table.name} ${index + 1}/${fine.length - 1}`,
      where: conditions.length > 0 ? conditions.join(" AND ") : undefined,
    };
  });
}

/** Columns of the index that holds the rows: the primary key, else the first unique one of whole columns without NULLs. */
function clusteredBy({ indexes, columns }: SourceTable): SourceColumn[] {
  const keyed = [...indexes].sort((a, b) => Number(b.name === "PRIMARY") - Number(a.name === "PRIMARY"));
  for (const { unique, type, parts } of keyed) {
    const own = parts.map(({ column, prefix }) =>
      prefix === null ? columns.find(({ name, nullable }) => name === column && !nullable) : undefined,
    );
    if (unique && type === "BTREE" && own.every((column) => column !== undefined)) return own;
  }
  return [];
}

/**
 * A table that is locked as a whole has its writers wait for us, and readers behind them, ourselves among these, unless they
 * come first. To be set after SELECT; means nothing to InnoDB.
 */
export const priorityOf = ({ engine }: Pick<SourceTable, "engine">): string =>
  engine === "InnoDB" ? "" : "HIGH_PRIORITY ";

/** `parts + 1` bounds from low to high, each range open below and closed above. */
export function equalBounds(low: bigint, high: bigint, parts: number): bigint[] {
  const bounds = Array.from({ length: parts + 1 }, (_, index) => low + ((high - low) * BigInt(index)) / BigInt(parts));
  return bounds.filter((bound, index) => index === 0 || bound !== bounds[index - 1]);
}

/** Halves ranges that hold more than `most` by the estimate, up to a bounded number of them. */
export async function halve(
  bounds: readonly bigint[],
  most: number,
  estimate: (above: bigint, upTo: bigint) => Promise<number>,
): Promise<bigint[]> {
  const done: bigint[] = bounds.slice(0, 1);
  const todo = bounds.slice(1).reverse();
  while (todo.length > 0) {
    const above = done[done.length - 1] as bigint;
    const upTo = todo[todo.length - 1] as bigint;
    const middle = (above + upTo) / 2n;
    if (
      done.length + todo.length < mostParts &&
      middle > above &&
      middle < upTo &&
      (await estimate(above, upTo)) > most
    ) {
      todo.push(middle);
    } else {
      done.push(upTo);
      todo.pop();
    }
  }
  return done;
}
