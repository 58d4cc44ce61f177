import { createHash } from "node:crypto";
import { BackupError } from "./contract.ts";
import type { ArchivePart } from "./manifest-schema.ts";
import { release } from "./memory.ts";

/**
 * A part is read twice: checked before the target is written, and then restored. Somebody who can write to the storage could exchange it in
 * between. So the check keeps what the running SHA-256 is at each 4 MiB, and the second read holds each 4 MiB back until it is the same.
 */

const stretch = 4 * 1024 * 1024;
/** For each TB of parts they are 8 MB. */
const markBytes = 32;

/** The running SHA-256 after each whole stretch but the last, whose is the part's own. */
export type Marks = Buffer;

/** Reads all bytes of a part. `read` hears of each piece. Errors: `archive_part_changed`, those of the storage. */
export async function checkBytes(
  part: ArchivePart,
  stored: AsyncIterable<Uint8Array>,
  read: (bytes: number) => void,
): Promise<Marks> {
  const marks = Buffer.alloc(Math.max(0, Math.ceil(part.size / stretch) - 1) * markBytes);
  let at = 0;
  for await (const { piece, mark } of hashed(part, stored)) {
    read(piece.length);
    if (mark !== undefined) at += mark.copy(marks, at);
    release(piece);
  }
  return marks;
}

/**
 * Reads a part again. No byte is passed on that is not the one that was checked; a piece is good until the next is asked for. Memory:
 * two stretches, of which one is read while the other is used. Errors: `archive_part_changed`, those of the storage.
 */
export async function* checkedBytes(
  part: ArchivePart,
  marks: Marks,
  stored: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const held of oneAhead(stretches(part, marks, stored)))
    for (const piece of held) {
      yield piece;
      release(piece);
    }
}

async function* stretches(
  part: ArchivePart,
  marks: Marks,
  stored: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array[]> {
  let held: Uint8Array[] = [];
  let at = 0;
  for await (const { piece, mark } of hashed(part, stored)) {
    held.push(piece);
    if (mark === undefined) continue;
    if (!mark.equals(marks.subarray(at, at + markBytes)))
      throw changed(part, "its bytes are not those that were checked before the target was written");
    at += markBytes;
    yield held;
    held = [];
  }
  yield held;
}

/** The bytes of a part, cut where a stretch ends; the last are those of the manifest only if it ends without an error. */
async function* hashed(
  part: ArchivePart,
  stored: AsyncIterable<Uint8Array>,
): AsyncGenerator<{ piece: Uint8Array; mark?: Buffer }> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const all of stored) {
    if (size + all.length > part.size)
      throw changed(part, `it has more than the ${part.size} bytes that the manifest names`);
    for (let at = 0; at < all.length; ) {
      const piece = all.subarray(at, at + stretch - (size % stretch));
      hash.update(piece);
      size += piece.length;
      at += piece.length;
      yield size % stretch === 0 && size < part.size ? { piece, mark: hash.copy().digest() } : { piece };
    }
  }
  if (size !== part.size) throw changed(part, `it has ${size} bytes, and the manifest names ${part.size}`);
  if (hash.digest("hex") !== part.sha256) throw changed(part, "its SHA-256 is another than the manifest names");
}

/** The next one is made while one is used. */
async function* oneAhead<Item>(items: AsyncGenerator<Item>): AsyncGenerator<Item> {
  let next = items.next();
  try {
    for (;;) {
      const { value, done } = await next;
      if (done) return;
      next = items.next();
      // Its error is reported when its turn comes.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    // A storage that keeps it waiting is ended by the caller.
    void items.return(undefined).catch(() => undefined);
  }
}

export const changed = ({ name }: ArchivePart, why: string) =>
  new BackupError("archive_part_changed", `part ${name} was changed after the backup: ${why}. Restore another run`);
