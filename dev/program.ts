// One program of this repository in one file: it starts quicker, and stays the same while somebody edits the sources.
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

export type Program = { path: string; remove(): Promise<void> };

/** `entry`: the program's TypeScript. The bundle is for the Node that runs this, and lies in a folder of its own. */
export const bundleProgram = async (entry: string): Promise<Program> => {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-program-"));
  const path = join(folder, "program.mjs");
  await build({
    entryPoints: [entry],
    outfile: path,
    bundle: true,
    platform: "node",
    target: "node24",
    format: "esm",
    logLevel: "warning",
    external: ["pg-native"],
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);',
    },
  });
  return { path, remove: () => rm(folder, { recursive: true, force: true }) };
};
