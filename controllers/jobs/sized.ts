import { quantity } from "./quantity.ts";
import type { WorkerTemplate } from "./template.ts";

/** The memory of a worker's container and its heap, by what the copy needs. Pure. */

const MiB = 1 << 20;
const heapFlag = /^--max-old-space-size=(\d+)$/;

interface Needed {
  heap: number;
  container: number;
}

/**
 * The template with as much more memory as the copy needs: up to `template.memoryMax`, or, where `isOwn`, up to the limit that the Migration
 * itself gives. What the container gets more is requested too. Unchanged without a measurement, or without a limit of the container.
 */
export function sized(template: WorkerTemplate, need: Needed | undefined, isOwn = false): WorkerTemplate {
  const { resources, command, memoryMax } = template;
  const limit = quantity(resources.limits?.["memory"] ?? "");
  if (need === undefined || Number.isNaN(limit)) return template;
  const most = isOwn ? limit : Math.max(limit, memoryMax);
  const container = Math.max(limit, Math.min(need.container, most));
  // With less than it needs, what lies beside the heap keeps its room. What a worker claims need not make sense.
  const heap = Math.floor(Math.min(need.heap - Math.max(0, need.container - container), container) / MiB);
  const words = command.map((word) => {
    const now = heapFlag.exec(word)?.[1];
    return now === undefined || Number(now) >= heap ? word : `--max-old-space-size=${heap}`;
  });
  if (container === limit) return { ...template, command: words };
  const request = quantity(resources.requests?.["memory"] ?? "");
  return {
    ...template,
    command: words,
    resources: {
      limits: { ...resources.limits, memory: inMebibytes(container) },
      requests: {
        ...resources.requests,
        memory: inMebibytes(Number.isNaN(request) ? container : request + container - limit),
      },
    },
  };
}

const inMebibytes = (bytes: number): string => `${Math.ceil(bytes / MiB)}Mi`;

/** Bytes that a container of this template lacks for the copy; 0: it fits. */
export function lacking(template: WorkerTemplate, need: Needed): number {
  const limit = quantity(template.resources.limits?.["memory"] ?? "");
  const heaps = template.command.flatMap((word) => heapFlag.exec(word)?.[1] ?? []).map((heap) => Number(heap) * MiB);
  return Math.max(
    0,
    need.container - (Number.isNaN(limit) ? need.container : limit),
    ...heaps.map((heap) => need.heap - heap),
  );
}
