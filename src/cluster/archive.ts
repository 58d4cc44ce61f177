import { createGunzip } from "node:zlib";
import { archiveKey } from "../resources/archive.ts";
import type { ConfigMap } from "../resources/objects.ts";

/** Reads the archive of a run, as it stands packed in a ConfigMap. */

/** Bytes of a piece that is unpacked at once. */
export const pieceBytes = 64 * 1024;

/** The packed archive in a ConfigMap; undefined where there is none, or it is not of the Migration with this uid. */
export function archiveIn(found: ConfigMap | undefined, uid: string): Buffer | undefined {
  const packed = found?.binaryData?.[archiveKey];
  const isOwn = found?.metadata.ownerReferences?.some((owner) => owner.uid === uid);
  return packed === undefined || !isOwn ? undefined : Buffer.from(packed, "base64");
}

/** An archive's text piece by piece, no more than is taken of it. One of more bytes than `largest`, or that is not packed, throws. */
export async function* unpacked(packed: Buffer, largest: number): AsyncGenerator<Buffer> {
  const stream = createGunzip({ chunkSize: pieceBytes });
  stream.end(packed);
  let size = 0;
  for await (const piece of stream as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size > largest) throw new Error("it is too large");
    yield piece;
  }
}
