import { rmSync } from "node:fs";
import { mkdir, mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";
import { programOptions } from "../dev/build.ts";
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
    ...programOptions,
    entryPoints: [...programs[program]],
    outdir: folder,
    target: "node24",
    define: { "process.env.ROWFERRY_BUNDLED": '"true"' },
  });
  await writeFile(join(folder, "package.json"), '{"type":"module"}\n');
  if (program === "api") await symlink(join(root, "docs"), join(folder, "docs"));
}
