// Programs in the cache: found there, else fetched, else built, and put in place whole or not at all.
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { lock } from "../../lock.mjs";
import { cacheFolder } from "../../terminal/cache.ts";
import type { Step, Terminal } from "../../terminal/index.ts";
import { build } from "./build.ts";
import { download, internetReachable } from "./download.ts";
import { folderOf, type Platform, type Tool, type ToolName, tools } from "./tools.ts";

export type { ToolName } from "./tools.ts";

export type BinariesOptions = { terminal: Terminal; signal?: AbortSignal };

/** The folder that holds one folder for each tool; local clusters see it as a whole. */
export const binariesFolder = (): string => join(cacheFolder(), "binaries");

export const platform = (): Platform => ({
  os: process.platform,
  arch: process.arch === "x64" ? "amd64" : process.arch,
});

const make = async (tool: Tool, target: string, step: Step, signal: AbortSignal | undefined): Promise<void> => {
  // What an interrupted run left behind: it holds no lock any more, this process does.
  const parent = binariesFolder();
  mkdirSync(parent, { recursive: true });
  for (const name of readdirSync(parent)) {
    if (name.startsWith(`${target.slice(parent.length + 1)}.part`))
      rmSync(join(parent, name), { recursive: true, force: true });
  }
  const part = `${target}.part${process.pid}`;
  mkdirSync(part);
  try {
    const releases = tool.releases(platform());
    if (await internetReachable(releases, signal)) {
      step.note("from its release");
      await download(releases, part, step, signal);
    } else {
      step.note("from its Go module");
      await build(tool.source, part, step, signal);
    }
    signal?.throwIfAborted();
    renameSync(part, target);
  } catch (error) {
    rmSync(part, { recursive: true, force: true });
    throw error;
  }
};

/** Whether a tool is in the cache already. */
export const isThere = (name: ToolName): boolean =>
  existsSync(join(binariesFolder(), folderOf(tools[name], platform())));

/**
 * Makes sure of a tool and returns its folder's name below `binariesFolder()`. Two processes that want the same one do
 * not both make it.
 */
export const need = async (name: ToolName, { terminal, signal }: BinariesOptions): Promise<string> => {
  const tool: Tool = tools[name];
  const folder = folderOf(tool, platform());
  const target = join(binariesFolder(), folder);
  if (existsSync(target)) return folder;
  const words = `Get ${tool.name} ${tool.version}`;
  return terminal.step(words, async (step) => {
    const release = await lock(target, {
      onWait: () => step.note("waiting for another command that gets it"),
      ...(signal === undefined ? {} : { signal }),
    });
    try {
      if (!existsSync(target)) await make(tool, target, step, signal);
      return folder;
    } finally {
      await release();
    }
  });
};

/** Path of one program of a tool, made if it is missing. */
export const program = async (tool: ToolName, name: string, options: BinariesOptions): Promise<string> =>
  join(binariesFolder(), await need(tool, options), name);
