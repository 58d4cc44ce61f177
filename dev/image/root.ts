// A recipe's root file system as a folder in the cache: made once, whole or not at all.
import { existsSync } from "node:fs";
import { cp, mkdir, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { cacheFolder } from "../terminal/cache.ts";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";
import { debianMirror, needPackage } from "./debian.ts";
import { withLock } from "./lock.ts";
import { type Recipe, type RecipeName, readRecipe } from "./recipes.ts";

const build = async (recipe: Recipe, work: string, terminal: Terminal): Promise<void> => {
  await needPackage("mmdebstrap", "to make root file systems from Debian's packages", terminal);
  if (process.getuid?.() !== 0) throw new Error("Making root file systems needs root: run this as root.");
  const mirror = await debianMirror();
  const staged = join(work, "recipe");
  await mkdir(staged, { recursive: true });
  for (const [name, path] of Object.entries(recipe.files)) await cp(path, join(staged, name));
  const root = join(work, "root");
  const bootstrap = [
    "mmdebstrap",
    "--mode=root",
    `--variant=${recipe.variant}`,
    '--aptopt=Acquire::Check-Valid-Until "false"',
    '--aptopt=APT::Install-Recommends "false"',
    ...(recipe.suite === "bookworm" ? ["--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr"] : []),
    `--include=${recipe.packages.join(",")}`,
    recipe.suite,
    root,
    ...(mirror === undefined ? [] : [mirror]),
  ];
  // Not a hook of mmdebstrap's: it runs none for `extract`, and needs afterwards the apt that the steps remove.
  const steps = [
    'root=$1 recipe=$2; shift 2; "$@"',
    'mv "$recipe" "$root/recipe"',
    'mount --rbind /dev "$root/dev"',
    'exec chroot "$root" /bin/sh /recipe/steps.sh',
  ].join(" && ");
  const label = {
    app: "the application",
    databases: "MySQL and PostgreSQL",
    "databases-old": "MariaDB and an older PostgreSQL",
  };
  await terminal.step(`Root file system for ${label[recipe.name]}`, async (step) => {
    // Namespaces of its own: if this process is killed, every process and mount of the build goes with it.
    const namespaces = ["--pdeathsig", "KILL", "unshare", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"];
    const env = {
      ...process.env,
      PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin",
      TMPDIR: "/tmp",
    };
    await run("setpriv", [...namespaces, "sh", "-c", steps, "sh", root, staged, ...bootstrap], { log: step.log, env });
  });
};

/** Deletes builds of this recipe that were left by killed processes. Call it under the recipe's lock. */
const sweep = async (folder: string, name: string): Promise<void> => {
  for (const entry of await readdir(folder)) {
    if (entry.startsWith(`${name}-`) && entry.endsWith(".part")) await rm(join(folder, entry), { recursive: true });
  }
};

/**
 * The folder with the recipe's root file system; builds it when the cache has none (10 to 60 s). Safe beside other
 * processes that do the same. Never write into it.
 */
export const rootFileSystem = async (name: RecipeName, terminal: Terminal): Promise<string> => {
  const recipe = readRecipe(name);
  const folder = join(cacheFolder(), "images", "roots");
  const root = join(folder, `${name}-${recipe.hash.slice(0, 16)}`);
  if (existsSync(root)) return root;
  const waiting = () => terminal.line(`Another process is building the same files (${name}); waiting for it`);
  await withLock(
    join(folder, `${name}.lock`),
    async () => {
      if (existsSync(root)) return;
      await sweep(folder, name);
      const work = `${root}.part`;
      await build(recipe, work, terminal);
      await writeFile(join(work, "root", "etc", "hostname"), "");
      await rename(join(work, "root"), root);
      await rm(work, { recursive: true });
    },
    waiting,
  );
  return root;
};
