import { canonicalJsonText } from "./canonical-json.ts";
import {
  bytesOfBase64,
  malformed,
  openUrl,
  type PrivateKey,
  type PublicKey,
  privateKeyOf,
  SealError,
  sealUrl,
  suite,
  textOf,
} from "./seal.ts";

/**
 * The sealed fields of one object as one envelope: they are sealed under one HPKE context, whose key only the sealer had, so that none
 * can be replaced by another or used without the others. All are bound to the object's kind, namespace and name, to its fields `with`
 * which they were sealed, and to the time of sealing: an object that is made again later cannot use them.
 *
 * Form of each: `v2.<key id>.<seconds since 1970, base 36>.<encapsulated key>.<ciphertext>`, the last two in base64url.
 */
export interface EnvelopePurpose {
  kind: string;
  namespace: string;
  name: string;
  /** The object's other fields that decide where the content goes, as JSON. */
  with: unknown;
}

export interface SealingKey extends PublicKey {
  /** ISO time from which every replica of the operator opens envelopes; without it none does yet. */
  envelopesFrom?: string | undefined;
}

export interface OpeningKeys {
  keys: readonly PrivateKey[];
  /** ISO time: objects that were made after it are not opened in the first form, which binds less. */
  envelopesFrom: string;
}

/** By how much the clocks of who seals and of the API server may differ, in milliseconds. */
const tolerance = 5 * 60_000;
const info = new TextEncoder().encode("rowferry.dev/envelope/v2");

/** What an opened field is authenticated with. */
const boundTo = (of: EnvelopePurpose, field: string, fields: readonly string[], at: string): Uint8Array =>
  new TextEncoder().encode(canonicalJsonText([of.kind, of.namespace, of.name, field, fields, at, of.with]));

const seconds = (milliseconds: number): string => Math.floor(milliseconds / 1000).toString(36);

/** Seals these fields of one object; in the first form while a replica of the operator may not know envelopes. */
export async function sealFields<F extends string>(
  to: SealingKey,
  of: EnvelopePurpose,
  fields: Readonly<Record<F, string>>,
  now: Date,
): Promise<Record<F, string>> {
  const names = (Object.keys(fields) as F[]).sort();
  const sealed = {} as Record<F, string>;
  if (to.envelopesFrom === undefined || now.getTime() < Date.parse(to.envelopesFrom)) {
    for (const field of names) sealed[field] = await sealUrl(to, { ...of, field }, fields[field]);
    return sealed;
  }
  const at = seconds(now.getTime());
  const recipientPublicKey = await suite.kem.deserializePublicKey(bytesOfBase64(to.key));
  const sender = await suite.createSenderContext({ recipientPublicKey, info });
  for (const field of names) {
    const text = new TextEncoder().encode(fields[field]);
    const ciphertext = await sender.seal(text, boundTo(of, field, names, at));
    sealed[field] = ["v2", to.id, at, textOf(sender.enc), textOf(ciphertext)].join(".");
  }
  return sealed;
}

/**
 * Opens all sealed fields of one object (undefined: the field is not sealed), which was made at `madeAt` (ISO; undefined: as the operator itself recorded them, at any time).
 * Throws SealError, whose message names the field and holds nothing of the content.
 */
export async function openFields<F extends string>(
  { keys, envelopesFrom }: OpeningKeys,
  of: EnvelopePurpose,
  madeAt: string | undefined,
  given: Readonly<Partial<Record<F, string | undefined>>>,
): Promise<Partial<Record<F, string>>> {
  const sealed = Object.fromEntries(Object.entries(given).filter(([, text]) => text !== undefined)) as Record<
    F,
    string
  >;
  const names = (Object.keys(sealed) as F[]).sort();
  const [first] = names;
  const opened: Partial<Record<F, string>> = {};
  if (first === undefined) return opened;
  if (sealed[first].startsWith("v1.")) {
    for (const field of names)
      opened[field] = await named(field, async () => {
        if (madeAt !== undefined && Date.parse(madeAt) > Date.parse(envelopesFrom) + tolerance) throw outdated();
        return openUrl(keys, { ...of, field }, sealed[field]);
      });
    return opened;
  }
  const [, id, at, enc] = await named(first, async () => partsOf(sealed[first]));
  const context = await named(first, async () => {
    if (madeAt !== undefined && Number.parseInt(at, 36) * 1000 < Date.parse(madeAt) - tolerance) throw older();
    const key = privateKeyOf(keys, id);
    try {
      const recipientKey = await suite.kem.deserializePrivateKey(bytesOfBase64(key.privateKey));
      return await suite.createRecipientContext({ recipientKey, enc: bytesOfBase64(enc), info });
    } catch (cause) {
      throw refused(cause);
    }
  });
  for (const field of names)
    opened[field] = await named(field, async () => {
      const [, otherId, otherAt, otherEnc, ciphertext] = partsOf(sealed[field]);
      if (otherId !== id || otherAt !== at || otherEnc !== enc) throw refused();
      try {
        return new TextDecoder().decode(await context.open(bytesOfBase64(ciphertext), boundTo(of, field, names, at)));
      } catch (cause) {
        throw refused(cause);
      }
    });
  return opened;
}

type Parts = [version: string, id: string, at: string, enc: string, ciphertext: string];

function partsOf(sealed: string): Parts {
  const parts = sealed.split(".");
  if (parts.length !== 5 || parts[0] !== "v2" || parts.includes("") || !/^[0-9a-z]{1,9}$/.test(parts[2] ?? ""))
    throw malformed();
  return parts as Parts;
}

async function named<T>(field: string, open: () => Promise<T>): Promise<T> {
  try {
    return await open();
  } catch (error) {
    if (!(error instanceof SealError)) throw error;
    throw new SealError(error.code, `spec.${field}: ${error.message}`, error);
  }
}

const refused = (cause?: unknown) =>
  new SealError(
    "seal_refused",
    "the sealed URL cannot be opened: it was sealed for another object, for use with another database, storage or options, or was changed",
    cause,
  );
const older = () =>
  new SealError(
    "seal_refused",
    "the sealed URL is more than five minutes older than its object: create the object again through the API, with its URLs, and check the clock of the API's node",
  );
const outdated = () =>
  new SealError(
    "seal_refused",
    "the sealed URL has the form of an earlier version, and the object is newer than the upgrade: create another one through the API",
  );
