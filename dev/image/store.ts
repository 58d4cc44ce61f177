// Things in the cache that are made once, whole or not at all, by one process at a time.
import { existsSync } from "node:fs";
import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { lock } from "../lock.mjs";

/** How many versions of a thing stay: those of other branches and clones, and of what still runs. */
const kept = 3;

export type MakeOptions = {
  /** Called once if another process is making it. */
  waiting?: () => void;
  signal?: AbortSignal | undefined;
};

/**
 * The path `<folder>/<name>-<key>`, made by `make` if it is not there: `make` writes to the path that it gets, which is
 * then renamed. Versions of `name` beyond the three used last are deleted.
 */
export const keep = async (
  at: { folder: string; name: string; key: string },
  make: (part: string) => Promise<void>,
  { waiting, signal }: MakeOptions = {},
): Promise<string> => {
  const path = join(at.folder, `${at.name}-${at.key}`);
  // Beside the thing, not its own time: tar complains of a folder that changes while it is packed.
  const touch = () => writeFile(used(path), "");
  if (existsSync(path)) {
    await touch();
    return path;
  }
  await mkdir(at.folder, { recursive: true });
  const release = await lock(join(at.folder, at.name), {
    ...(waiting === undefined ? {} : { onWait: waiting }),
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    if (existsSync(path)) return path;
    await sweep(at.folder, at.name);
    const part = `${path}.part`;
    try {
      await make(part);
      await rename(part, path);
    } finally {
      await rm(part, { recursive: true, force: true });
    }
    await touch();
    return path;
  } finally {
    await release();
  }
};

/** Works in an empty folder, alone. It goes afterwards; what a killed process left in it goes at the next use. */
export const inScratch = async <T>(
  folder: string,
  work: (folder: string) => Promise<T>,
  signal?: AbortSignal,
): Promise<T> => {
  const release = await lock(folder, signal === undefined ? {} : { signal });
  try {
    await rm(folder, { recursive: true, force: true });
    await mkdir(folder, { recursive: true });
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
    await release();
  }
};

/** The file whose time of change is that of the last use of `path`. */
const used = (path: string): string => `${path}.used`;

const sweep = async (folder: string, name: string): Promise<void> => {
  const mine = new RegExp(`^${name}-[0-9a-f]+(\\.part)?$`);
  const entries = (await readdir(folder)).filter((entry) => mine.test(entry));
  const aged = await Promise.all(
    entries.map(async (entry) => ({ path: join(folder, entry), age: await lastUse(join(folder, entry)) })),
  );
  const whole = aged.filter(({ path }) => !path.endsWith(".part")).sort((a, b) => b.age - a.age);
  // What a killed process left, and room for the one that is about to be made.
  const old = [...aged.filter(({ path }) => path.endsWith(".part")), ...whole.slice(kept - 1)];
  for (const { path } of old) {
    // Renamed first: a deletion that is interrupted must not look like a whole one.
    const doomed = join(dirname(path), `${basename(path).replace(/\.part$/, "")}.part`);
    if (doomed !== path) await rename(path, doomed);
    await rm(doomed, { recursive: true, force: true });
    await rm(used(path), { force: true });
  }
};

const lastUse = async (path: string): Promise<number> => (await stat(used(path)).catch(() => stat(path))).mtimeMs;
