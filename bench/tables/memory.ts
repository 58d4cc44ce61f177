// The memory of a process with its children, as the kernel counts it.
import { readFile } from "node:fs/promises";

const read = (path: string): Promise<string> => readFile(path, "utf8").catch(() => "");

const residentKib = async (pid: number): Promise<number> =>
  Number(/VmRSS:\s+(\d+)/.exec(await read(`/proc/${pid}/status`))?.[1] ?? 0);

/** Resident KiB of the processes below `pid`. */
const childrenKib = async (pid: number): Promise<number> => {
  const children = (await read(`/proc/${pid}/task/${pid}/children`)).split(" ").filter(Boolean).map(Number);
  const sizes = await Promise.all(children.map(async (id) => (await residentKib(id)) + (await childrenKib(id))));
  return sizes.reduce((sum, size) => sum + size, 0);
};

/** MiB, rounded, each the largest of any moment: of the process itself, of all that it started, and of both together. */
export type Peaks = { own: number; children: number; together: number };

/** `watch` looks at the processes until it is called off; `peakMib` is the largest sum of one moment. */
export const createMemoryWatch = (
  everyMs = 25,
): { watch(pid: number): () => void; peaks(): Peaks; peakMib(): number } => {
  const peak = { own: 0, children: 0, together: 0 };
  return {
    watch(pid) {
      const timer = setInterval(async () => {
        const [own, children] = await Promise.all([residentKib(pid), childrenKib(pid)]);
        peak.own = Math.max(peak.own, own);
        peak.children = Math.max(peak.children, children);
        peak.together = Math.max(peak.together, own + children);
      }, everyMs);
      return () => clearInterval(timer);
    },
    peakMib: () => peak.together / 1024,
    peaks: () => {
      const mib = (kib: number) => Math.round(kib / 1024);
      return { own: mib(peak.own), children: mib(peak.children), together: mib(peak.together) };
    },
  };
};
