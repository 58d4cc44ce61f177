// Prints, as JSON, what a cluster could leave on a machine: processes, mounts, interfaces, addresses, namespaces, rules,
// routes, control groups, kernel settings, and files where Kubernetes likes to put them.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";

const output = (command: string, ...args: string[]): string => execFileSync(command, args, { encoding: "utf8" });
const lines = (text: string): string[] => text.split("\n").filter(Boolean).sort();

const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);

const commands = (): string[] =>
  pids.flatMap((pid) => {
    const file = `/proc/${pid}/cmdline`;
    const own = pid === process.pid || !existsSync(file);
    const words = own ? "" : readFileSync(file, "utf8").replaceAll("\0", " ").trim();
    // A process that has ended and waits to be reaped has no words any more.
    return words === "" ? [] : [words];
  });

const namespaces = (): string[] =>
  pids.flatMap((pid) =>
    ["net", "mnt", "pid"].flatMap((kind) => {
      try {
        return [readlinkSync(`/proc/${pid}/ns/${kind}`)];
      } catch {
        return [];
      }
    }),
  );

const cgroups = (folder: string, depth: number): string[] =>
  depth === 0 || !existsSync(folder)
    ? []
    : readdirSync(folder, { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .flatMap((entry) => [join(folder, entry.name), ...cgroups(join(folder, entry.name), depth - 1)]);

const settings = [
  "net/ipv4/ip_forward",
  "net/ipv4/conf/all/route_localnet",
  "vm/overcommit_memory",
  "vm/panic_on_oom",
  "kernel/panic",
  "kernel/panic_on_oops",
  "kernel/keys/root_maxkeys",
  "net/netfilter/nf_conntrack_max",
];

const places = [
  "/var/lib/cni",
  "/var/lib/kubelet",
  "/var/log/pods",
  "/var/log/containers",
  "/etc/cni",
  "/run/containerd",
  "/run/netns",
];

const cacheRest = (): string[] => {
  const cache = process.env["ROWFERRY_CACHE"] ?? "";
  const binaries = readdirSync(join(cache, "binaries")).filter((name) => name.includes(".part"));
  const clusters = existsSync(join(cache, "clusters")) ? readdirSync(join(cache, "clusters")) : [];
  return [...binaries, ...clusters];
};

// Other clusters on this machine have control groups as well: only those of the names given are looked at.
const names = process.argv.slice(2).map((name) => `rowferry-${name}-`);

const footprint = {
  processes: commands().sort(),
  mounts: lines(readFileSync("/proc/self/mounts", "utf8")),
  interfaces: lines(output("ip", "-oneline", "link").replaceAll(/^\d+: /gm, "")),
  addresses: lines(output("ip", "-oneline", "address").replaceAll(/^\d+: /gm, "")),
  routes: lines(output("ip", "route", "show", "table", "all")),
  netns: lines(output("ip", "netns", "list")),
  namespaces: [...new Set(namespaces())].sort(),
  rules: lines(output("iptables-save").replaceAll(/^#.*$/gm, "")),
  cgroups: cgroups("/sys/fs/cgroup", 2).filter(
    (path) => names.some((name) => path.includes(name)) || /kubepods/.test(path),
  ),
  settings: settings.map((name) => {
    const file = `/proc/sys/${name}`;
    return `${name}=${existsSync(file) ? readFileSync(file, "utf8").trim() : "absent"}`;
  }),
  files: places.filter((path) => existsSync(path)),
  cache: cacheRest(),
};

process.stdout.write(`${JSON.stringify(footprint, null, 2)}\n`);
