import { rmSync } from "node:fs";
import { mkdtemp, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build } from "esbuild";

const root = join(import.meta.dirname, "..");
const programs = { api: ["api"], operator: ["operator"], prober: ["prober", "probe"] } as const;
const made = new Map<string, Promise<string>>();

/**
 * A folder with a program's bundles, as in the image: `api.js`. The API and the operator start in a third of the processor time that
 * their source takes, a child of the prober in a fifth. Made once a process, and removed at its end.
 */
export function bundled(program: keyof typeof programs): Promise<string> {
  const folder = made.get(program) ?? make(programs[program]);
  made.set(program, folder);
  return folder;
}

async function make(names: readonly string[]): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "rowferry-bundle-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  await build({
    absWorkingDir: root,
    entryPoints: names.map((name) => `src/main/${name}.ts`),
    outdir: folder,
    bundle: true,
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
  if (names.includes("api")) await symlink(join(root, "docs"), join(folder, "docs"));
  return folder;
}
