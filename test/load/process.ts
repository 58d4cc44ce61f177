import type { ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";

/** MiB that a process has now; 0 once it is gone. */
export function memoryOf({ pid }: ChildProcess): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "utf8");
    return Number(/^VmRSS:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024;
  } catch {
    return 0;
  }
}

/** Seconds of a processor that a process has taken; 0 once it is gone. Linux counts in hundredths. */
export function processorOf({ pid }: ChildProcess): number {
  try {
    const [user = "0", system = "0"] =
      readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ").slice(11) ?? [];
    return (Number(user) + Number(system)) / 100;
  } catch {
    return 0;
  }
}
