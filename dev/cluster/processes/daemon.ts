// Processes that outlive the command that starts them, each with a log file and a process group of its own.
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { isAlive, mark, type ProcessMark } from "../local/processes.ts";
import { spawnHeld } from "./held.ts";

/**
 * Starts a program; its output goes to `<folder>/<name>.log`. It runs only after `written` has put its mark on the disk: a full
 * disk or a SIGKILL of this process leaves no daemon that no file names. Throws if it cannot be started or written down.
 */
export async function startDaemon(
  folder: string,
  { name, program, args }: { name: string; program: string; args: readonly string[] },
  written: (mark: ProcessMark) => void,
): Promise<ProcessMark> {
  const log = openSync(join(folder, `${name}.log`), "a", 0o600);
  const { child, release, drop } = spawnHeld([program, ...args], { cwd: folder, output: log });
  closeSync(log);
  await once(child, "spawn");
  child.unref();
  try {
    const found = mark(child.pid ?? 0);
    if (found === null) throw new Error(`${name} ended at once: ${lastLines(folder, name)}`);
    written(found);
    release();
    return found;
  } catch (error) {
    drop();
    throw error;
  }
}

/** The last lines of a daemon's log. */
export const lastLines = (folder: string, name: string): string => {
  const file = join(folder, `${name}.log`);
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").slice(-200).join("\n") : "";
};

const killGroup = (pid: number): void => {
  for (const target of [-pid, pid]) {
    try {
      process.kill(target, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
};

/** Ends these processes and their groups at once, and waits until none is left. */
export async function endDaemons(processes: readonly ProcessMark[], limitMs = 15_000): Promise<void> {
  const until = performance.now() + limitMs;
  for (const one of processes) if (isAlive(one)) killGroup(one.pid);
  while (processes.some(isAlive)) {
    if (performance.now() > until)
      throw new Error(`Processes of the cluster do not end: ${processes.filter(isAlive).map(({ pid }) => pid)}`);
    await sleep(10);
  }
}
