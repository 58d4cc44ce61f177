// npm run build: bundles the composition roots of src/main into dist/, which is all that the image runs: a file for each, and
// files of what several share or one loads later. Beside them stand the pages that the API serves.
import { readdirSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type BuildOptions, build } from "esbuild";

const repository = join(import.meta.dirname, "..");

/** The composition roots, files of src/main that nothing but a process starts, and the Node that each has to do with. */
const roots = [
  { names: ["operator", "api", "worker", "prober", "probe"], target: "node24", shared: "[name]-[hash]" },
  // On somebody's own machine. In a folder of its own, so that the package holds nothing of the service.
  { names: ["cli"], target: "node20", shared: "cli/[name]-[hash]" },
];

/** Of each bundle of a program, also of those that tests start. */
export const programOptions = {
  absWorkingDir: repository,
  bundle: true,
  // What a process loads later, or never, is not read at its start: a third of its time and 18 MB of the worker's memory.
  splitting: true,
  platform: "node",
  format: "esm",
  // Names stay, so that stack traces are read without a source map; shorter ones saved neither start-up nor memory.
  // White space goes: 6 MB of the operator's memory. Short lines: Node prints the whole line of an uncaught error.
  minifyWhitespace: true,
  lineLimit: 160,
  minifySyntax: true,
  legalComments: "none",
  logLevel: "warning",
  // Optional native parts of pg and ws, loaded in a try: absent here as in the image.
  external: ["pg-native", "bufferutil", "utf-8-validate"],
  // Bundled CommonJS asks for Node's own modules by require, which an ES module does not have.
  banner: {
    js: 'import { createRequire as nodeRequire } from "node:module";const require = nodeRequire(import.meta.url);',
  },
} as const satisfies BuildOptions;

export type Built = {
  files: { name: string; bytes: number }[];
  /** Folders of the packages whose code is in the bundles, such as `node_modules/pg`, as the lock file names them. */
  packages: string[];
};

/** Bundles into `folder`, which is emptied first. A second, or so. */
export const bundle = async (folder: string = join(repository, "dist")): Promise<Built> => {
  const { version } = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as { version: string };
  const present = new Set(readdirSync(join(repository, "src", "main")));
  const missing = roots.flatMap(({ names }) => names).filter((name) => !present.has(`${name}.ts`));
  if (missing.length > 0) throw new Error(`src/main lacks ${missing.map((name) => `${name}.ts`).join(", ")}`);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  const bundles = roots.map(({ names, target, shared }) =>
    build({
      ...programOptions,
      entryPoints: names.map((name) => `src/main/${name}.ts`),
      outdir: folder,
      chunkNames: shared,
      target,
      metafile: true,
      define: {
        "process.env.npm_package_version": JSON.stringify(version),
        "process.env.ROWFERRY_BUNDLED": JSON.stringify("true"),
      },
    }),
  );
  const metafiles = (await Promise.all(bundles)).map(({ metafile }) => metafile);
  const outputs = metafiles.flatMap((metafile) => Object.entries(metafile.outputs));
  const inputs = metafiles.flatMap((metafile) => Object.keys(metafile.inputs));
  const packages = inputs.flatMap((path) => /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/.exec(path)?.[0] ?? []);
  await cp(join(repository, "docs"), join(folder, "docs"), { recursive: true });
  await writeFile(join(folder, "package.json"), `${JSON.stringify({ name: "rowferry", version, type: "module" })}\n`);
  const files = outputs.map(([name, { bytes }]) => ({ name, bytes }));
  return { files, packages: [...new Set(packages)].sort() };
};

if (import.meta.main) {
  const { files } = await bundle();
  for (const { name, bytes } of files) console.log(`${name}  ${(bytes / 1e6).toFixed(2)} MB`);
}
