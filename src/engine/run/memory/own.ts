import { totalmem } from "node:os";
import { getHeapStatistics } from "node:v8";

const MiB = 1 << 20;
/** Young objects are counted in V8's limit too, and nothing that lives long may be there. */
const youngBytes = 192 * MiB;

/**
 * Bytes of long-lived objects that this process may have: `--max-old-space-size`, else V8's own choice for the machine. Node does not
 * tell it without the space of young objects, whose share of the limit is small only where the chart bounds it.
 */
export function ownHeap(
  flags: readonly string[] = [...process.execArgv, ...(process.env.NODE_OPTIONS ?? "").split(/\s+/)],
  limit: number = getHeapStatistics().heap_size_limit,
): number {
  const given = flags
    .map((flag) => /^--max[-_]old[-_]space[-_]size=(\d+)$/.exec(flag)?.[1])
    .findLast((megabytes) => megabytes !== undefined);
  return given === undefined ? Math.max(limit / 2, limit - youngBytes) : Number(given) * MiB;
}

/** Bytes that all processes of the container may take; undefined where none is limited. */
export function ownContainer(
  limit: number = process.constrainedMemory(),
  machine: number = totalmem(),
): number | undefined {
  // Without a limit it is 0, or more than a machine has.
  return limit === 0 || limit >= machine ? undefined : limit;
}
