import { createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** Keys for signing, derived from the installation's one secret by purpose: what is signed for one purpose is nothing for another. */

const derived = new WeakMap<Uint8Array, Map<string, Buffer>>();

function keyFor(secret: Uint8Array, purpose: string): Buffer {
  const keys = derived.get(secret) ?? new Map<string, Buffer>();
  derived.set(secret, keys);
  let key = keys.get(purpose);
  if (key === undefined) {
    key = Buffer.from(hkdfSync("sha256", secret, "", `rowferry.dev/${purpose}/v1`, 32));
    keys.set(purpose, key);
  }
  return key;
}

/** HMAC-SHA-256 of the parts, each by its length, so that no two lists of parts are signed alike. */
export function signature(secret: Uint8Array, purpose: string, ...parts: string[]): Buffer {
  const hmac = createHmac("sha256", keyFor(secret, purpose));
  for (const part of parts) {
    const bytes = Buffer.from(part, "utf8");
    hmac.update(`${bytes.length}:`).update(bytes);
  }
  return hmac.digest();
}

/**
 * Whether what was shown is this text, in constant time. Texts are compared, not the bytes that base64url stands for: its last letter may have
 * bits that count for nothing, and a decoder leaves out what is no letter, so that one signature would have many forms.
 */
export function isSame(shown: string, ours: string): boolean {
  const [given, right] = [Buffer.from(shown), Buffer.from(ours)];
  return given.length === right.length && timingSafeEqual(given, right);
}
