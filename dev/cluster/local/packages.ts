// The container runtime from Debian's packages: only unpacked into the cache, so that no service of it ever starts and an
// installed Docker is not touched.
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { aptGet } from "../../debian/apt.ts";
import { aptOptions } from "../../debian/index.ts";
import { lock } from "../../lock.mjs";
import { failure } from "../../terminal/failure.ts";
import type { Terminal } from "../../terminal/index.ts";
import { run } from "../../terminal/run.ts";
import { binariesFolder, platform } from "../binaries/index.ts";

const runtime = ["containerd", "runc", "containernetworking-plugins"];

const osRelease = (): Record<string, string> => {
  if (!existsSync("/etc/os-release")) return {};
  const lines = readFileSync("/etc/os-release", "utf8").split("\n");
  return Object.fromEntries(
    lines.map((line) => [line.split("=")[0] ?? "", line.split("=").slice(1).join("=").replaceAll('"', "")]),
  );
};

const advice = "Install Docker, or run the command with --processes.";

/** Whether Kubernetes runs here in namespaces of its own, without Docker: that needs root on Debian or Ubuntu. */
export const isLocalMachine = (): boolean => {
  const os = osRelease();
  const debian = [os["ID"], ...(os["ID_LIKE"] ?? "").split(" ")].includes("debian");
  return process.platform === "linux" && debian && existsSync("/usr/bin/apt-get") && process.getuid?.() === 0;
};

/** Throws an error that names the next step where `isLocalMachine` is not true. */
export const requireLocalMachine = (): void => {
  if (!isLocalMachine()) throw failure("Kubernetes in namespaces of its own needs root on Debian or Ubuntu.", advice);
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
      const options = { ...aptOptions(terminal, step, signal), cwd: join(part, "packages") };
      const download = () => aptGet(["download", ...runtime], options);
      // Package lists may be absent, or so old that they name files that the archive no longer has.
      await download().catch(async () => {
        signal?.throwIfAborted();
        await aptGet(["update"], options);
        await download();
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
