// A clean root, entered as a machine of its own: mount, process, IPC and host-name namespaces, and a pivoted root. Its
// network is this machine's, since the registries are reached by it.
import { spawn } from "node:child_process";
import { cp, mkdir, mkdtemp, readdir, readFile, readlink, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { run } from "../../dev/terminal/run.ts";
import { cleanEnvironment, registryFiles } from "./settings.ts";

/** A folder of this machine inside the clean root. `own`: what is written to it stays in the root. */
export type Share = { here: string; there: string; own: boolean };

export type RunOptions = {
  cwd?: string;
  /** More than a fresh login has. */
  env?: Record<string, string>;
  log: (text: string) => void;
  signal?: AbortSignal;
};

export type Machine = {
  /** Runs a program in the clean root's /root, or in `cwd`; resolves with its exit code. */
  run(command: string[], options: RunOptions): Promise<number>;
  /** Command lines of the processes in it, without the first one. */
  processes(): Promise<string[]>;
  /** Its mounts, sorted. */
  mounts(): Promise<string[]>;
  /** Writes a file by its path in the clean root. */
  write(path: string, content: string): Promise<void>;
  /** Ends every process in it and deletes it. */
  close(): Promise<void>;
};

// Two arguments for each share, after the root: its mount options and its place. The last word tells that all is mounted.
const script = `set -eu
root=$1; shift
mount --make-rprivate /
mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount --rbind /sys sys
mount --rbind /dev dev
while [ $# -gt 0 ]; do
  if [ "$1" = bind ]; then mount --bind "$2" "$root$3"; mount -o remount,bind,ro "$root$3"
  else mount -t overlay overlay -o "$1" "$root$3"; fi
  shift 3
done
mkdir .before
pivot_root . .before
cd /
umount -l /.before
rmdir /.before
hostname clean
echo ready
sleep infinity & wait`;

const copyRegistryFiles = async (root: string): Promise<void> => {
  for (const [here, there] of registryFiles()) {
    await rm(join(root, there), { recursive: true, force: true });
    await mkdir(dirname(join(root, there)), { recursive: true });
    await cp(here, join(root, there), { recursive: true, dereference: true });
  }
  // The archive may be a dated copy, whose lists are past their date.
  await writeFile(join(root, "etc/apt/apt.conf.d/99first-hour"), 'Acquire::Check-Valid-Until "false";\n');
};

/** Copies the root and enters it. The copy and everything in it goes at `close`, when this fails, and when this process ends. */
export const openMachine = async (from: string, shares: readonly Share[]): Promise<Machine> => {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-machine-"));
  try {
    return await enter(folder, from, shares);
  } catch (error) {
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    throw error;
  }
};

const enter = async (folder: string, from: string, shares: readonly Share[]): Promise<Machine> => {
  const root = join(folder, "root");
  await run("cp", ["-a", "--reflink=auto", from, root]);
  await copyRegistryFiles(root);
  const mounts: string[] = [];
  for (const [at, { here, there, own }] of shares.entries()) {
    const layers = ["upper", "work"].map((name) => join(folder, `${name}${at}`));
    for (const path of [...layers, join(root, there)]) await mkdir(path, { recursive: true });
    mounts.push(own ? `lowerdir=${here},upperdir=${layers[0]},workdir=${layers[1]}` : "bind", here, there);
  }
  const flags = ["--mount", "--pid", "--ipc", "--uts", "--fork", "--kill-child"];
  const holder = spawn(
    "setpriv",
    ["--pdeathsig", "KILL", "unshare", ...flags, "sh", "-c", script, "sh", root, ...mounts],
    {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    },
  );
  let complaint = "";
  holder.stderr.setEncoding("utf8").on("data", (text: string) => {
    complaint += text;
  });
  await new Promise<void>((resolve, reject) => {
    holder.stdout.once("data", () => resolve());
    holder.once("error", reject);
    holder.once("close", () => reject(new Error(`The clean root could not be entered: ${complaint}`)));
  });
  const [init = ""] = (await readFile(`/proc/${holder.pid}/task/${holder.pid}/children`, "utf8")).split(" ");
  const namespace = await readlink(`/proc/${init}/ns/pid`);
  const login = cleanEnvironment(process.env);

  return {
    run: (command, { cwd = "/root", env = {}, log, signal }) =>
      new Promise((resolve, reject) => {
        const environment = Object.entries({ ...login, ...env }).map(([name, value]) => `${name}=${value}`);
        const enter = ["--target", init, "--mount", "--pid", "--ipc", "--uts", `--wdns=${cwd}`, "--"];
        const child = spawn("nsenter", [...enter, "env", "--ignore-environment", ...environment, ...command], {
          stdio: ["ignore", "pipe", "pipe"],
          detached: true,
        });
        const stop = () => holder.kill("SIGKILL");
        signal?.addEventListener("abort", stop, { once: true });
        for (const stream of [child.stdout, child.stderr]) stream.setEncoding("utf8").on("data", log);
        child.once("error", reject);
        child.once("close", (code) => {
          signal?.removeEventListener("abort", stop);
          resolve(code ?? 137);
        });
      }),
    processes: async () => {
      const pids = (await readdir("/proc")).filter((name) => /^\d+$/.test(name) && name !== init);
      const found = await Promise.all(
        pids.map(async (pid) => {
          const its = await readlink(`/proc/${pid}/ns/pid`).catch(() => "");
          return its === namespace ? await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "") : "";
        }),
      );
      return found
        .map((words) => words.replaceAll("\0", " ").trim())
        .filter((words) => words !== "" && words !== "sleep infinity");
    },
    mounts: async () => (await readFile(`/proc/${init}/mounts`, "utf8")).split("\n").filter(Boolean).sort(),
    write: async (path, content) => {
      await mkdir(dirname(join(root, path)), { recursive: true });
      await writeFile(join(root, path), content);
    },
    close: async () => {
      const ended = new Promise((resolve) =>
        holder.exitCode === null && holder.signalCode === null ? holder.once("close", resolve) : resolve(0),
      );
      holder.kill("SIGKILL");
      await ended;
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
};

/** The download caches of npm and Go, which hold what the registries sent and nothing that was built. */
export const downloads = async (): Promise<Share[]> => {
  const go = (await run("go", ["env", "GOROOT", "GOMODCACHE"])).stdout.trim().split("\n");
  const [goroot = "", modules = ""] = go;
  const npm = join(homedir(), ".npm");
  for (const path of [npm, join(modules, "cache/download")]) await mkdir(path, { recursive: true });
  return [
    { here: goroot, there: "/usr/local/go", own: false },
    { here: npm, there: "/root/.npm", own: true },
    { here: join(modules, "cache/download"), there: "/root/go/pkg/mod/cache/download", own: true },
  ];
};
