import { Aes256Gcm, CipherSuite, DhkemX25519HkdfSha256, HkdfSha256 } from "@hpke/core";

/**
 * Texts sealed to the operator's public key (HPKE, RFC 9180: X25519, HKDF-SHA256, AES-256-GCM). Who seals cannot open.
 *
 * The first form, `v1.<key id>.<encapsulated key>.<ciphertext>` with the last two in base64url, is bound to a namespace, an object's
 * name and a field, and to nothing else. `envelope.ts` has the form that took its place.
 */

/** Where a text of the first form stands; `field` is for instance `source`. */
interface SealedField {
  namespace: string;
  name: string;
  field: string;
}

/** `id` names the pair; `key` is 32 bytes in base64url. */
export interface PublicKey {
  id: string;
  key: string;
}

export interface PrivateKey extends PublicKey {
  privateKey: string;
}

export class SealError extends Error {
  readonly code: "seal_malformed" | "seal_key_unknown" | "seal_refused";
  constructor(code: SealError["code"], message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "SealError";
    this.code = code;
  }
}

export const suite = new CipherSuite({
  kem: new DhkemX25519HkdfSha256(),
  kdf: new HkdfSha256(),
  aead: new Aes256Gcm(),
});
const info = new TextEncoder().encode("rowferry.dev/sealed-url/v1");

export const bytesOfBase64 = (text: string): ArrayBuffer => new Uint8Array(Buffer.from(text, "base64url")).buffer;
export const textOf = (bytes: ArrayBuffer): string => Buffer.from(bytes).toString("base64url");
const boundTo = ({ namespace, name, field }: SealedField): Uint8Array =>
  new TextEncoder().encode(JSON.stringify([namespace, name, field]));

/** A new pair. `id` must be unique among the operator's keys and hold no dot. */
export async function makeSealingKey(id: string): Promise<PrivateKey> {
  const pair = await suite.kem.generateKeyPair();
  return {
    id,
    key: textOf(await suite.kem.serializePublicKey(pair.publicKey)),
    privateKey: textOf(await suite.kem.serializePrivateKey(pair.privateKey)),
  };
}

/** In the first form. */
export async function sealUrl(to: PublicKey, place: SealedField, url: string): Promise<string> {
  const recipientPublicKey = await suite.kem.deserializePublicKey(bytesOfBase64(to.key));
  const sender = await suite.createSenderContext({ recipientPublicKey, info });
  const sealed = await sender.seal(new TextEncoder().encode(url), boundTo(place));
  return ["v1", to.id, textOf(sender.enc), textOf(sealed)].join(".");
}

/** The key that a sealed text names. Throws SealError. */
export function privateKeyOf(keys: readonly PrivateKey[], id: string): PrivateKey {
  const key = keys.find((candidate) => candidate.id === id);
  if (key !== undefined) return key;
  throw new SealError(
    "seal_key_unknown",
    `the sealed URL was sealed to a key (${id.slice(0, 40)}) that the operator does not have`,
  );
}

export const malformed = () =>
  new SealError("seal_malformed", "the sealed URL is not in a form that this version reads");

/** Opens one of the first form with whichever of the keys it names. Throws SealError, whose message holds nothing of the content. */
export async function openUrl(keys: readonly PrivateKey[], place: SealedField, sealed: string): Promise<string> {
  const [version, id, enc, ciphertext, ...rest] = sealed.split(".");
  if (version !== "v1" || !id || !enc || !ciphertext || rest.length > 0) throw malformed();
  const key = privateKeyOf(keys, id);
  try {
    const recipientKey = await suite.kem.deserializePrivateKey(bytesOfBase64(key.privateKey));
    const recipient = await suite.createRecipientContext({ recipientKey, enc: bytesOfBase64(enc), info });
    return new TextDecoder().decode(await recipient.open(bytesOfBase64(ciphertext), boundTo(place)));
  } catch (cause) {
    throw new SealError(
      "seal_refused",
      "the sealed URL cannot be opened: it was sealed for another namespace, name or field, or was changed",
      cause,
    );
  }
}
