import { totalmem } from "node:os";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** How much of what a server says may be kept: as much as is ever needed, and no more than this process has room for. */

const MiB = 1 << 20;

/** Bytes of one answer: catalogues of ten thousands of tables. As strings in rows they take about twice as much. */
export const answerBytes = Math.max(16 * MiB, Math.min(256 * MiB, Math.floor(getHeapStatistics().heap_size_limit / 3)));

/** This process's own share of its container. */
const own = 128 * MiB;

/**
 * Bytes that a program may take beside this process: what the container leaves. Where none is limited, a quarter of the machine, and
 * no less than ten thousand tables' schema needs five times over.
 */
export function programBytes(container: number = process.constrainedMemory(), machine: number = totalmem()): number {
  // Without a limit it is 0, or more than a machine has.
  if (container === 0 || container >= machine) return Math.max(512 * MiB, Math.floor(machine / 4));
  return Math.max(64 * MiB, container - own);
}

/** With less in the heap there is nothing worth a pause. */
const worthGivingBack = 32 * MiB;

/**
 * Collects garbage and returns its memory. The engine itself waits until its own limit is near, and does not know that pg_dump runs
 * beside it in the same container.
 */
export async function giveBackMemory(): Promise<void> {
  if (process.memoryUsage().heapUsed < worthGivingBack) return;
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as NodeJS.GCFunction;
  await collect({ type: "major", flavor: "last-resort", execution: "async" });
}
