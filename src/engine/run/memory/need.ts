import { numberText } from "../../../guard/text.ts";
import type { Endpoint } from "../../contract/index.ts";

/** How much memory a copy needs for what it keeps of every table and column, by measurement (npm run bench -- tables). Pure. */

export interface Counted {
  tables: number;
  columns: number;
  /** Beside them, what the options leave out. */
  left?: { tables: number; columns: number };
}

export type MemoryDirection = `${Endpoint["engine"]}-${Endpoint["engine"]}`;

interface Rate {
  /** KiB of heap that a table takes with three indexes, and every column beside. */
  table: number;
  column: number;
}

const rates: Record<MemoryDirection, Rate> = {
  "mysql-postgres": { table: 5, column: 0.75 },
  "mysql-mysql": { table: 3, column: 1 },
  "postgres-mysql": { table: 5, column: 0.75 },
  "postgres-postgres": { table: 4, column: 0.5 },
};

/** The same for what the options leave out: its names, and between PostgreSQL servers what pg_dump tells of it. */
const leftRates: Record<MemoryDirection, Rate> = {
  "mysql-postgres": { table: 1, column: 0 },
  "mysql-mysql": { table: 1, column: 0 },
  "postgres-mysql": { table: 1.5, column: 0 },
  "postgres-postgres": { table: 3.5, column: 0.3 },
};

const KiB = 1 << 10;
const MiB = 1 << 20;
/** What the program itself takes, with its buffers. */
const programBytes = 32 * MiB;
/** Longer names, comments, defaults and more indexes than the measured tables have. */
const margin = 1.25;
/** Of a process beside its heap: code, stacks, young objects and the buffers of rows. */
const besideHeap = 96 * MiB;
/** Outside of the heap, in KiB: the report as bytes; between PostgreSQL servers also pg_dump and the archive that it writes. */
const outside = (direction: MemoryDirection): Rate =>
  direction === "postgres-postgres" ? { table: 3, column: 0.15 } : { table: 1, column: 0.05 };

export interface Memory {
  heap: number;
  /** Of all processes in the container. */
  container: number;
}

const none = { tables: 0, columns: 0 };

const kept = ({ table, column }: Rate, { tables, columns }: Pick<Counted, "tables" | "columns">) =>
  margin * KiB * (tables * table + columns * column);

/** Bytes, as multiples of 8 MiB. */
export function neededMemory(direction: MemoryDirection, counted: Counted): Memory {
  const { left = none } = counted;
  const heap = rounded(programBytes + kept(rates[direction], counted) + kept(leftRates[direction], left));
  const beside = kept(outside(direction), counted) + kept(outside(direction), left);
  return { heap, container: rounded(heap + besideHeap + beside) };
}

const step = 8 * MiB;
const rounded = (bytes: number) => Math.ceil(bytes / step) * step;

/** What is wrong and how to fix it; undefined where the copy fits. Without a `container` only the heap is limited. */
export function misfit(
  { tables, columns, left = none }: Counted,
  need: Memory,
  has: { heap: number; container?: number | undefined },
): { reason: string; fix: string } | undefined {
  const { heap, container = Number.POSITIVE_INFINITY } = has;
  if (heap >= need.heap && container >= need.container) return undefined;
  const megabytes = (bytes: number) => Math.round(bytes / MiB);
  const [what, needed, limit] =
    heap < need.heap ? ["a heap", need.heap, heap] : ["a container", need.container, container];
  const beside = left.tables === 0 ? "" : `, beside ${numberText(left.tables)} that are skipped,`;
  const flag = `--max-old-space-size=${megabytes(need.heap)}`;
  return {
    reason: `a copy of ${numberText(tables)} tables and views with ${numberText(columns)} columns${beside} needs ${what} of ${megabytes(needed)} MB, and the worker's limit is ${megabytes(limit)} MB`,
    fix: `in the chart's values, set worker.memoryMax to ${megabytes(need.container)}Mi or more and retry, or set ${flag} in worker.command and worker.resources.limits.memory to ${megabytes(need.container)}Mi; for the command line, set NODE_OPTIONS=${flag}`,
  };
}
