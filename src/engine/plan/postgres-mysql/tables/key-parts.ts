import { identifier } from "../../../mysql/driver/names.ts";
import type { Session } from "../../../postgres/driver/connection.ts";
import { qualified, identifier as sourceIdentifier } from "../../../postgres/driver/names.ts";
import type { Rows, TablePart } from "./table-parts.ts";
import type { TablePlan } from "./table-plan.ts";

/**
 * Rows alone: a table that is copied in parts is divided by its key, not by its pages, since a range of keys is a condition in
 * the target as well: the rows of each part that is done are proven to be the run's own (own-rows.ts).
 */

const whole = new Set(["int2", "int4", "int8"]);

/** The whole number that is all of the table's primary key. */
function keyOf({ source, loaded }: TablePlan): { source: string; target: string } | undefined {
  const keys = source.indexes.find(({ primary }) => primary)?.keys ?? [];
  const column = loaded.find((one) => one.source.name === keys[0]?.column);
  if (keys.length !== 1 || column === undefined || !whole.has(column.source.type)) return undefined;
  return { source: column.source.name, target: column.name };
}

/** The same rows in as many parts. Unchanged where they are one part, or of several tables, or have no such key. */
export async function byKey(session: Session, plan: TablePlan, rows: Rows): Promise<Rows> {
  const [heap] = rows.heaps;
  const key = keyOf(plan);
  const count = rows.parts.length;
  if (count < 2 || heap === undefined || rows.heaps.length > 1 || key === undefined) return rows;
  const from = `FROM ONLY ${qualified(heap.schema, heap.name)}`;
  const name = sourceIdentifier(key.source);
  const [ends] = await session.query<{ low: string | null; high: string | null }>(
    `SELECT pg_catalog.min(${name})::pg_catalog.text AS low, pg_catalog.max(${name})::pg_catalog.text AS high ${from}`,
  );
  if (!ends?.low || !ends.high) return rows;
  const low = BigInt(ends.low);
  const span = BigInt(ends.high) - low + 1n;
  const bound = (at: number) => low + (span * BigInt(at)) / BigInt(count);
  return {
    ...rows,
    parts: rows.parts.map((part, at): TablePart => {
      const range = (column: string) =>
        [
          ...(at > 0 ? [`${column} >= ${bound(at)}`] : []),
          ...(at < count - 1 ? [`${column} < ${bound(at + 1)}`] : []),
        ].join(" AND ");
      return { ...part, from: `${from} WHERE ${range(name)}`, where: range(identifier(key.target)) };
    }),
  };
}
