import { randomBytes } from "node:crypto";
import { Decrypter, Encrypter, generateX25519Identity, identityToRecipient } from "age-encryption";
import { BackupError } from "../contract.ts";
import { nonceBytes, openChunks, payloadKey, sealChunks } from "./payload.ts";

/**
 * Files as the program `age` writes and reads them. The library makes and opens the header, which holds the file's key for
 * each recipient; the payload is payload.ts's.
 */

export interface Recipients {
  /** A fresh file key for each file. */
  encrypt(plain: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

export interface Identities {
  /** Errors: `archive_key_wrong`; `archive_damaged`, by which `what` is named. */
  decrypt(what: string, stored: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array>;
}

/** Errors: `recipient_invalid`, without the text, which may be a private key by mistake. */
export function openRecipients(recipients: readonly string[]): Recipients {
  if (recipients.length === 0)
    throw new BackupError("recipient_invalid", "a backup needs at least one recipient: an age public key (age1…)");
  for (const [at, recipient] of recipients.entries()) {
    try {
      new Encrypter().addRecipient(recipient);
    } catch (cause) {
      const secret = /^AGE-SECRET-KEY-/i.test(recipient) ? "; this one is a private key" : "";
      throw new BackupError(
        "recipient_invalid",
        `recipient ${at + 1} is not an age public key (age1…)${secret}: age-keygen -y prints the public key of a key file`,
        { cause },
      );
    }
  }
  return {
    async *encrypt(plain) {
      const { header, fileKey } = await makeHeader(recipients);
      const nonce = randomBytes(nonceBytes);
      yield Buffer.concat([header, nonce]);
      yield* sealChunks(payloadKey(fileKey, nonce), plain);
    },
  };
}

/** Encrypts nothing, and keeps the header and the key that it holds. */
async function makeHeader(recipients: readonly string[]): Promise<{ header: Uint8Array; fileKey: Uint8Array }> {
  let fileKey = new Uint8Array();
  const encrypter = new Encrypter();
  // A recipient of no stanza: it only learns the key.
  encrypter.addRecipient({
    wrapFileKey(key) {
      fileKey = Uint8Array.from(key);
      return [];
    },
  });
  for (const recipient of recipients) encrypter.addRecipient(recipient);
  const file = Buffer.from(await encrypter.encrypt(new Uint8Array()));
  return { header: file.subarray(0, headerEnd(file)), fileKey };
}

/** Where the header's last line ends, or -1. The lines before it are base64 and cannot begin so. */
function headerEnd(bytes: Buffer): number {
  const last = bytes.indexOf("\n--- ");
  const end = last < 0 ? -1 : bytes.indexOf("\n", last + 1);
  return end < 0 ? -1 : end + 1;
}

/** A header of a hundred recipients; more is no header. */
const mostHeader = 64 * 1024;

/** Errors: `identity_invalid`, without the text. */
export function openIdentities(identities: readonly string[]): Identities {
  const decrypter = new Decrypter();
  for (const [at, identity] of identities.entries()) {
    try {
      decrypter.addIdentity(identity);
    } catch (cause) {
      throw new BackupError(
        "identity_invalid",
        `identity ${at + 1} is not an age private key (AGE-SECRET-KEY-1…): name the file that age-keygen wrote`,
        { cause },
      );
    }
  }
  return {
    async *decrypt(what, stored) {
      const broken = (why: string, cause?: unknown) =>
        new BackupError("archive_damaged", `${what} is damaged: ${why}. Restore another run`, { cause });
      const pieces = stored[Symbol.asyncIterator]();
      try {
        let head = Buffer.alloc(0);
        const need = async (enough: () => boolean) => {
          while (!enough()) {
            const { value, done } = await pieces.next();
            if (done) throw broken("it ends before its first byte");
            head = Buffer.concat([head, value]);
          }
        };
        await need(() => headerEnd(head) >= 0 || head.length > mostHeader);
        const end = headerEnd(head);
        if (end < 0) throw broken("it does not begin as an age file");
        const fileKey = await decrypter.decryptHeader(head.subarray(0, end)).catch((cause: unknown) => {
          if (cause instanceof Error && /no identity matched/.test(cause.message)) throw wrongKey(what, identities);
          throw broken("its header was changed", cause);
        });
        await need(() => head.length >= end + nonceBytes);
        const key = payloadKey(fileKey, head.subarray(end, end + nonceBytes));
        yield* openChunks(key, rest(head.subarray(end + nonceBytes), pieces), broken);
      } finally {
        await pieces.return?.(undefined);
      }
    },
  };
}

async function* rest(first: Buffer, pieces: AsyncIterator<Uint8Array>): AsyncGenerator<Uint8Array> {
  if (first.length > 0) yield first;
  for (;;) {
    const { value, done } = await pieces.next();
    if (done) return;
    yield value;
  }
}

const wrongKey = (what: string, identities: readonly string[]) =>
  new BackupError(
    "archive_key_wrong",
    `none of the ${identities.length} given private keys opens ${what}: give the key of one of the backup's recipients, unless the first lines of the file were changed. Without such a key, nobody can read it`,
  );

/** A new key pair, as age-keygen makes it. */
export async function generateKey(): Promise<{ identity: string; recipient: string }> {
  const identity = await generateX25519Identity();
  return { identity, recipient: await identityToRecipient(identity) };
}

export const recipientOf = (identity: string): Promise<string> => identityToRecipient(identity);
