import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";
import { ownContainer } from "./own.ts";

/** How much of what a server says may be kept: as much as is ever needed, and no more than this process has room for. */

const MiB = 1 << 20;

/** Bytes of one answer: catalogues of ten thousands of tables. As strings in rows they take about twice as much. */
export const answerBytes = Math.max(16 * MiB, Math.min(256 * MiB, Math.floor(getHeapStatistics().heap_size_limit / 3)));

/** This process's own share of its container while such a program runs. */
const own = 96 * MiB;

/**
 * Bytes that a program may take beside this process: what the container leaves. Where none is limited, a quarter of the machine, and
 * no less than ten thousand tables' schema needs five times over.
 */
export function programBytes(container: number = process.constrainedMemory(), machine: number = totalmem()): number {
  if (ownContainer(container, machine) === undefined) return Math.max(512 * MiB, Math.floor(machine / 4));
  return Math.max(64 * MiB, container - own);
}
