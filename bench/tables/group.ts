// A control group with a limit of memory, as a container has one: what counts where the worker runs is its group's memory.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { closeCgroups, openCgroups } from "../../dev/cluster/local/cgroups.ts";

/** `command` with `args` runs in the group. `peakMib` is undefined where the kernel does not tell it. */
export type MemoryGroup = {
  command(command: string, args: readonly string[]): [command: string, args: string[]];
  peakMib(): number | undefined;
  /** Processes of the group that the kernel ended for its limit. */
  killed(): number;
  /** When the last process has ended. */
  close(): Promise<void>;
};

/** Files of cgroup v2 and of v1. */
const versions = [
  { limit: "memory.max", swap: ["memory.swap.max", 0], peak: "memory.peak", kills: "memory.events" },
  {
    limit: "memory.limit_in_bytes",
    swap: ["memory.memsw.limit_in_bytes", 1],
    peak: "memory.max_usage_in_bytes",
    kills: "memory.oom_control",
  },
] as const;
const roots = ["/sys/fs/cgroup", "/sys/fs/cgroup/memory", "/sys/fs/cgroup/unified"];
const mib = 1 << 20;

const read = (path: string): string => (existsSync(path) ? readFileSync(path, "utf8") : "");

const limited = (name: string, limitMib: number): MemoryGroup => {
  const places = roots.flatMap((root) => versions.map((files) => ({ folder: join(root, name), files })));
  const place = places.find(({ folder, files }) => existsSync(join(folder, files.limit)));
  if (place === undefined) throw new Error("no hierarchy of control groups has the controller of memory");
  const { folder, files } = place;
  writeFileSync(join(folder, files.limit), String(limitMib * mib));
  const [swap, share] = files.swap;
  if (existsSync(join(folder, swap))) writeFileSync(join(folder, swap), String(share * limitMib * mib));
  const inGroup = 'echo $$ > "$1" && shift && exec "$@"';
  return {
    command: (command, args) => ["sh", ["-c", inGroup, "sh", join(folder, "cgroup.procs"), command, ...args]],
    peakMib() {
      const bytes = read(join(folder, files.peak)).trim();
      return bytes === "" ? undefined : Math.round(Number(bytes) / mib);
    },
    killed: () => Number(/^oom_kill (\d+)$/m.exec(read(join(folder, files.kills)))?.[1] ?? 0),
    close: () => closeCgroups(name),
  };
};

/** Needs root. Resolves with the reason where this machine allows no such group. */
export const openMemoryGroup = async (name: string, limitMib: number): Promise<MemoryGroup | string> => {
  try {
    openCgroups(name);
    return limited(name, limitMib);
  } catch (error) {
    await closeCgroups(name).catch(() => undefined);
    return error instanceof Error ? error.message : String(error);
  }
};
