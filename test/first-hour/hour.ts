// A new user's first hour in a clean root: the demo, a part of the tests, and what is left after the cluster is removed.
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { failure } from "../../dev/terminal/failure.ts";
import type { Terminal } from "../../dev/terminal/index.ts";
import { run } from "../../dev/terminal/run.ts";
import { added } from "./added.ts";
import { clone, openClone } from "./clone.ts";
import type { Machine } from "./machine.ts";
import { serveReleases } from "./releases.ts";
import type { Suite } from "./root.ts";

const demo = ["npm", "run", "demo", "--", "--once"];
const down = ["npm", "run", "down"];
const commands = [demo, ["npm", "test", "--", "unit", "cli"], down];

const interesting = /^(Done in .*|\d+ passed, \d+ failed|this clone has no cluster.*)$/;

/** Runs one command there; the line of its output that sums it up is the step's note. Rejects with its last lines. */
const play = (
  machine: Machine,
  command: string[],
  terminal: Terminal,
  { env = {}, signal }: { env?: Record<string, string>; signal?: AbortSignal | undefined },
): Promise<void> =>
  terminal.step(command.join(" "), async (step) => {
    let output = "";
    const log = (text: string): void => {
      output += text;
      step.log(text);
    };
    const code = await machine.run(command, { cwd: clone, env, log, ...(signal === undefined ? {} : { signal }) });
    signal?.throwIfAborted();
    const lines = output.split("\n").map((line) => line.trim());
    if (code !== 0) {
      const last = lines.filter(Boolean).slice(-8).join("\n  ");
      throw new Error(`\`${command.join(" ")}\` failed with exit code ${code}:\n  ${last}`);
    }
    step.note(lines.filter((line) => interesting.test(line)).at(-1) ?? "");
  });

const groups = async (folder: string, depth: number): Promise<string[]> => {
  const entries = depth === 0 ? [] : await readdir(folder, { withFileTypes: true }).catch(() => []);
  const folders = entries.filter((entry) => entry.isDirectory()).map((entry) => join(folder, entry.name));
  return [...folders, ...(await Promise.all(folders.map((path) => groups(path, depth - 1)))).flat()];
};

const footprint = async (machine: Machine): Promise<string[]> => [
  ...(await machine.processes()).map((words) => `process: ${words}`),
  ...(await machine.mounts()).map((words) => `mount: ${words}`),
  ...(JSON.parse((await run("ip", ["-json", "link"])).stdout) as { ifname: string }[]).map(
    (link) => `link: ${link.ifname}`,
  ),
  ...(await groups("/sys/fs/cgroup", 2))
    .filter((path) => /rowferry|kubepods/.test(path))
    .map((path) => `cgroup: ${path}`),
];

/** The demo in a clean root of Debian 12 that reaches the official programs' releases: how long a first start takes then. */
export const playDownloads = async (terminal: Terminal, signal?: AbortSignal): Promise<void> => {
  const releases = await serveReleases(terminal, signal);
  try {
    const machine = await openClone("bookworm", terminal, signal === undefined ? {} : { signal });
    try {
      await play(machine, demo, terminal, { env: await releases.lead(machine), signal });
    } finally {
      await machine.close();
    }
  } finally {
    await releases.close();
  }
};

const leftNext = "Make `npm run down` remove them. If another cluster started meanwhile, run the command again alone.";

/**
 * Plays it in a clean root of that suite. Rejects when a command fails, or when processes, mounts, links or control groups
 * are there that were not before: nothing else should start clusters meanwhile.
 */
export const playHour = async (suite: Suite, terminal: Terminal, signal?: AbortSignal): Promise<void> => {
  const machine = await openClone(suite, terminal, signal === undefined ? {} : { signal });
  try {
    const before = await footprint(machine);
    for (const command of commands) await play(machine, command, terminal, { signal });
    const left = added(before, await footprint(machine));
    if (left.length > 0) throw failure(`Not removed on Debian ${suite}:\n  ${left.join("\n  ")}`, leftNext);
    terminal.line(`  Debian ${suite}: no process, mount, link or control group is left`);
  } finally {
    await machine.close();
  }
};
