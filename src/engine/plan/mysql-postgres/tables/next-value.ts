import type { InventoryEntry } from "../../../contract/index.ts";
import { identifier, literal } from "../../../postgres/driver/names.ts";

/** The next number of an AUTO_INCREMENT column, as the sequence of the target's column gives it. Pure. */

/** The largest number of a type, in digits. */
export const largest: Record<string, string> = {
  smallint: "32767",
  integer: "2147483647",
  bigint: "9223372036854775807",
};

/** SQL: the source's own counter, or past the largest id where the counter is behind it. */
export function nextValue(table: string, column: string, next: string | null): string {
  const counter = next !== null && /^\d{1,20}$/.test(next) ? next : "1";
  return `GREATEST(${counter}::numeric, 1, (SELECT coalesce(max(${identifier(column)}), 0)::numeric + 1 FROM ${table}))`;
}

/** A sequence has no number after its `last`: then it is at its end, and the next insert without a number fails. */
export const setNext = (sequence: string, next: string, last: string): string =>
  `SELECT pg_catalog.setval(${literal(sequence)}::regclass, LEAST(f.n, ${last})::bigint, f.n > ${last}) FROM (SELECT ${next} AS n) f`;

const kind = "next number";

/** Of a column whose next number in the source is above the `most` of the target's column. */
export const spentEntry = (name: string, next: string | null, most: string): InventoryEntry[] =>
  next === null || !/^\d+$/.test(next) || BigInt(next) <= BigInt(most)
    ? []
    : [
        {
          kind,
          name,
          outcome: "reported",
          note: `${next} in the source, above the largest number of the target's column (${most}): an insert without a number fails there until the column has a wider type`,
        },
      ];

/** The warnings of these entries. */
export const spentNumbers = (inventory: readonly InventoryEntry[]): string[] =>
  inventory.flatMap((entry) => (entry.kind === kind ? [`${kind} of ${entry.name}: ${entry.note}`] : []));
