// apt-get, run so that a lock that another process holds is waited for, and never interrupted while dpkg works.
import { setTimeout as sleep } from "node:timers/promises";
import { CommandError, run } from "../terminal/run.ts";

export type AptOptions = {
  log: (text: string) => void;
  /** Called once for each holder of apt's lock, for example "process 812 (unattended-upgr)". */
  waiting: (holder: string) => void;
  /** Takes effect while apt waits for a lock and when it has ended, never while dpkg works. */
  signal?: AbortSignal | undefined;
  /** Where `apt-get download` puts its files. */
  cwd?: string;
  /** How long a lock of another process is waited for. Default: 30 minutes. */
  limitMs?: number;
};

/** Seconds that one attempt waits for dpkg's lock; apt has no such option for the lock of its package lists. */
const attemptSeconds = 5;

/**
 * The process that holds apt's lock; undefined: apt failed for another reason. When apt has waited for dpkg's lock, only its
 * standard output names the process.
 */
export const lockHolder = ({ stdout, stderr }: { stdout: string; stderr: string }): string | undefined => {
  if (!/Could not get lock|Unable to (?:acquire|lock)/.test(stderr)) return undefined;
  return /held by (process \d+(?: \([^)]*\))?)/.exec(`${stderr}\n${stdout}`)?.[1] ?? "another process";
};

/** Runs apt-get to its end. Rejects with a CommandError, also when a lock is still held at the limit. */
export const aptGet = async (args: readonly string[], options: AptOptions): Promise<void> => {
  const { log, waiting, signal, cwd, limitMs = 30 * 60_000 } = options;
  const deadline = performance.now() + limitMs;
  // A process group of its own: Ctrl-C in the terminal must not stop dpkg halfway.
  const words = ["--wait", "apt-get", "-o", `DPkg::Lock::Timeout=${attemptSeconds}`, ...args];
  const env = { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" };
  for (const reported = new Set<string>(); ; await sleep(1_000, undefined, { signal })) {
    signal?.throwIfAborted();
    try {
      await run("setsid", words, { log, env, ...(cwd === undefined ? {} : { cwd }) });
      return signal?.throwIfAborted();
    } catch (error) {
      const holder = error instanceof CommandError ? lockHolder(error) : undefined;
      if (holder === undefined || performance.now() > deadline) throw error;
      if (!reported.has(holder)) waiting(holder);
      reported.add(holder);
    }
  }
};
