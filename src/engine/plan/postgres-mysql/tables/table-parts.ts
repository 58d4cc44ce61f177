import { type TableDefinition, tableName } from "../../../postgres/catalogue/catalogue.ts";
import type { DataTable } from "../../../postgres/catalogue/tables.ts";
import { literal as sourceLiteral, qualified as sourceQualified } from "../../../postgres/driver/names.ts";

/** Where a table's rows lie in the source, and in which parts they are read. Pure. */
export interface TablePart {
  /** Unique in the run. */
  name: string;
  /** `FROM …` with its WHERE. */
  from: string;
  bytes: number;
  /** The condition that holds in the target for the part's rows, and for no other rows of the table. */
  where?: string;
}

export interface Rows {
  parts: TablePart[];
  /** For count(*), each a `FROM …`. */
  relations: string[];
  /** The same, as they are locked while they are read. */
  heaps: DataTable[];
  bytes: number;
  /** The planner's guess. */
  rows: number;
}

/** Under this, sharing a table costs more than it gains. */
const leastBytes = 32 * 1024 * 1024;
/** Over this, a stream's last part makes the others wait. */
const mostBytes = 256 * 1024 * 1024;

/** The heaps of a table: itself, or the leaves of its partition tree. */
export function rowsOf(
  table: TableDefinition,
  all: readonly TableDefinition[],
  heaps: ReadonlyMap<number, DataTable>,
  jobs: number,
  version: number,
): Rows {
  if (table.kind === "m") {
    const from = `FROM ${sourceQualified(table.schema, table.name)}`;
    return table.populated
      ? { parts: [{ name: tableName(table), from, bytes: 0 }], relations: [from], heaps: [], bytes: 0, rows: 0 }
      : { parts: [], relations: [], heaps: [], bytes: 0, rows: 0 };
  }
  const members = table.kind === "p" ? all.filter(({ root, kind }) => root === table.oid && kind === "r") : [table];
  const found = members.flatMap(({ oid }) => heaps.get(oid) ?? []);
  return {
    parts: found.flatMap((heap) => partsOf(heap, jobs, version)),
    relations: found.map((heap) => `FROM ONLY ${sourceQualified(heap.schema, heap.name)}`),
    heaps: found,
    bytes: found.reduce((sum, { bytes }) => sum + bytes, 0),
    rows: found.reduce((sum, { rows }) => sum + rows, 0),
  };
}

function partsOf(heap: DataTable, jobs: number, version: number): TablePart[] {
  const count = partCount(heap, jobs, version);
  const label = tableName(heap);
  const page = (at: number) => `${sourceLiteral(`(${Math.floor((heap.pages * at) / count)},0)`)}::pg_catalog.tid`;
  return Array.from({ length: count }, (_, index) => {
    const ranges: string[] = [];
    if (index > 0) ranges.push(`ctid >= ${page(index)}`);
    // The last part is open at its end: the table may have grown since it was measured.
    if (index < count - 1) ranges.push(`ctid < ${page(index + 1)}`);
    return {
      name: count === 1 ? label : `${label} ${index + 1}/${count}`,
      from: `FROM ONLY ${sourceQualified(heap.schema, heap.name)}${ranges.length > 0 ? ` WHERE ${ranges.join(" AND ")}` : ""}`,
      bytes: heap.bytes / count,
    };
  });
}

function partCount(heap: DataTable, jobs: number, version: number): number {
  if (jobs === 1 || version < 140_000 || !heap.heap || heap.bytes < 2 * leastBytes || heap.pages < jobs) return 1;
  return Math.min(Math.max(Math.ceil(heap.bytes / mostBytes), jobs), Math.floor(heap.bytes / leastBytes), heap.pages);
}
