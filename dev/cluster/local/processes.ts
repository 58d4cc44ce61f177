// The cluster's processes, found by the namespace that they live in.
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync, readlinkSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

/** A process that cannot be taken for another: its number, when it started, and in which run of the machine. */
export type ProcessMark = { pid: number; started: string; boot: string };

const read = (path: string): string | null => {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return null;
  }
};

const bootId = (): string => read("/proc/sys/kernel/random/boot_id")?.trim() ?? "";

// The 22nd field of stat, counted after the command's closing bracket, which may hold spaces; the 1st is the state.
const startOf = (pid: number): string | null => {
  if (process.platform !== "linux") return startByPs(pid);
  const stat = read(`/proc/${pid}/stat`);
  if (stat === null) return null;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  // One that has ended and waits for its parent is no longer alive.
  return fields[0] === "Z" ? null : (fields[19] ?? null);
};

/** macOS has no /proc. */
const startByPs = (pid: number): string | null => {
  const { status, stdout } = spawnSync("ps", ["-o", "lstart=", "-p", String(pid)], { encoding: "utf8" });
  return status === 0 && stdout.trim() !== "" ? stdout.trim() : null;
};

export const mark = (pid: number): ProcessMark | null => {
  const started = startOf(pid);
  return started === null ? null : { pid, started, boot: bootId() };
};

export const isAlive = (process: ProcessMark): boolean =>
  process.boot === bootId() && startOf(process.pid) === process.started;

const namespaceOf = (pid: number, file: "pid" | "pid_for_children"): string | null => {
  try {
    return readlinkSync(`/proc/${pid}/ns/${file}`);
  } catch {
    return null;
  }
};

/** The process namespace that `unshare` made, which is its children's. */
export const clusterNamespace = (unshare: number): string | null => namespaceOf(unshare, "pid_for_children");

/** Numbers, as the host sees them, of the live processes in that namespace. */
export const processesIn = (namespace: string): number[] =>
  readdirSync("/proc").flatMap((name) => {
    const pid = Number(name);
    return Number.isInteger(pid) && namespaceOf(pid, "pid") === namespace ? [pid] : [];
  });

/** The program and its arguments; empty for a process that is gone. */
export const commandOf = (pid: number): string[] => (read(`/proc/${pid}/cmdline`) ?? "").split("\0").filter(Boolean);

/** Ends the namespace's first process, with which the kernel ends all of it, and waits until none is left. */
export const endNamespace = async (unshare: ProcessMark, limitMs = 15_000): Promise<void> => {
  if (!isAlive(unshare)) return;
  const namespace = clusterNamespace(unshare.pid);
  const members = namespace === null ? [] : processesIn(namespace);
  process.kill(unshare.pid, "SIGKILL");
  const until = performance.now() + limitMs;
  while (isAlive(unshare) || (namespace !== null && members.length > 0 && processesIn(namespace).length > 0)) {
    if (performance.now() > until)
      throw new Error(`Processes of the cluster do not end: ${namespace && processesIn(namespace).join(", ")}`);
    await sleep(10);
  }
};
