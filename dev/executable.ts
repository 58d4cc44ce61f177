// npm run executable: the command line as one file that needs no Node, for the system and processor that it is built on.
import { execFile } from "node:child_process";
import { chmod, copyFile, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { build } from "esbuild";
import { inject } from "postject";

const repository = join(import.meta.dirname, "..");
const execute = promisify(execFile);

/** Where Node looks for the program in itself; both names are Node's own (https://nodejs.org/api/single-executable-applications.html). */
const resource = "NODE_SEA_BLOB";
const fuse = "NODE_SEA_FUSE_fce680ab2cc467b6e072b8b5df1996b2";

/** Writes the executable: this process's Node with the command line in it. Resolves with its bytes. Some seconds. */
export async function buildExecutable(file: string): Promise<number> {
  const { version } = JSON.parse(await readFile(join(repository, "package.json"), "utf8")) as { version: string };
  const folder = await mkdtemp(join(tmpdir(), "executable-"));
  try {
    const program = join(folder, "cli.cjs");
    // Node runs CommonJS alone from within itself.
    await build({
      absWorkingDir: repository,
      entryPoints: ["src/main/cli.ts"],
      outfile: program,
      bundle: true,
      platform: "node",
      target: "node24",
      format: "cjs",
      minifyWhitespace: true,
      lineLimit: 160,
      minifySyntax: true,
      legalComments: "none",
      logLevel: "warning",
      define: {
        "process.env.npm_package_version": JSON.stringify(version),
        "process.env.ROWFERRY_BUNDLED": JSON.stringify("true"),
      },
      external: ["pg-native"],
    });
    const blob = join(folder, "program.blob");
    const config = join(folder, "sea.json");
    await writeFile(config, JSON.stringify({ main: program, output: blob, disableExperimentalSEAWarning: true }));
    await execute(process.execPath, ["--experimental-sea-config", config]);
    await mkdir(dirname(file), { recursive: true });
    await copyFile(process.execPath, file);
    await chmod(file, 0o755);
    await inject(file, resource, await readFile(blob), { sentinelFuse: fuse });
    return (await stat(file)).size;
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const file = join(repository, "dist", "rowferry");
  console.log(`dist/rowferry  ${((await buildExecutable(file)) / 1e6).toFixed(0)} MB`);
}
