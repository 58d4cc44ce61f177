// The memory of a process with its children, as the kernel counts it.
import { readFile } from "node:fs/promises";

const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

/** Resident KiB of each process below and including `pid`. */
const residentKib = async (pid: number): Promise<number> => {
  const own = Number(/VmRSS:\s+(\d+)/.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0);
  const children = (await read(`/proc/${pid}/task/${pid}/children`)).split(" ").filter(Boolean);
  const sizes = await Promise.all(children.map((id) => residentKib(Number(id))));
  return sizes.reduce((sum, size) => sum + size, own);
};

/** Looks at the processes until `end`, which answers the largest sum of one moment, in MiB. */
export const watchMemory = (pid: number, everyMs = 25): { end(): number } => {
  let peak = 0;
  const timer = setInterval(async () => {
    peak = Math.max(peak, await residentKib(pid));
  }, everyMs);
  return {
    end() {
      clearInterval(timer);
      return peak / 1024;
    },
  };
};
