import { constants } from "node:fs";
import { mkdir, open, readdir, rename, rm, rmdir, stat } from "node:fs/promises";
import { dirname, join, sep } from "node:path";
import { BackupError, type Storage, type StoredObject } from "../contract.ts";
import { checkName } from "../names.ts";
import { unlessAborted } from "../streams.ts";

/**
 * Objects as files below one folder, as a volume is mounted. A file is written under another name, flushed to the disk and
 * then renamed, so that one that was cut off is never taken for an object.
 */

/** No object's name begins with a dot (names.ts). */
const unfinished = ".unfinished-";

/** `place`: its name for a person. */
export function openFolder(folder: string, place = folder): Storage {
  const pathOf = (name: string) => join(folder, ...checkName(name).split("/"));
  return {
    place,
    async put(name, body, signal) {
      const path = pathOf(name);
      const temporary = join(dirname(path), `${unfinished}${name.split("/").at(-1)}`);
      try {
        await requireFolder(folder);
        await mkdir(dirname(path), { recursive: true });
        const size = await writeFile(temporary, body, signal);
        await rename(temporary, path);
        await flushFolder(dirname(path));
        return size;
      } catch (error) {
        await rm(temporary, { force: true }).catch(() => undefined);
        throw storageError(error, place);
      }
    },
    async get(name, signal) {
      // Somebody who can write to the folder may put a pipe there: to open it would wait for ever.
      const file = await open(pathOf(name), constants.O_RDONLY | constants.O_NONBLOCK).catch((error: unknown) => {
        throw storageError(error, place, name);
      });
      if (!(await file.stat()).isFile()) {
        await file.close();
        throw new BackupError("archive_damaged", `${name} in ${place} is not a file: restore another run`);
      }
      return file.createReadStream({ signal, highWaterMark: 256 * 1024 });
    },
    async *list(prefix, signal) {
      for await (const { path, name } of walk(folder, prefix, signal))
        if (!isUnfinished(name)) {
          const size = (await stat(path).catch(() => undefined))?.size;
          if (size !== undefined) yield { name, size } satisfies StoredObject;
        }
    },
    async remove(name) {
      const path = pathOf(name);
      try {
        await rm(path, { force: true });
        await removeEmpty(dirname(path), folder);
      } catch (error) {
        throw storageError(error, place);
      }
    },
    async abortUploads(prefix, signal) {
      let count = 0;
      for await (const { path, name } of walk(folder, prefix, signal))
        if (isUnfinished(name)) {
          await rm(path, { force: true });
          await removeEmpty(dirname(path), folder);
          count++;
        }
      return count;
    },
  };
}

const blockBytes = 1 << 20;
/** Bytes after which the disk is asked to write: the last flush of a large file would take seconds otherwise. */
const flushBytes = 32 << 20;

/** Bytes written. After an error the file is closed, so that it can be removed for good. */
async function writeFile(path: string, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<number> {
  const file = await open(path, "w", 0o600);
  const pieces = body[Symbol.asyncIterator]();
  const block = Buffer.allocUnsafeSlow(blockBytes);
  let filled = 0;
  let size = 0;
  let flushed = 0;
  let flushing: Promise<{ error?: unknown }> | undefined;
  const flush = async () => {
    const { error } = (await flushing) ?? {};
    flushing = undefined;
    // An error is told once: the file's last flush would not say it again.
    if (error !== undefined) throw error;
  };
  const write = async (bytes: Uint8Array) => {
    for (let at = 0; at < bytes.length; ) at += (await file.write(bytes, at, bytes.length - at)).bytesWritten;
    size += bytes.length;
    if (size - flushed < flushBytes) return;
    flushed = size;
    await flush();
    flushing = file.datasync().then(
      () => ({}),
      (error: unknown) => ({ error }),
    );
  };
  const writeBlock = async () => {
    await write(block.subarray(0, filled));
    filled = 0;
  };
  try {
    for (;;) {
      const { value, done } = await unlessAborted(signal, pieces.next());
      if (done) break;
      if (value.length >= blockBytes) {
        await writeBlock();
        await write(value);
      } else
        for (let at = 0; at < value.length; ) {
          const taken = Math.min(value.length - at, blockBytes - filled);
          block.set(value.subarray(at, at + taken), filled);
          filled += taken;
          at += taken;
          if (filled === blockBytes) await writeBlock();
        }
    }
    await writeBlock();
    await flush();
    await file.sync();
    return size;
  } catch (error) {
    // Whoever makes the pieces may keep it waiting, and is ended by the caller.
    void Promise.resolve(pieces.return?.()).catch(() => undefined);
    throw error;
  } finally {
    await flushing;
    await file.close();
  }
}

const isUnfinished = (name: string) => name.split("/").at(-1)?.startsWith(unfinished) === true;

/** Files in the order of names. `name` has the temporary name's last segment. */
async function* walk(
  folder: string,
  prefix: string,
  signal: AbortSignal,
  below = "",
): AsyncGenerator<{ path: string; name: string }> {
  signal.throwIfAborted();
  const entries = await readdir(join(folder, below), { withFileTypes: true }).catch((error: unknown) => {
    if (below !== "" && codeOf(error) === "ENOENT") return [];
    throw storageError(error, folder);
  });
  const named = entries.map((entry) => ({ entry, key: entry.isDirectory() ? `${entry.name}/` : entry.name }));
  for (const { entry, key } of named.sort((a, b) => (a.key < b.key ? -1 : 1))) {
    const name = below + key;
    // The temporary file of an object is below the object's own prefix.
    const shown = name.replace(unfinished, "");
    if (entry.isDirectory()) {
      if (name.startsWith(prefix) || prefix.startsWith(name)) yield* walk(folder, prefix, signal, name);
    } else if (entry.isFile() && shown.startsWith(prefix)) yield { path: join(folder, ...name.split("/")), name };
  }
}

async function requireFolder(folder: string): Promise<void> {
  const found = await stat(folder).catch(() => undefined);
  if (found?.isDirectory() !== true)
    throw new BackupError(
      "storage_missing",
      `the folder ${folder} does not exist: create it, or mount the volume there`,
    );
}

async function flushFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Removes folders that became empty, never the storage's own. */
async function removeEmpty(path: string, folder: string): Promise<void> {
  for (let at = path; at.startsWith(folder + sep); at = dirname(at)) {
    const done = await rmdir(at).then(
      () => true,
      () => false,
    );
    if (!done) return;
  }
}

const codeOf = (error: unknown) => (error instanceof Error && "code" in error ? error.code : undefined);

function storageError(error: unknown, place: string, name = ""): unknown {
  if (error instanceof BackupError) return error;
  const code = codeOf(error);
  if (typeof code !== "string" || !/^E[A-Z]+$/.test(code)) return error;
  const failed = (as: string, words: string, retryable = false) =>
    new BackupError(as, `${place} ${words}`, { retryable, cause: error });
  if (code === "ENOENT" || code === "ENOTDIR") return failed("storage_object_missing", `has no ${name}`);
  if (code === "ENOSPC" || code === "EDQUOT")
    return failed("storage_full", "is full: free space there, or shorten the retention");
  if (code === "EACCES" || code === "EPERM" || code === "EROFS")
    return failed("storage_denied", "cannot be written or read: change its owner or its rights");
  return failed("storage_failed", `reported ${code}: check the disk`, true);
}
