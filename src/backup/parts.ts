import { createHash } from "node:crypto";
import type { Writable } from "node:stream";
import zlib from "node:zlib";
import { changed, checkedBytes, type Marks } from "./checked-bytes.ts";
import { BackupError, type Storage } from "./contract.ts";
import type { Identities, Recipients } from "./encryption/age.ts";
import type { ArchivePart } from "./manifest-schema.ts";
import { release } from "./memory.ts";
import { partEnding } from "./names.ts";
import { reportedElsewhere, unlessAborted } from "./streams.ts";

/**
 * Parts of an archive: bytes → zstd → age → storage, and back. Each step holds a few megabytes at most, whatever the size of
 * the part; a slow storage makes the database's reader wait.
 */

// By its default: an older Node has no zstd, and a name that is missing would keep the whole command line from starting.
const { constants, createZstdCompress, createZstdDecompress } = zlib;

/** Each is a way to another thread and back. */
const compressedBytes = 1024 * 1024;
const pieceBytes = 256 * 1024;
/**
 * As the program zstd compresses without an option, by tables that fit in a core's cache and matches of at least six bytes. Dumps of
 * rows get 2 to 3 % smaller so, in two thirds of the processor time; source code gets 5 % larger.
 */
const parameters = {
  [constants.ZSTD_c_compressionLevel]: 3,
  [constants.ZSTD_c_hashLog]: 15,
  [constants.ZSTD_c_chainLog]: 14,
  [constants.ZSTD_c_minMatch]: 6,
  [constants.ZSTD_c_checksumFlag]: 1,
};
/** Bytes that a decompressor may look back: 2 ** 23. Level 3 uses 2 ** 21; a hostile archive may name 2 ** 31. */
const longestWindow = 23;

export interface Writing {
  storage: Storage;
  folder: string;
  recipients: Recipients;
  signal: AbortSignal;
  /** Hears of bytes that were read, and of bytes that went to the storage. */
  moved(plain: number, stored: number): void;
}

/** Writes one part and resolves to its entry of the manifest. `name`: without its ending. Errors: the storage's, and those of `plain`. */
export async function writePart(
  { storage, folder, recipients, signal, moved }: Writing,
  { name, ...about }: Pick<ArchivePart, "name" | "holds" | "table">,
  plain: AsyncIterable<Uint8Array>,
): Promise<ArchivePart> {
  const zstd = reportedElsewhere(
    createZstdCompress({
      chunkSize: compressedBytes,
      params: parameters,
    }),
  );
  const hash = createHash("sha256");
  let read = 0;
  let size = 0;
  const stored = async function* () {
    for await (const piece of recipients.encrypt(zstd)) {
      hash.update(piece);
      size += piece.length;
      moved(0, piece.length);
      yield piece;
      release(piece);
    }
  };
  const full = `${name}${partEnding}`;
  const failed = new AbortController();
  const putting = storage.put(`${folder}/${full}`, stored(), signal).catch((error: unknown) => {
    failed.abort(error);
    throw error;
  });
  /** The next piece is asked for when this one is compressed, so that whoever made it can use its memory again. */
  const compress = async () => {
    const pieces = plain[Symbol.asyncIterator]();
    const write = (piece: Uint8Array) =>
      new Promise<void>((resolve, reject) => {
        zstd.write(piece, (error) => (error ? reject(error) : resolve()));
      });
    try {
      for (;;) {
        const { value, done } = await unlessAborted(failed.signal, pieces.next());
        if (done) break;
        read += value.length;
        moved(value.length, 0);
        // A storage that ends early destroys the compressor, and then has the cause.
        await unlessAborted(failed.signal, write(value)).catch((error: unknown) =>
          putting.then(() => Promise.reject(error)),
        );
      }
    } catch (error) {
      // A database that keeps it waiting is ended by the caller, who hears of the error first.
      void Promise.resolve(pieces.return?.()).catch(() => undefined);
      zstd.destroy(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
    zstd.end();
  };
  const [compressed, put] = await Promise.allSettled([compress(), putting]);
  if (compressed.status === "rejected") throw compressed.reason;
  if (put.status === "rejected") throw put.reason;
  return { name: full, size, sha256: hash.digest("hex"), plain: read, ...about };
}

export interface PartReading {
  storage: Storage;
  folder: string;
  identities: Identities;
  signal: AbortSignal;
}

/** What check.ts has read. */
export interface CheckedReading extends PartReading {
  /** Of each part. */
  marks: ReadonlyMap<string, Marks>;
}

/**
 * Reads one part as its bytes before compression, none of which is another than at the check. A piece is good until the next one is asked
 * for. `moved` hears of each. Errors: `archive_part_changed`, `archive_damaged`, those of the storage.
 */
export async function* readPart(
  reading: CheckedReading,
  part: ArchivePart,
  moved: (bytes: number) => void = () => undefined,
): AsyncGenerator<Buffer> {
  const marks = reading.marks.get(part.name);
  if (marks === undefined) throw new Error(`part ${part.name} was not checked`);
  const stored = await reading.storage.get(`${reading.folder}/${part.name}`, reading.signal);
  let plain = 0;
  for await (const piece of decompressed(part.name, reading, checkedBytes(part, marks, stored))) {
    plain += piece.length;
    if (plain > part.plain) throw changed(part, `it holds more than the ${part.plain} bytes that the manifest names`);
    moved(piece.length);
    yield piece;
    release(piece);
  }
  if (plain !== part.plain) throw changed(part, `it holds ${plain} bytes, and the manifest names ${part.plain}`);
}

/** Decrypts and decompresses. Errors: `archive_damaged`, `archive_key_wrong`. */
export async function* decompressed(
  what: string,
  { identities, signal }: Pick<PartReading, "identities" | "signal">,
  stored: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  const zstd = reportedElsewhere(
    createZstdDecompress({
      chunkSize: pieceBytes,
      params: { [constants.ZSTD_d_windowLogMax]: longestWindow },
    }),
  );
  const end = (error: unknown) => zstd.destroy(error instanceof Error ? error : new Error(String(error)));
  const aborted = () => end(signal.reason);
  signal.addEventListener("abort", aborted, { once: true });
  const write = writer(zstd);
  const feeding = (async () => {
    for await (const piece of identities.decrypt(what, stored)) {
      if (!(await write(piece))) return;
      release(piece);
    }
    zstd.end();
  })().catch(end);
  try {
    signal.throwIfAborted();
    for await (const piece of zstd) yield piece as Buffer;
    await feeding;
  } catch (error) {
    signal.throwIfAborted();
    throw zstdError(what, error);
  } finally {
    signal.removeEventListener("abort", aborted);
    zstd.destroy();
  }
}

/** Resolves when the stream needs the piece no longer; to false where it ended before, and its reader hears of the error. */
function writer(stream: Writable): (piece: Uint8Array) => Promise<boolean> {
  let ended: () => void = () => undefined;
  stream.once("close", () => ended());
  return (piece) =>
    new Promise((resolve) => {
      if (stream.destroyed) return resolve(false);
      ended = () => resolve(false);
      stream.write(piece, (error) => resolve(!error));
    });
}

const zstdError = (what: string, cause: unknown): unknown =>
  cause instanceof Error && "code" in cause && typeof cause.code === "string" && cause.code.startsWith("ZSTD_")
    ? new BackupError("archive_damaged", `${what} is damaged: it is not compressed by zstd as Rowferry does it`, {
        cause,
      })
    : cause;
