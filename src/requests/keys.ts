import { createCipheriv, createDecipheriv, createHmac, hkdfSync, timingSafeEqual } from "node:crypto";

/** Keys, derived from the installation's one secret by purpose: what is signed or encrypted for one purpose is nothing for another. */

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

/** Bytes of AES-GCM's nonce and tag. */
const nonceLength = 12;
const tagLength = 16;

/** A text that only this installation reads, and that nobody changes unnoticed: AES-256-GCM, in base64url. */
export function encrypted(
  secret: Uint8Array,
  purpose: string,
  text: string,
  randomBytes: (count: number) => Uint8Array,
): string {
  const nonce = randomBytes(nonceLength);
  const cipher = createCipheriv("aes-256-gcm", keyFor(secret, purpose), nonce, { authTagLength: tagLength });
  const content = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([nonce, content, cipher.getAuthTag()]).toString("base64url");
}

/** The text of `encrypted`; undefined for what is not one of ours. */
export function decrypted(secret: Uint8Array, purpose: string, value: string): string | undefined {
  const bytes = Buffer.from(value, "base64url");
  if (bytes.length < nonceLength + tagLength) return undefined;
  const options = { authTagLength: tagLength };
  const decipher = createDecipheriv("aes-256-gcm", keyFor(secret, purpose), bytes.subarray(0, nonceLength), options);
  decipher.setAuthTag(bytes.subarray(-tagLength));
  try {
    const content = bytes.subarray(nonceLength, -tagLength);
    return Buffer.concat([decipher.update(content), decipher.final()]).toString("utf8");
  } catch {
    return undefined;
  }
}
