import { Buffer } from "node:buffer";

/**
 * Frees the memory of a piece that nobody reads any more. V8 counts it otherwise, and collects all garbage for each few megabytes
 * of pieces: that took half of a backup's processor time. A slice frees its buffer if it is the last one of it.
 */
export function release(piece: Uint8Array): void {
  const { buffer, byteOffset, byteLength } = piece;
  if (byteOffset + byteLength !== buffer.byteLength) return;
  // Node cuts small buffers from one that is shared; none of them is all of it.
  if (buffer.byteLength <= Buffer.poolSize && byteOffset > 0) return;
  // Node 20 has no such function.
  if (buffer instanceof ArrayBuffer) buffer.transfer?.(0);
}
