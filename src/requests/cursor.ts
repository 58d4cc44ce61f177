import { timingSafeEqual } from "node:crypto";
import { signature } from "./keys.ts";

/**
 * Opaque cursors: the place after which a page begins, signed, and good only for the list for which they were made (`of`: the kind of
 * list, whose it is, and by what it was filtered). The place is an element's own and never changes, so that pages stay right while
 * elements come and go.
 */
type CursorPosition = readonly string[];

const purpose = "cursor";
const bytes = 16;

export function packCursor(secret: Uint8Array, of: readonly string[], place: CursorPosition): string {
  const text = JSON.stringify(place);
  const proof = signature(secret, purpose, ...of, text).subarray(0, bytes);
  return Buffer.concat([proof, Buffer.from(text, "utf8")]).toString("base64url");
}

/** Undefined for a cursor that was changed, or is of another list. */
export function readCursor(secret: Uint8Array, of: readonly string[], cursor: string): CursorPosition | undefined {
  const packed = Buffer.from(cursor, "base64url");
  if (packed.length <= bytes || packed.toString("base64url") !== cursor) return undefined;
  const text = packed.subarray(bytes).toString("utf8");
  const proof = signature(secret, purpose, ...of, text).subarray(0, bytes);
  return timingSafeEqual(proof, packed.subarray(0, bytes)) ? (JSON.parse(text) as CursorPosition) : undefined;
}
