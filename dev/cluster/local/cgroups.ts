// A cluster's control groups: one folder in every hierarchy of the machine (or in the one of cgroup v2), below which
// the kubelet makes its own.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const mounts = (): { path: string; type: string }[] =>
  readFileSync("/proc/self/mounts", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [, path = "", type = ""] = line.split(" ");
      return (type === "cgroup" || type === "cgroup2") && path.startsWith("/sys/fs/cgroup") ? [{ path, type }] : [];
    });

/** Makes the folder, or a folder below one, in every hierarchy, with its controllers switched on where that is needed (cgroup v2). */
export const openCgroups = (name: string): void => {
  for (const { path, type } of mounts()) {
    let folder = path;
    for (const part of name.split("/")) {
      if (type === "cgroup2") {
        const controllers = readFileSync(join(folder, "cgroup.controllers"), "utf8")
          .trim()
          .split(/\s+/)
          .filter(Boolean);
        for (const one of controllers) writeFileSync(join(folder, "cgroup.subtree_control"), `+${one}`);
      }
      folder = join(folder, part);
      mkdirSync(folder, { recursive: true });
    }
  }
};

const folders = (path: string): string[] =>
  readdirSync(path, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .flatMap((entry) => [...folders(join(path, entry.name)), join(path, entry.name)]);

/** Removes the folder from every hierarchy; waits up to `limitMs` for the kernel to let go of ended processes. */
export const closeCgroups = async (name: string, limitMs = 10_000): Promise<void> => {
  const until = performance.now() + limitMs;
  for (const { path } of mounts()) {
    const root = join(path, name);
    while (existsSync(root)) {
      try {
        for (const folder of [...folders(root), root]) rmdirSync(folder);
      } catch (error) {
        if (performance.now() > until) throw new Error(`The control group ${root} cannot be removed`, { cause: error });
        await sleep(20);
      }
    }
  }
};
