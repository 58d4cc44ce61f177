// The images that a cluster on this machine runs, made without Docker.
import { createHash } from "node:crypto";
import { mkdir, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { bundle } from "../build.ts";
import { program } from "../cluster/binaries/index.ts";
import { account } from "../databases/server.ts";
import { needPackages } from "../debian/index.ts";
import { cacheFolder } from "../terminal/cache.ts";
import type { Terminal } from "../terminal/index.ts";
import { together } from "../terminal/together.ts";
import { imageDocuments, writeArchive } from "./archive.ts";
import { type ImageConfig, parseDockerfile } from "./dockerfile.ts";
import { type Layer, type LayerContent, writeLayer } from "./layer.ts";
import { type RecipeName, readRecipe } from "./recipes.ts";
import { rootFileSystem } from "./root.ts";
import { inScratch, keep } from "./store.ts";

const repository = join(import.meta.dirname, "..", "..");
const images = () => join(cacheFolder(), "images");

export type Image = {
  /** `rowferry.dev/<name>:<digest>`; use it with imagePullPolicy Never. */
  ref: string;
  /** An OCI archive that holds the image of that reference. */
  archive: string;
};

export type DemoImages = { app: Image; mysql: Image; postgres: Image };
/** Of the demo's backups: the S3 server. */
export type BackupImages = { s3: Image };
export type Images = DemoImages & { mariadb: Image; postgresOld: Image };

export type BuildOptions = { terminal: Terminal; signal?: AbortSignal | undefined };

type StoredLayer = { layer: Layer; file: string };

/** A layer that is kept in the cache under a key that its content follows from. */
const storedLayer = async (
  name: string,
  key: string,
  content: LayerContent,
  { terminal, signal }: BuildOptions,
): Promise<StoredLayer> => {
  const folder = await keep(
    { folder: join(images(), "layers"), name, key },
    async (part) => {
      await mkdir(part);
      await terminal.step(`Pack ${name}`, async (step) => {
        const layer = await writeLayer(content, join(part, "layer"), signal);
        await writeFile(join(part, "layer.json"), JSON.stringify(layer));
        step.note(`${Math.round(layer.unpacked / 1e6)} MB, packed ${Math.round(layer.size / 1e6)} MB`);
      });
    },
    { signal },
  );
  const layer = JSON.parse(await readFile(join(folder, "layer.json"), "utf8")) as Layer;
  return { layer, file: join(folder, "layer") };
};

const rootLayer = async (recipe: RecipeName, options: BuildOptions): Promise<StoredLayer> => {
  const root = await rootFileSystem(recipe, options.terminal, options.signal);
  const key = basename(root).slice(recipe.length + 1);
  return storedLayer(recipe, key, { folder: root, owners: true }, options);
};

/** A digest of a file, or of a folder's files with their names. */
export const contentKey = async (path: string): Promise<string> => {
  const hash = createHash("sha256");
  const whole = (await stat(path)).isDirectory();
  const names = whole ? (await readdir(path, { recursive: true })).sort() : [""];
  for (const name of names) {
    const file = join(path, name);
    if ((await stat(file)).isFile())
      hash
        .update(`${name}\0`)
        .update(await readFile(file))
        .update("\0");
  }
  return hash.digest("hex").slice(0, 16);
};

/** A layer of one file, which gets the name of the place where it goes. */
const storedFile = async (path: string, to: string, options: BuildOptions): Promise<StoredLayer> => {
  if (basename(path) !== basename(to)) throw new Error(`Dockerfile: ${basename(path)} cannot go to ${to}`);
  const content = { folder: dirname(path), entries: [basename(path)], under: dirname(to).slice(1) };
  return storedLayer(basename(path), await contentKey(path), content, options);
};

/** Writes the image's archive unless the cache has it. */
const storedImage = async (
  name: string,
  layers: readonly StoredLayer[],
  config: ImageConfig,
  { signal }: BuildOptions,
): Promise<Image> => {
  const documents = imageDocuments(
    `rowferry.dev/${name}`,
    layers.map(({ layer }) => layer),
    config,
  );
  const key = documents.ref.slice(documents.ref.lastIndexOf(":") + 1);
  const folder = await keep(
    { folder: join(images(), "archives"), name, key },
    async (part) => {
      await mkdir(part);
      await writeArchive(join(part, "image.tar"), documents, layers);
    },
    { signal },
  );
  return { ref: documents.ref, archive: join(folder, "image.tar") };
};

/** The Dockerfile's last stage, with the bundle in the place of what its build stage would make. */
const buildApplication = async ({ terminal, signal }: BuildOptions): Promise<Image> => {
  const { stages, folders, copies, config } = parseDockerfile(await readFile(join(repository, "Dockerfile"), "utf8"));
  const layers = copies.map(({ stage, from, to }) => async (signal: AbortSignal): Promise<StoredLayer> => {
    const options = { terminal, signal };
    if (stage === "root") {
      if (stages[stage] !== `debian:${readRecipe("app").suite}-slim` || from !== "/" || to !== "/") {
        throw new Error("Dockerfile: its root stage is not what dev/image/recipes.ts says");
      }
      return rootLayer("app", options);
    }
    const inside = relative(folders[stage] ?? "/", from);
    if (stage === "node") {
      if (from !== "/usr/local/bin/node") throw new Error("Dockerfile: its node stage gives more than its program");
      return storedFile(join(repository, "node_modules", "node", "bin", "node"), to, options);
    }
    if (inside === "dist") {
      const bundled = async (dist: string): Promise<StoredLayer> => {
        await terminal.step("Bundle the application", () => bundle(dist));
        return storedLayer("dist", await contentKey(dist), { folder: dist, under: to.slice(1) }, options);
      };
      return inScratch(join(images(), "bundle"), bundled, signal);
    }
    throw new Error(`Dockerfile: the offline build does not know ${from} of its stage "${stage}"`);
  });
  return storedImage("app", await together<StoredLayer[]>(signal, layers), config, { terminal, signal });
};

const databaseConfig: ImageConfig = {
  env: ["PATH=/usr/local/bin:/usr/sbin:/usr/bin"],
  user: `${account}:${account}`,
  workingDir: "/",
  entrypoint: ["official"],
  cmd: [],
};

/** The root of the databases, and over it what makes it start as the official images do, for verifications of backups. */
const buildDatabases = async (name: RecipeName, options: BuildOptions): Promise<Image> => {
  const folder = join(import.meta.dirname, "recipes", "official");
  const over = await storedLayer("official", await contentKey(folder), { folder }, options);
  return storedImage(name, [await rootLayer(name, options), over], databaseConfig, options);
};

const buildRecipes = async ({ terminal, signal }: BuildOptions, databases: readonly RecipeName[]): Promise<Image[]> => {
  await needPackages(["roots"], terminal, signal);
  return together<Image[]>(signal, [
    (signal) => buildApplication({ terminal, signal }),
    ...databases.map((name) => (signal: AbortSignal) => buildDatabases(name, { terminal, signal })),
  ]);
};

/**
 * Builds the images of the demo that the cache lacks: in about a minute, the application alone in seconds after a change of
 * source. The first failure ends it. Aborting leaves nothing half-made. Needs root on Debian or Ubuntu.
 */
export const buildDemoImages = async (options: BuildOptions): Promise<DemoImages> => {
  const [app, current] = (await buildRecipes(options, ["databases"])) as [Image, Image];
  return { app, mysql: current, postgres: current };
};

/** An image of one program, which needs nothing beside it. */
const buildStorage = async ({ terminal, signal }: BuildOptions): Promise<Image> => {
  const options = { terminal, ...(signal === undefined ? {} : { signal }) };
  const path = await program("versitygw", "versitygw", options);
  const content = { folder: dirname(path), entries: [basename(path)], under: "usr/local/bin" };
  const layer = await storedLayer("versitygw", await contentKey(path), content, options);
  const entrypoint = [`/usr/local/bin/${basename(path)}`];
  return storedImage("s3", [layer], { ...databaseConfig, entrypoint }, options);
};

/** The demo's images, and those of its backups. */
export const buildDemoImagesWithBackups = async ({
  terminal,
  signal,
}: BuildOptions): Promise<DemoImages & BackupImages> => {
  const [images, s3] = await together<[DemoImages, Image]>(signal, [
    (signal) => buildDemoImages({ terminal, signal }),
    (signal) => buildStorage({ terminal, signal }),
  ]);
  return { ...images, s3 };
};

/** The images of the demo, and those of the older servers that tests use. */
export const buildImages = async (options: BuildOptions): Promise<Images> => {
  const [app, current, old] = (await buildRecipes(options, ["databases", "databases-old"])) as [Image, Image, Image];
  return { app, mysql: current, postgres: current, mariadb: old, postgresOld: old };
};
