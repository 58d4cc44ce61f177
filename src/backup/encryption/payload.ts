import { createCipheriv, createDecipheriv, createSecretKey, hkdfSync, type KeyObject } from "node:crypto";
import { release } from "../memory.ts";

/**
 * The payload of an age file (age-encryption.org/v1, "Payload"): a nonce, then ChaCha20-Poly1305 by chunks of 64 KiB, the
 * last of which is marked as last. By Node's own cipher, which is about ten times as fast as one in JavaScript.
 */

export const nonceBytes = 16;
const chunkBytes = 64 * 1024;
const tagBytes = 16;
const storedBytes = chunkBytes + tagBytes;
/** Of sealed bytes. */
const pieceBytes = 16 * storedBytes;
const cipher = "chacha20-poly1305";

/** As Node keeps it: made from its bytes for each chunk, it takes as long as encrypting the chunk. */
export const payloadKey = (fileKey: Uint8Array, nonce: Uint8Array): KeyObject =>
  createSecretKey(Buffer.from(hkdfSync("sha256", fileKey, nonce, "payload", 32)));

/** 11 bytes of a counter, and whether the chunk is the last. A chunk is 64 KiB: six bytes are more than any disk. */
function chunkNonce(counter: number, last: boolean): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUIntBE(counter, 5, 6);
  nonce[11] = last ? 1 : 0;
  return nonce;
}

/** Encrypts what comes, and frees it. A piece is of many chunks, since each is hashed and handed on; memory: one piece. */
export async function* sealChunks(key: KeyObject, plain: AsyncIterable<Uint8Array>): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafeSlow(chunkBytes);
  let filled = 0;
  let counter = 0;
  let sealed = Buffer.allocUnsafeSlow(pieceBytes);
  let size = 0;
  /** Adds the chunk and its tag. The cipher ends with no bytes of its own. */
  const seal = (bytes: Uint8Array, last: boolean): void => {
    const nonce = chunkNonce(counter++, last);
    const one = createCipheriv(cipher, key, nonce, { authTagLength: tagBytes });
    const secret = one.update(bytes);
    one.final();
    sealed.set(secret, size);
    sealed.set(one.getAuthTag(), size + secret.length);
    size += secret.length + tagBytes;
    release(secret);
  };
  for await (const piece of plain) {
    for (let at = 0; at < piece.length; ) {
      if (size === pieceBytes) {
        yield sealed;
        sealed = Buffer.allocUnsafeSlow(pieceBytes);
        size = 0;
      }
      // Only now is it known that the full one is not the last.
      if (filled === chunkBytes) {
        seal(chunk, false);
        filled = 0;
      } else if (filled === 0 && piece.length - at > chunkBytes) {
        seal(piece.subarray(at, at + chunkBytes), false);
        at += chunkBytes;
      } else {
        const taken = Math.min(piece.length - at, chunkBytes - filled);
        chunk.set(piece.subarray(at, at + taken), filled);
        filled += taken;
        at += taken;
      }
    }
    release(piece);
  }
  if (size === pieceBytes) {
    yield sealed;
    sealed = Buffer.allocUnsafeSlow(storedBytes);
    size = 0;
  }
  seal(chunk.subarray(0, filled), true);
  yield sealed.subarray(0, size);
}

/** Decrypts what comes. No byte is passed on that is not authentic. Errors: those of `broken`. */
export async function* openChunks(
  key: KeyObject,
  stored: AsyncIterable<Uint8Array>,
  broken: (why: string) => Error,
): AsyncGenerator<Buffer> {
  const chunk = Buffer.allocUnsafe(storedBytes);
  let filled = 0;
  let counter = 0;
  const open = (last: boolean): Buffer => {
    if (filled < tagBytes) throw broken("it ends too early");
    const nonce = chunkNonce(counter++, last);
    const one = createDecipheriv(cipher, key, nonce, { authTagLength: tagBytes });
    one.setAuthTag(chunk.subarray(filled - tagBytes, filled));
    const plain = one.update(chunk.subarray(0, filled - tagBytes));
    try {
      one.final();
    } catch {
      throw broken("it was changed, or cut off");
    }
    return plain;
  };
  for await (const piece of stored) {
    for (let at = 0; at < piece.length; ) {
      if (filled === storedBytes) {
        yield open(false);
        filled = 0;
      }
      const taken = Math.min(piece.length - at, storedBytes - filled);
      chunk.set(piece.subarray(at, at + taken), filled);
      filled += taken;
      at += taken;
    }
  }
  const last = open(true);
  if (last.length === 0 && counter > 1) throw broken("its last chunk is empty");
  yield last;
}
