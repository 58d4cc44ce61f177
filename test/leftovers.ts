import { readdirSync, readFileSync } from "node:fs";

/**
 * Finds and ends the processes of a test run, however they were started: each inherits an environment variable with
 * the run's id, which /proc shows (Linux; elsewhere nothing is found).
 */
export const runVariable = "ROWFERRY_TEST_RUN";

export interface Leftover {
  pid: number;
  command: string;
}

/** Processes whose run has this id, or one that begins with it; without this one. */
export function leftovers(run: string): Leftover[] {
  const found: Leftover[] = [];
  for (const entry of processes()) {
    const pid = Number(entry);
    if (pid === process.pid) continue;
    const environment = read(`/proc/${pid}/environ`).split("\0");
    if (!environment.some((line) => line.startsWith(`${runVariable}=${run}`)) || state(pid) === "Z") continue;
    found.push({ pid, command: read(`/proc/${pid}/cmdline`).split("\0").join(" ").trim().slice(0, 200) });
  }
  return found;
}

/** Ends them: SIGTERM, and SIGKILL for those that are still there after `graceMs`. */
export async function endLeftovers(run: string, graceMs: number): Promise<void> {
  const deadline = Date.now() + graceMs;
  let left = leftovers(run);
  for (const { pid } of left) signal(pid, "SIGTERM");
  while (left.length > 0) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    left = leftovers(run);
    if (Date.now() > deadline) for (const { pid } of left) signal(pid, "SIGKILL");
    if (Date.now() > deadline + 5_000) return;
  }
}

function processes(): string[] {
  try {
    return readdirSync("/proc").filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function state(pid: number): string {
  // The command's name stands in parentheses and may itself hold any character.
  return read(`/proc/${pid}/stat`)
    .replace(/^.*\) /s, "")
    .slice(0, 1);
}

function read(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It ended in the meantime.
  }
}
