// A recipe's root file system as a folder in the cache.
import { cp, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { needPackages } from "../debian/index.ts";
import { debianMirror } from "../debian/mirror.ts";
import { cacheFolder } from "../terminal/cache.ts";
import { failure } from "../terminal/failure.ts";
import type { Terminal } from "../terminal/index.ts";
import { runNamespaced } from "./namespaced.ts";
import { type Recipe, type RecipeName, readRecipe } from "./recipes.ts";
import { keep } from "./store.ts";

const labels: Record<RecipeName, string> = {
  app: "the application",
  databases: "MySQL and PostgreSQL",
  "databases-old": "MariaDB and an older PostgreSQL",
  "databases-trixie": "a newer MariaDB",
  postgis: "PostgreSQL with PostGIS",
  peers: "the programs that the bench compares with",
  pgbouncer: "PgBouncer",
  redis: "Redis",
};

// Not a hook of mmdebstrap's: it runs none for `extract`, and needs afterwards the apt that the steps remove.
const script = [
  'root=$1 recipe=$2; shift 2; "$@"',
  'mv "$recipe" "$root/recipe"',
  'mount --rbind /dev "$root/dev"',
  'exec env TMPDIR=/tmp chroot "$root" /bin/sh /recipe/steps.sh',
].join(" && ");

const bootstrapArguments = (recipe: Recipe, root: string, mirror: string | undefined): string[] => [
  "mmdebstrap",
  "--mode=root",
  `--variant=${recipe.variant}`,
  '--aptopt=Acquire::Check-Valid-Until "false"',
  '--aptopt=APT::Install-Recommends "false"',
  // Packages of that age do not bring the links from /bin to /usr/bin themselves.
  ...(recipe.suite === "bookworm" ? ["--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr"] : []),
  ...(recipe.files["installed"] === undefined
    ? []
    : [`--setup-hook=install -D -m 644 '${recipe.files["installed"]}' "$1/var/lib/dpkg/status"`]),
  `--include=${recipe.packages.join(",")}`,
  recipe.suite,
  root,
  ...(mirror === undefined ? [] : [mirror]),
];

/** Copies the files of `/recipe` to `folder`. */
const stage = async (recipe: Recipe, folder: string): Promise<void> => {
  await mkdir(folder);
  for (const [name, path] of Object.entries(recipe.files)) await cp(path, join(folder, name));
};

/**
 * The folder with the recipe's root file system; builds it when the cache has none (10 to 60 s). Safe beside other
 * processes that do the same. Never write into it. Aborting leaves nothing behind.
 */
export const rootFileSystem = async (name: RecipeName, terminal: Terminal, signal?: AbortSignal): Promise<string> => {
  const recipe = readRecipe(name);
  const at = { folder: join(cacheFolder(), "images", "roots"), name, key: recipe.hash.slice(0, 16) };
  const build = async (part: string): Promise<void> => {
    if (process.getuid?.() !== 0)
      throw failure("Root file systems for images and databases need root.", "Run the command as root.");
    await needPackages(["roots"], terminal, signal);
    const mirror = await debianMirror();
    const scratch = await mkdtemp(join(tmpdir(), "rowferry-recipe-"));
    const env = { ...process.env, PATH: "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin" };
    const staged = join(scratch, "recipe");
    const command = ["sh", "-c", script, "sh", part, staged, ...bootstrapArguments(recipe, part, mirror)];
    try {
      await stage(recipe, staged);
      await terminal.step(`Root file system for ${labels[name]}`, (step) =>
        runNamespaced(command, { log: step.log, env, signal }),
      );
    } finally {
      await rm(scratch, { recursive: true, force: true });
    }
  };
  const waiting = () =>
    terminal.line(`  Waiting for another command that makes the root file system for ${labels[name]}`);
  return keep(at, build, { waiting, signal });
};
