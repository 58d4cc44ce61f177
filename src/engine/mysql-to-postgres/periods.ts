import type { InventoryEntry } from "../contract.ts";
import type { SourceIndex, SourceTable } from "../mysql/catalogue.ts";
import { identifier as sourceIdentifier } from "../mysql/names.ts";
import { identifier } from "../postgres/names.ts";
import type { ColumnPlan } from "./scheme.ts";

/** MariaDB's periods of application time, which PostgreSQL has only as columns of a range type. Pure. */

/** The order of the two columns is a check of the period's name, which is planned as one. */
export const periodEntries = ({ name: table, periods = [] }: SourceTable): InventoryEntry[] =>
  periods.map(({ name, start, end }) => ({
    kind: "period",
    name: `${table}.${name}`,
    outcome: "reported",
    note: "PostgreSQL has no periods over two columns: they are plain columns with a check of their order",
    definition: `PERIOD FOR ${sourceIdentifier(name)} (${sourceIdentifier(start)}, ${sourceIdentifier(end)})`,
  }));

/** Of a key WITHOUT OVERLAPS, which is made as a unique key over the period's columns. */
export function overlapEntry(
  { name, period, parts }: SourceIndex,
  columns: readonly ColumnPlan[],
): { note: string; definition: string } | undefined {
  if (period === undefined) return undefined;
  const keys = parts.slice(0, -2).map(({ column }) => column ?? "");
  const [end = "", start = ""] = parts.slice(-2).map(({ column }) => column ?? "");
  const of = (column: string) => columns.find(({ source }) => source.name === column);
  const target = (column: string) => identifier(of(column)?.name ?? column);
  const ranges: Record<string, string> = { date: "daterange", datetime: "tsrange", timestamp: "tstzrange" };
  const range = ranges[of(start)?.source.dataType ?? ""] ?? "tsrange";
  const exclude = [...keys.map((key) => `${target(key)} WITH =`), `${range}(${target(start)}, ${target(end)}) WITH &&`];
  const list = [...keys.map(sourceIdentifier), `${sourceIdentifier(period)} WITHOUT OVERLAPS`].join(", ");
  return {
    note: `periods may overlap in the target, where it is a unique key over the period's columns; with the extension btree_gist this keeps them apart: EXCLUDE USING gist (${exclude.join(", ")})`,
    definition: `${name === "PRIMARY" ? "PRIMARY KEY" : `UNIQUE KEY ${sourceIdentifier(name)}`} (${list})`,
  };
}
