// A machine with a Docker engine inside this one: its first process holds all that there is of it.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { closeCgroups } from "../../../dev/cluster/local/cgroups.ts";
import type { Stage } from "./stage.ts";

export type Ended = { code: number | null; stdout: string; output: string };

export type Machine = {
  /** Runs words of the shell as `root` or as `user`, with that account's own PATH. */
  run(account: "root" | "user", words: string, options?: RunOptions): Promise<Ended>;
  /** Ends every process of it and deletes what it wrote; the engine's data stay. */
  close(): Promise<void>;
};

export type RunOptions = { log?: (text: string) => void; signal?: AbortSignal; env?: Record<string, string> };

const startsWithin = 60_000;

const accounts = {
  root: { id: "0", home: "/root", path: "/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" },
  user: { id: "1000", home: "/home/user", path: "/home/user/bin" },
} as const;

/** A file of /proc; empty where its process has ended. */
const ofProcess = (pid: number, name: string): string => {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8").trim();
  } catch {
    return "";
  }
};

const childrenOf = (pid: number): number[] =>
  ofProcess(pid, `task/${pid}/children`).split(" ").filter(Boolean).map(Number);

const commandOf = (pid: number): string => ofProcess(pid, "comm");

/** Starts the machine and waits until its engine answers. `data` is the engine's folder, on a file system with overlays. */
export const openMachine = async (stage: Stage, data: string): Promise<Machine> => {
  if (process.getuid?.() !== 0) throw new Error("The machine with the Docker engine needs root: run this as root.");
  const work = mkdtempSync(join(tmpdir(), "rowferry-machine-"));
  mkdirSync(data, { recursive: true });
  const cgroup = `rowferry-docker-${process.pid}`;
  const pairs = Object.entries(stage.mounts).map(([name, path]) => `${name}=${path}`);
  const script = join(import.meta.dirname, "recipes", "machine.sh");
  const holder = spawn(
    "unshare",
    [
      ...["--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "sh", script],
      ...[stage.root, work, data, cgroup, ...pairs],
    ],
    { stdio: ["ignore", "pipe", "pipe"], detached: true },
  );
  let said = "";
  for (const stream of [holder.stdout, holder.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-4_000);
    });
  }
  const ended = new Promise<void>((done) => holder.on("close", () => done()));

  const engine = (): number | undefined =>
    childrenOf(holder.pid ?? 0)
      .flatMap(childrenOf)
      .find((pid) => commandOf(pid) === "dockerd");

  const run: Machine["run"] = async (account, words, { log, signal, env = {} } = {}) => {
    const { id, home, path } = accounts[account];
    const target = engine();
    if (target === undefined) throw new Error("The machine's engine does not run");
    const into = ["--target", String(target), "--mount", "--pid", "--net", "--root"];
    const as = [
      "/usr/bin/setpriv",
      `--reuid=${id}`,
      `--regid=${id}`,
      "--init-groups",
      "/bin/sh",
      "-c",
      `cd && ${words}`,
    ];
    const set = Object.entries({ HOME: home, PATH: path, LC_ALL: "C.UTF-8", ...env });
    const clean = ["/usr/bin/env", "-i", ...set.map(([name, value]) => `${name}=${value}`)];
    const child = spawn("nsenter", [...into, ...clean, ...as], { stdio: ["ignore", "pipe", "pipe"], detached: true });
    const stop = (): void => {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGTERM");
    };
    signal?.addEventListener("abort", stop, { once: true });
    let [stdout, output] = ["", ""];
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      stdout += text;
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding("utf8").on("data", (text: string) => {
        output += text;
        log?.(text);
      });
    }
    return new Promise<Ended>((done, fail) => {
      child.on("error", fail).on("close", (code) => {
        signal?.removeEventListener("abort", stop);
        done({ code, stdout, output });
      });
    });
  };

  const close = async (): Promise<void> => {
    holder.kill("SIGKILL");
    await ended;
    await closeCgroups(cgroup);
    rmSync(work, { recursive: true, force: true, maxRetries: 5 });
  };

  try {
    for (const until = Date.now() + startsWithin; ; await sleep(50)) {
      if (holder.exitCode !== null || holder.signalCode !== null) throw new Error(`The machine ended: ${said.trim()}`);
      if (engine() !== undefined && (await run("root", "docker info > /dev/null 2>&1")).code === 0) break;
      if (Date.now() > until) throw new Error(`The machine's Docker engine does not answer: ${said.trim()}`);
    }
  } catch (error) {
    await close();
    throw error;
  }
  return { run, close };
};
