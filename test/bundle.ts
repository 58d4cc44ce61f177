import { rmSync } from "node:fs";
import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { keep } from "../dev/image/store.ts";

const root = join(import.meta.dirname, "..");
const programs = {
  api: ["src/main/api.ts"],
  cli: ["src/main/cli.ts"],
  operator: ["src/main/operator.ts"],
  prober: ["src/main/prober.ts", "src/main/probe.ts"],
  worker: ["src/main/worker.ts"],
  "scripted-worker": ["test/worker/scripted-worker.ts"],
} as const;
/** Names the folder in which the processes of a run share their bundles: one costs a second of processor time. Each makes its own without. */
export const bundlesVariable = "ROWFERRY_TEST_BUNDLES";
const made = new Map<string, Promise<string>>();

/**
 * A folder with a program's bundles, as in the image: `api.js`. A bundle starts in a half to a fifth of the processor time that its
 * source takes. Made once, and removed at the end of the run or of the process.
 */
export function bundled(program: keyof typeof programs): Promise<string> {
  const folder = made.get(program) ?? (process.env[bundlesVariable] === undefined ? own(program) : shared(program));
  made.set(program, folder);
  return folder;
}

const shared = (program: keyof typeof programs): Promise<string> =>
  keep({ folder: process.env[bundlesVariable] ?? "", name: program, key: "0" }, async (part) => {
    await mkdir(part);
    await make(program, part);
  });

async function own(program: keyof typeof programs): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-bundle-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await make(program, folder);
  return folder;
}

async function make(program: keyof typeof programs, folder: string): Promise<void> {
  await build({
    absWorkingDir: root,
    entryPoints: [...programs[program]],
    outdir: folder,
    bundle: true,
    splitting: true,
    platform: "node",
    target: "node24",
    format: "esm",
    minifyWhitespace: true,
    minifySyntax: true,
    lineLimit: 160,
    logLevel: "warning",
    define: { "process.env.ROWFERRY_BUNDLED": '"true"' },
    external: ["pg-native", "bufferutil", "utf-8-validate"],
    banner: {
      js: 'import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);',
    },
  });
  await writeFile(join(folder, "package.json"), '{"type":"module"}\n');
  if (program === "api") await symlink(join(root, "docs"), join(folder, "docs"));
}
