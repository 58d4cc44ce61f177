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

const send = (target: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(target, signal);
  } catch {
    // It has ended.
  }
};

/** Whether none is left before the time, in milliseconds, is over. */
const allEnd = async (processes: readonly ProcessMark[], limitMs: number): Promise<boolean> => {
  const until = performance.now() + limitMs;
  while (processes.some(isAlive)) {
    if (performance.now() > until) return false;
    await sleep(10);
  }
  return true;
};

/** Ends these processes and their groups, and waits until none is left. For `orderlyMs` they may end by themselves. */
export async function endDaemons(processes: readonly ProcessMark[], orderlyMs = 0): Promise<void> {
  const alive = processes.filter(isAlive);
  if (orderlyMs > 0) {
    for (const { pid } of alive) send(pid, "SIGTERM");
    await allEnd(alive, orderlyMs);
  }
  for (const one of alive) {
    // A process that has ended may have left others in its group.
    send(-one.pid, "SIGKILL");
    if (isAlive(one)) send(one.pid, "SIGKILL");
  }
  if (!(await allEnd(processes, 15_000)))
    throw new Error(`Processes of the cluster do not end: ${processes.filter(isAlive).map(({ pid }) => pid)}`);
}
