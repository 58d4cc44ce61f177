// Debian's or Ubuntu's packages for an account without root: fetched by apt with folders of its own, unpacked and not installed.
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianMirror } from "../../debian/mirror.ts";
import { type RunOptions, run } from "../../terminal/run.ts";

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Debian's stable releases have no MySQL: sid has. Ubuntu's own sources have one. Undefined: apt's sources as they are. */
export const sourcesOf = (mirror: string | undefined, hasKeyring: boolean): string | undefined =>
  mirror === undefined || !hasKeyring ? undefined : `deb [signed-by=${keyring}] ${mirror} sid main\n`;

/** The packages of the first of these names that there is, with all that they need. */
const fetchPackages = async (folder: string, names: readonly string[], options: RunOptions): Promise<string[]> => {
  const [state, cache] = [join(folder, "state"), join(folder, "cache")];
  for (const one of [join(state, "lists", "partial"), join(cache, "archives", "partial")])
    await mkdir(one, { recursive: true });
  await writeFile(join(state, "status"), "");
  const sources = sourcesOf(await debianMirror(), existsSync(keyring));
  if (sources !== undefined) await writeFile(join(folder, "sources.list"), sources);
  const settings = {
    "Dir::State": state,
    // No package counts as installed, so that every library comes too.
    "Dir::State::status": join(state, "status"),
    "Dir::Cache": cache,
    "Dir::Log": folder,
    "APT::Sandbox::User": "",
    "APT::Install-Recommends": "false",
    "Acquire::Languages": "none",
    "Acquire::Check-Valid-Until": "false",
    ...(sources === undefined
      ? {}
      : { "Dir::Etc::sourcelist": join(folder, "sources.list"), "Dir::Etc::sourceparts": "/dev/null" }),
  };
  const apt = (...words: string[]) =>
    run("apt-get", [...Object.entries(settings).map(([name, value]) => `-o${name}=${value}`), ...words], {
      ...options,
      env: { ...process.env, LC_ALL: "C" },
    });
  await apt("--quiet", "update");
  for (const [index, name] of names.entries()) {
    try {
      await apt("--quiet", "--yes", "--download-only", "install", name);
      break;
    } catch (error) {
      options.signal?.throwIfAborted();
      if (index === names.length - 1) throw error;
    }
  }
  const archives = join(cache, "archives");
  return (await readdir(archives)).filter((name) => name.endsWith(".deb")).map((name) => join(archives, name));
};

/** Whether this machine has apt. */
export const hasApt = (): boolean => existsSync("/usr/bin/apt-get");

const unneeded = ["usr/share/doc", "usr/share/man", "usr/share/perl", "usr/share/perl5", "usr/bin", "etc", "var"];

export interface Unpacked {
  /** Below the root, the folder of its libraries. */
  library: string;
  /** In it, what loads a program. */
  loader: string;
}

/** Unpacks into the folder `root` of the image the first of these packages that there is, with every library that it needs. */
export const unpackPackages = async (
  image: string,
  root: string,
  names: readonly string[],
  options: RunOptions,
): Promise<Unpacked> => {
  const [target, work] = [join(image, root), join(image, `.apt-${root}`)];
  await mkdir(target);
  try {
    for (const file of await fetchPackages(work, names, options))
      await run("dpkg-deb", ["--extract", file, target], options);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  for (const path of unneeded) await rm(join(target, path), { recursive: true, force: true });
  const folders = await readdir(join(target, "usr", "lib"));
  const library = join("usr", "lib", folders.find((name) => name.endsWith("-linux-gnu")) ?? "");
  const loader = (await readdir(join(target, library))).find((name) => name.startsWith("ld-linux"));
  if (loader === undefined) throw new Error(`no dynamic loader in ${join(target, library)}`);
  return { library, loader };
};
