import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { Terminal } from "../../dev/terminal/index.ts";
import { run } from "../../dev/terminal/run.ts";
import { downloads, type Machine, openMachine, type Share } from "./machine.ts";
import { cleanRoot, type Suite } from "./root.ts";

const repository = resolve(import.meta.dirname, "../..");

/** Where the clone is in the clean root. */
export const clone = "/root/rowferry";

/** A clean root with a clone of this repository's last commit and nothing beside it. `more` is shared besides the downloads. */
export const openClone = async (
  suite: Suite,
  terminal: Terminal,
  { more = [], signal }: { more?: readonly Share[]; signal?: AbortSignal } = {},
): Promise<Machine> => {
  const root = await cleanRoot(suite, terminal, signal);
  const folder = await mkdtemp(join(tmpdir(), "rowferry-clone-"));
  try {
    // Bare and complete: a work tree of git's keeps its history in another folder.
    await run("git", ["clone", "--quiet", "--bare", "--no-local", repository, join(folder, "rowferry.git")]);
    const source: Share = { here: join(folder, "rowferry.git"), there: "/mnt/rowferry.git", own: false };
    const machine = await openMachine(root, [...(await downloads()), source, ...more]);
    try {
      const cloned = await machine.run(["git", "clone", "--quiet", source.there, clone], { log: terminal.log });
      if (cloned !== 0) throw new Error(`\`git clone\` failed with exit code ${cloned} in the clean root`);
      return machine;
    } catch (error) {
      await machine.close();
      throw error;
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};
