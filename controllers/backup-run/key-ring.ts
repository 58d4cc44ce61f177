import { hkdfSync } from "node:crypto";
import { bech32 } from "@scure/base";
import { identityToRecipient } from "age-encryption";
import { type Client, kinds } from "../../src/cluster/index.ts";
import { fieldOf, keepSecret } from "../worker-endpoint/secret.ts";
import type { KeyRing } from "./work.ts";

/**
 * The installation's key ring. Its Secret holds random keys, made once; each namespace has age identities of its own that follow
 * from them (HKDF-SHA256), so that a pod which restores one team's backup learns nothing that opens another's. Rotation puts a new
 * key first: new backups are encrypted to it, and all older keys stay, since backups need them.
 */

/** Annotation of the Secret, with any value: asks for a new first key. It is taken off when the key is there. */
export const rotateAnnotation = "rowferry.dev/rotate-backup-key";

interface KeptKey {
  /** 32 random bytes in base64. */
  key: string;
  madeAt: string;
}

const field = "keys.json";

export interface KeyRingOptions {
  client: Client;
  namespace: string;
  /** Name of the Secret. */
  name: string;
  now: () => Date;
  randomBytes: (count: number) => Uint8Array;
}

/** Makes the Secret where there is none, and rotates where that is asked for. */
export async function ensureBackupKeys({ client, namespace, name, now, randomBytes }: KeyRingOptions): Promise<void> {
  await keepSecret(client, { namespace, name }, async (secret) => {
    const keys = JSON.parse(fieldOf(secret, field) || "[]") as KeptKey[];
    const rotate = secret?.metadata.annotations?.[rotateAnnotation] !== undefined;
    if (keys.length > 0 && !rotate) return undefined;
    const made = { key: Buffer.from(randomBytes(32)).toString("base64"), madeAt: now().toISOString() };
    return { fields: { [field]: JSON.stringify([made, ...keys]) }, unmark: [rotateAnnotation] };
  });
}

/** Reads the Secret for each pod: it is seldom needed, and is not kept in memory. */
export function createKeyRing({
  client,
  namespace,
  name,
}: Pick<KeyRingOptions, "client" | "namespace" | "name">): KeyRing {
  async function identities(of: string): Promise<string[]> {
    const secret = await client.get(kinds.secrets, namespace, name);
    const keys = JSON.parse(fieldOf(secret, field) || "[]") as KeptKey[];
    if (keys.length === 0) throw new Error(`the Secret ${name} has no keys yet`);
    return keys.map(({ key }) => namespaceIdentity(Buffer.from(key, "base64"), of));
  }
  return {
    identities,
    async recipient(of) {
      const [first = ""] = await identities(of);
      return identityToRecipient(first);
    },
  };
}

/** The age private key of a namespace: `AGE-SECRET-KEY-1…`. */
export function namespaceIdentity(key: Uint8Array, namespace: string): string {
  const derived = hkdfSync("sha256", key, new Uint8Array(), `rowferry.dev/backup/age/v1 ${namespace}`, 32);
  return bech32.encodeFromBytes("AGE-SECRET-KEY-", new Uint8Array(derived)).toUpperCase();
}
