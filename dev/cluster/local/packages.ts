// What Debian or Ubuntu provides: commands that the cluster uses on the machine are installed; the container runtime is
// only unpacked into the cache, so that no service of it ever starts and an installed Docker is not touched.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lock } from "../../lock.mjs";
import type { Step, Terminal } from "../../terminal/index.ts";
import { run } from "../../terminal/run.ts";
import { binariesFolder, platform } from "../binaries/index.ts";

const wanted = [
  { command: "ip", package: "iproute2", why: "links and routes to the cluster's network" },
  { command: "iptables", package: "iptables", why: "services of the cluster (kube-proxy)" },
  { command: "openssl", package: "openssl", why: "the cluster's certificates" },
  { command: "unshare", package: "util-linux", why: "namespaces of the cluster's own" },
] as const;

const runtime = ["containerd", "runc", "containernetworking-plugins"];

const advice =
  "Install Docker, with which the cluster runs in kind, or use --use-current-context with a cluster of yours.";

const osRelease = (): Record<string, string> => {
  if (!existsSync("/etc/os-release")) return {};
  const lines = readFileSync("/etc/os-release", "utf8").split("\n");
  return Object.fromEntries(
    lines.map((line) => [line.split("=")[0] ?? "", line.split("=").slice(1).join("=").replaceAll('"', "")]),
  );
};

/** Throws an error that says what to do where the local recipe cannot work: it needs root on Debian or Ubuntu. */
export const requireLocalMachine = (): void => {
  const os = osRelease();
  const debian = [os["ID"], ...(os["ID_LIKE"] ?? "").split(" ")].includes("debian");
  if (process.platform !== "linux" || !debian || !existsSync("/usr/bin/apt-get")) {
    throw new Error(`No Docker engine answers, and a cluster without Docker needs Debian or Ubuntu. ${advice}`);
  }
  if (process.getuid?.() !== 0) {
    throw new Error(`No Docker engine answers, and a cluster without Docker needs root: run it as root. ${advice}`);
  }
};

// In a process group of its own: an interrupt may not stop dpkg half-way.
const apt = async (args: string[], step: Step, cwd?: string): Promise<void> => {
  await run("setsid", ["--wait", "apt-get", "-o", "DPkg::Lock::Timeout=300", ...args], {
    log: step.log,
    env: { ...process.env, DEBIAN_FRONTEND: "noninteractive", LC_ALL: "C" },
    ...(cwd === undefined ? {} : { cwd }),
  });
};

/** Installs the commands that are missing; says which packages and what for. */
export const needCommands = async (terminal: Terminal, signal?: AbortSignal): Promise<void> => {
  const folders = ["/usr/sbin", "/usr/bin", "/sbin", "/bin"];
  const missing = wanted.filter(({ command }) => !folders.some((folder) => existsSync(join(folder, command))));
  if (missing.length === 0) return;
  for (const one of missing) terminal.line(`  installing the Debian package ${one.package}: ${one.why}`);
  await terminal.step("Install packages", async (step) => {
    const names = missing.map((one) => one.package);
    step.note(names.join(", "));
    const install = ["install", "--yes", "--no-install-recommends", ...names];
    await apt(install, step).catch(async () => {
      signal?.throwIfAborted();
      await apt(["update"], step);
      await apt(install, step);
    });
    signal?.throwIfAborted();
  });
};

/** Makes sure of containerd, runc and the network plugins; returns their folder's name below `binariesFolder()`. */
export const needRuntime = async (terminal: Terminal, signal?: AbortSignal): Promise<string> => {
  const os = osRelease();
  const name = `containerd-${os["ID"]}${os["VERSION_ID"] ?? ""}-${platform().arch}-1`;
  const target = join(binariesFolder(), name);
  if (existsSync(target)) return name;
  return terminal.step("Get containerd, runc and network plugins", async (step) => {
    step.note("unpacked, not installed");
    const release = await lock(target, signal === undefined ? {} : { signal });
    const part = `${target}.part`;
    try {
      if (existsSync(target)) return name;
      rmSync(part, { recursive: true, force: true });
      mkdirSync(join(part, "packages"), { recursive: true });
      const download = ["download", ...runtime];
      await apt(download, step, join(part, "packages")).catch(async () => {
        signal?.throwIfAborted();
        await apt(["update"], step);
        await apt(download, step, join(part, "packages"));
      });
      signal?.throwIfAborted();
      for (const file of readdirSync(join(part, "packages"))) {
        await run("dpkg-deb", ["--extract", join(part, "packages", file), part], { log: step.log });
      }
      rmSync(join(part, "packages"), { recursive: true });
      signal?.throwIfAborted();
      renameSync(part, target);
      return name;
    } finally {
      rmSync(part, { recursive: true, force: true });
      await release();
    }
  });
};
