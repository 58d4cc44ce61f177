// mysqld for an account without root: Debian's or Ubuntu's packages, fetched by apt with folders of its own, unpacked and not
// installed. No package of npm has a mysqld inside.
import { existsSync } from "node:fs";
import { mkdir, readdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { debianMirror } from "../../debian/mirror.ts";
import { failure } from "../../terminal/failure.ts";
import { type RunOptions, run } from "../../terminal/run.ts";

const keyring = "/usr/share/keyrings/debian-archive-keyring.gpg";

/** Debian's stable releases have no MySQL: sid has. Ubuntu's own sources have one. Undefined: apt's sources as they are. */
export const sourcesOf = (mirror: string | undefined, hasKeyring: boolean): string | undefined =>
  mirror === undefined || !hasKeyring ? undefined : `deb [signed-by=${keyring}] ${mirror} sid main\n`;

/** Runs mysqld by the loader and libraries that came with it, whatever this machine's are. */
export const mysqldScript = (root: string, library: string, loader: string): string => `#!/bin/sh
# --no-defaults must come first.
defaults=$1
shift
here=$(dirname "$0")/..
exec "$here/${root}/${library}/${loader}" --library-path "$here/${root}/${library}:$here/${root}/${library}/mysql/private" \\
  "$here/${root}/usr/sbin/mysqld" "$defaults" --basedir="$here/${root}/usr" --lc-messages-dir="$here/${root}/usr/share/mysql" \\
  --character-sets-dir="$here/${root}/usr/share/mysql/charsets" --plugin-dir="$here/${root}/usr/lib/mysql/plugin" "$@"
`;

const fetchPackages = async (folder: string, options: RunOptions): Promise<string[]> => {
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
    run("apt-get", [...Object.entries(settings).map(([name, value]) => `-o${name}=${value}`), ...words], options);
  await apt("--quiet", "update");
  const names = ["mysql-server-core", "mysql-server-core-8.4", "mysql-server-core-8.0"];
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

/** Kept: the server, its messages and the libraries. */
const unneeded = ["usr/share/doc", "usr/share/man", "usr/share/perl", "usr/share/perl5", "usr/bin", "etc", "var"];

/**
 * Makes `<image>/bin/mysqld` with what it needs below `<image>/mysql`. Needs apt-get and dpkg-deb, and no right: throws an error that says
 * what to do elsewhere.
 */
export const addMysql = async (image: string, options: RunOptions): Promise<void> => {
  const bin = join(image, "bin");
  if (!existsSync("/usr/bin/apt-get")) {
    const found = await run("sh", ["-c", "command -v mysqld"], options).catch(() => undefined);
    if (found === undefined)
      throw failure(
        "`mysqld` is not on PATH.",
        "Install MySQL (on macOS: `brew install mysql`) or Docker, then run the command again.",
      );
    await writeFile(join(bin, "mysqld"), `#!/bin/sh\nexec '${found.stdout.trim()}' "$@"\n`, { mode: 0o755 });
    return;
  }
  const [root, work] = [join(image, "mysql"), join(image, ".apt")];
  await mkdir(root);
  try {
    for (const file of await fetchPackages(work, options)) await run("dpkg-deb", ["--extract", file, root], options);
  } finally {
    await rm(work, { recursive: true, force: true });
  }
  for (const path of unneeded) await rm(join(root, path), { recursive: true, force: true });
  const folders = await readdir(join(root, "usr", "lib"));
  const library = join("usr", "lib", folders.find((name) => name.endsWith("-linux-gnu")) ?? "");
  const loader = (await readdir(join(root, library))).find((name) => name.startsWith("ld-linux"));
  if (loader === undefined) throw new Error(`no dynamic loader in ${join(root, library)}`);
  await writeFile(join(bin, "mysqld"), mysqldScript("mysql", library, loader), { mode: 0o755 });
};
