// Network, mount, process and shared-memory namespaces of a test's own, in which commands of this clone run as on a machine that
// nobody else uses: what they leave behind can then be compared exactly, whatever runs beside the test.
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cacheFolder } from "../../dev/terminal/cache.ts";

export const clone = resolve(import.meta.dirname, "../..");

export type Ended = { code: number | null; output: string };

export type Sandbox = {
  /** Its own cache folder; the binaries in there are the user's. */
  cache: string;
  env: NodeJS.ProcessEnv;
  /** Starts a program in the sandbox, in a process group of its own. */
  start(command: string, args: string[], env?: NodeJS.ProcessEnv): { child: ChildProcess; ended: Promise<Ended> };
  /** Runs a program in the sandbox; output is standard output and error together. */
  run(command: string, args: string[], env?: NodeJS.ProcessEnv): Promise<Ended>;
  /** Runs a script of this clone by its Node, and throws with the output unless it ends with 0. */
  node(script: string, args?: string[], env?: NodeJS.ProcessEnv): Promise<string>;
  close(): Promise<void>;
};

const firstChild = async (pid: number): Promise<number> => {
  const file = `/proc/${pid}/task/${pid}/children`;
  for (const until = Date.now() + 10_000; ; ) {
    const [child] = existsSync(file) ? readFileSync(file, "utf8").trim().split(" ").map(Number) : [];
    if (child) return child;
    if (Date.now() > until) throw new Error("The sandbox did not start");
    await sleep(10);
  }
};

/** Opens a sandbox. It needs root on Linux. `env` is set for every program in it. */
export const openSandbox = async (extra: NodeJS.ProcessEnv = {}): Promise<Sandbox> => {
  const cache = mkdtempSync(join(tmpdir(), "rowferry-sandbox-"));
  mkdirSync(join(cacheFolder(), "binaries"), { recursive: true });
  symlinkSync(join(cacheFolder(), "binaries"), join(cache, "binaries"));
  // The shell is there to reap what loses its parent, as the first process of a machine does.
  const words = "ip link set lo up; mount -t tmpfs tmpfs /dev/shm; sleep infinity & wait";
  const flags = ["--net", "--mount", "--pid", "--ipc", "--fork", "--kill-child", "--mount-proc"];
  const holder = spawn("unshare", [...flags, "sh", "-c", words], { stdio: "ignore", detached: true });
  const init = await firstChild(holder.pid ?? 0);
  const bin = join(clone, "node_modules", ".bin");
  // A Docker engine of the machine is not what is tested here.
  const env = {
    ...process.env,
    PATH: `${bin}:${process.env["PATH"]}`,
    ROWFERRY_CACHE: cache,
    DOCKER_HOST: "unix:///nowhere",
    ...extra,
  };

  const start: Sandbox["start"] = (command, args, more = {}) => {
    const into = ["--target", String(init), "--net", "--mount", "--pid", "--ipc", `--wd=${clone}`];
    const inside = [...into, "--", command, ...args];
    const child = spawn("nsenter", inside, {
      env: { ...env, ...more },
      cwd: clone,
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    let output = "";
    const add = (data: Buffer): void => {
      output += data.toString();
    };
    child.stdout.on("data", add);
    child.stderr.on("data", add);
    const ended = new Promise<Ended>((done, fail) =>
      child.on("error", fail).on("close", (code) => done({ code, output })),
    );
    return { child, ended };
  };
  const run: Sandbox["run"] = (command, args, more) => start(command, args, more).ended;
  return {
    cache,
    env,
    start,
    run,
    node: async (script, args = [], more = {}) => {
      const { code, output } = await run("node", [join(clone, script), ...args], more);
      if (code !== 0) throw new Error(`${script} ${args.join(" ")} ended with ${code}:\n${output}`);
      return output;
    },
    close: async () => {
      holder.kill("SIGKILL");
      while (existsSync(`/proc/${init}`)) await sleep(10);
      rmSync(cache, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};
