import { readFileSync } from "node:fs";

/** What of this process' memory a core file would hold (`/proc/…/coredump_filter`); 0: nothing. */
export const memoryInCore = (pid: number | undefined): number =>
  Number.parseInt(readFileSync(`/proc/${pid}/coredump_filter`, "latin1"), 16);
