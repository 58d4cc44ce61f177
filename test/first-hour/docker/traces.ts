// What a machine could leave on this one. Others work here as well: only what bears the machine's marks is looked at, and
// what nobody else changes.

import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { run } from "../../../dev/terminal/run.ts";
import { added } from "../added.ts";

export type Traces = Record<"processes" | "mounts" | "links" | "rules" | "cgroups" | "settings", string[]>;

const settings = [
  "vm/overcommit_memory",
  "vm/panic_on_oom",
  "kernel/panic",
  "kernel/panic_on_oops",
  "net/ipv4/ip_forward",
];

const marked = (text: string): boolean => /rowferry-machine|rowferry-docker|first-hour/.test(text);

const read = (file: string): string => (existsSync(file) ? readFileSync(file, "utf8").trim() : "");

const processes = (): string[] =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((pid) => {
      try {
        return [read(`/proc/${pid}/cmdline`).replaceAll("\0", " ")];
      } catch {
        return [];
      }
    })
    .filter((command) => /^(dockerd|containerd|slirp4netns|docker-proxy)\b/.test(command));

const cgroups = (): string[] =>
  readdirSync("/sys/fs/cgroup")
    .map((name) => join("/sys/fs/cgroup", name))
    .flatMap((path) => {
      try {
        return readdirSync(path).map((name) => join(path, name));
      } catch {
        return [];
      }
    })
    .filter((path) => marked(path) || path.endsWith("/docker"));

/** Everything that is looked at, now. */
export const traces = async (): Promise<Traces> => {
  const links = JSON.parse((await run("ip", ["-json", "link"])).stdout) as { ifname: string }[];
  const rules = (await run("iptables-save", [])).stdout;
  return {
    processes: processes(),
    mounts: read("/proc/self/mounts").split("\n").filter(marked),
    links: links.map(({ ifname }) => ifname).filter((name) => /^(docker|br-|tap)/.test(name)),
    rules: rules.split("\n").filter((line) => /docker/i.test(line)),
    cgroups: cgroups(),
    settings: settings.map((name) => `${name}=${read(`/proc/sys/${name}`)}`),
  };
};

/** What is there now and was not before, each with its kind. */
export const difference = (before: Traces, after: Traces): string[] =>
  (Object.keys(after) as (keyof Traces)[]).flatMap((kind) =>
    added(before[kind], after[kind]).map((one) => `${kind}: ${one}`),
  );
