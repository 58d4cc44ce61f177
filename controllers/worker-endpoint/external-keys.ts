import { createPrivateKey, createPublicKey } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import type { PrivateKey } from "../../src/guard/seal.ts";

/**
 * Sealing keys that the platform keeps: a file of a mounted volume, which a secrets driver fills from a KMS or a vault. The first key is
 * the one to seal to. It is read anew for each look at the keys, so that it can be rotated there.
 */

const fileSchema = z
  .array(
    z.strictObject({
      id: z.string().regex(/^[A-Za-z0-9_-]{1,40}$/, "1 to 40 letters, digits, - or _"),
      privateKey: z
        .string()
        .regex(/^[A-Za-z0-9+/_-]{43}=?$/, "32 random bytes in base64, as `openssl rand -base64 32` prints them"),
    }),
  )
  .min(1, "at least one key");

/** Before a raw private key of X25519, in PKCS #8. */
const pkcs8 = Buffer.from("302e020100300506032b656e04220420", "hex");

/** `text` is JSON: `[{"id": "2026", "privateKey": "<32 bytes in base64>"}]`. Errors: Error, whose message has nothing of a key. */
export function externalKeys(text: string): PrivateKey[] {
  const parsed = fileSchema.safeParse(jsonOf(text));
  if (!parsed.success) {
    const why = parsed.error.issues.map(({ path, message }) => `${path.join(".") || "the list"}: ${message}`);
    throw new Error(`the file of sealing keys (sealedUrls.keysVolume, sealing.json) is wrong: ${why.join("; ")}`);
  }
  const ids = parsed.data.map(({ id }) => id);
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  if (twice !== undefined)
    throw new Error(
      `the file of sealing keys (sealedUrls.keysVolume, sealing.json) is wrong: two keys have the id ${twice}`,
    );
  return parsed.data.map(({ id, privateKey }) => {
    const raw = Buffer.from(privateKey, "base64");
    const pair = createPrivateKey({ key: Buffer.concat([pkcs8, raw]), format: "der", type: "pkcs8" });
    const { x = "" } = createPublicKey(pair).export({ format: "jwk" });
    return { id, key: x, privateKey: raw.toString("base64url") };
  });
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Errors: those of `externalKeys`, and that the file cannot be read. */
export const readExternalKeys = async (file: string): Promise<PrivateKey[]> =>
  externalKeys(
    await readFile(file, "utf8").catch((cause: unknown) => {
      throw new Error(`the file of sealing keys cannot be read: the volume sealedUrls.keysVolume has no sealing.json`, {
        cause,
      });
    }),
  );
