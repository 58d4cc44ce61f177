// The memory of a process with its children, as the kernel counts it.
import { readFile } from "node:fs/promises";

const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

/** Resident KiB of each process below and including `pid`. */
const residentKib = async (pid: number): Promise<number> => {
  const own = Number(/VmRSS:\s+(\d+)/.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0);
  const children = (await read(`/proc/${pid}/task/${pid}/children`)).split(" ").filter(Boolean);
  const sizes = await Promise.all(children.map((id) => residentKib(Number(id))));
  return sizes.reduce((sum, size) => sum + size, 0) + own;
};

/** `watch` looks at the processes until it is called off; `peakMib` is the largest sum of one moment. */
export const createMemoryWatch = (everyMs = 25): { watch(pid: number): () => void; peakMib(): number } => {
  let peak = 0;
  return {
    watch(pid) {
      const timer = setInterval(async () => {
        peak = Math.max(peak, await residentKib(pid));
      }, everyMs);
      return () => clearInterval(timer);
    },
    peakMib: () => peak / 1024,
  };
};
