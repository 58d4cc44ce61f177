import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";

/**
 * Finds and ends the processes of a test run, however they were started (Linux; elsewhere nothing is found). Each inherits two
 * marks, which /proc shows: an environment variable with the run's id, and a limit of file locks. Programs give their children
 * another environment or overwrite their own (PostgreSQL). The limit survives that, namespaces and changes of account, and
 * Linux has ignored it since 2.4 (getrlimit(2), RLIMIT_LOCKS).
 */
export const runVariable = "ROWFERRY_TEST_RUN";

/** A run's id is a UUID; what follows it names a job of the run. */
const idLength = 36;
const lockLimit = (run: string): number =>
  2 ** 30 + (createHash("sha256").update(run.slice(0, idLength)).digest().readUInt32BE() % 2 ** 30);

/** The command that runs `command` with the run's limit. The variable is for the caller to set. */
export function marked(run: string, command: readonly string[]): readonly string[] {
  const prlimit = ["prlimit", `--locks=${lockLimit(run)}:`];
  const there = spawnSync("prlimit", [...prlimit.slice(1), "true"], { stdio: "ignore" }).status === 0;
  return there ? [...prlimit, ...command] : command;
}

/** Gives this process the run's limit, and so all that it starts from now on: the pool's servers, for example. */
export function markThis(run: string): void {
  spawnSync("prlimit", ["--pid", String(process.pid), `--locks=${lockLimit(run)}:`], { stdio: "ignore" });
}

export interface Leftover {
  pid: number;
  command: string;
}

/** Processes whose run has this id, or one that begins with it; without this one. A job's processes are found by the variable alone. */
export function leftovers(run: string): Leftover[] {
  const found: Leftover[] = [];
  const limit = run.length === idLength ? new RegExp(`^Max file locks +${lockLimit(run)} `, "m") : undefined;
  for (const entry of processes()) {
    const pid = Number(entry);
    if (pid === process.pid) continue;
    const environment = read(`/proc/${pid}/environ`).split("\0");
    const named = environment.some((line) => line.startsWith(`${runVariable}=${run}`));
    if (!(named || limit?.test(read(`/proc/${pid}/limits`))) || state(pid) === "Z") continue;
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

/**
 * Ends a process that was started as `detached`, and what it started in its group, as `endLeftovers` does. It works on every
 * system, but does not find a process that left the group.
 */
export async function endGroup(pid: number | undefined, graceMs: number): Promise<void> {
  if (pid === undefined || !signal(-pid, "SIGTERM")) return;
  const deadline = Date.now() + graceMs;
  while (Date.now() < deadline) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    if (!signal(-pid, 0)) return;
  }
  signal(-pid, "SIGKILL");
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

/** False if it ended in the meantime. */
function signal(pid: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(pid, name);
    return true;
  } catch {
    return false;
  }
}
