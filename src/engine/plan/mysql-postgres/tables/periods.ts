import type { InventoryEntry } from "../../../contract/index.ts";
import type { SourceIndex, SourceTable } from "../../../mysql/catalogue/catalogue.ts";
import { identifier as sourceIdentifier } from "../../../mysql/driver/names.ts";
import { identifier, qualified } from "../../../postgres/driver/names.ts";
import type { ColumnPlan, IndexVariant, Scheme } from "../columns/column-plan.ts";
import { nameFor } from "./scheme.ts";

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

const lost = "periods may overlap in the target, where it is a unique key over the period's columns";

/** Types that both engines compare alike and for which btree_gist has an operator class in every PostgreSQL. */
const exactTypes = /^(?:smallint|integer|bigint|numeric|date|timestamp|uuid|bytea)\b/;

/** The range of a period's columns, by their type in the target. */
const rangeOf = (sql = ""): string | undefined =>
  sql === "date"
    ? "daterange"
    : /^timestamptz|^timestamp.* with time zone$/.test(sql)
      ? "tstzrange"
      : /^timestamp\b/.test(sql)
        ? "tsrange"
        : undefined;

interface Exclusion {
  /** EXCLUDE as a constraint's definition has it. */
  sql: string;
  /** It refuses what MariaDB refuses, and nothing else. */
  exact: boolean;
  /** It needs no extension. */
  bare: boolean;
}

/** What keeps the periods of a key apart in the target; undefined: nothing does. */
function exclusionOf({ period, parts }: SourceIndex, columns: readonly ColumnPlan[]): Exclusion | undefined {
  if (period === undefined) return undefined;
  const plans = parts.map(({ column }) => columns.find(({ source }) => source.name === column));
  const keys = plans.slice(0, -2);
  const [end, start] = plans.slice(-2);
  const range = rangeOf(start?.sql);
  if (start === undefined || end === undefined || range === undefined || rangeOf(end.sql) !== range) return undefined;
  const name = (column: ColumnPlan | undefined) => identifier(column?.name ?? "");
  const list = [...keys.map((key) => `${name(key)} WITH =`), `${range}(${name(start)}, ${name(end)}) WITH &&`];
  return {
    sql: `EXCLUDE USING gist (${list.join(", ")})`,
    exact:
      keys.every((key, n) => exactTypes.test(key?.sql ?? "") && parts[n]?.prefix === null) &&
      // A NULL, which stands for a date that does not exist, would be a period without an end.
      !start.nullable &&
      !end.nullable,
    bare: keys.length === 0,
  };
}

/** The exclusion constraint beside a key WITHOUT OVERLAPS, where it is exact and the target has what it needs. */
export function keptApart(
  scheme: Scheme,
  table: { source: string; name: string; partitioned: boolean },
  index: SourceIndex,
  columns: readonly ColumnPlan[],
  name: string,
): IndexVariant | undefined {
  const exclusion = exclusionOf(index, columns);
  if (exclusion === undefined || !exclusion.exact || table.partitioned) return undefined;
  if (!exclusion.bare && !scheme.btreeGist) return undefined;
  const own = nameFor(scheme, `index ${table.source}\0${index.name}\0apart`, `${name}_excl`);
  return {
    name: own,
    create: `ALTER TABLE ${qualified(scheme.schema, table.name)} ADD CONSTRAINT ${identifier(own)} ${exclusion.sql}`,
    words: `with an exclusion constraint, ${own}, that keeps the periods apart`,
    lost,
  };
}

/** Of a key WITHOUT OVERLAPS that is only a unique key over the period's columns in the target. */
export function overlapEntry(
  index: SourceIndex,
  columns: readonly ColumnPlan[],
): { note: string; definition: string } | undefined {
  const { name, period, parts } = index;
  if (period === undefined) return undefined;
  const keys = parts.slice(0, -2).map(({ column }) => sourceIdentifier(column ?? ""));
  const list = [...keys, `${sourceIdentifier(period)} WITHOUT OVERLAPS`].join(", ");
  const exclusion = exclusionOf(index, columns);
  const advice = exclusion?.exact
    ? "; run CREATE EXTENSION btree_gist there before the copy and they are kept apart, or add this after it: "
    : "; with the extension btree_gist this keeps them apart where the target's columns are equal: ";
  return {
    note: exclusion === undefined ? lost : `${lost}${advice}${exclusion.sql}`,
    definition: `${name === "PRIMARY" ? "PRIMARY KEY" : `UNIQUE KEY ${sourceIdentifier(name)}`} (${list})`,
  };
}
