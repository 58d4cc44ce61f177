import { createHash, timingSafeEqual } from "node:crypto";
import { crc32 } from "node:zlib";

/**
 * A token of the API: `<15 digits>|rfy_<43 characters><6 characters>`. The digits find it, the 43 are 256 random bits in base62, the last six
 * are the CRC-32 of all before in base62, so that a typo and a scanner's find are told without asking anybody.
 */

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

function base62(value: bigint, length: number): string {
  let text = "";
  for (let rest = value; text.length < length; rest /= 62n) text = `${alphabet[Number(rest % 62n)]}${text}`;
  return text;
}

const checksum = (text: string): string => base62(BigInt(crc32(text)), 6);

interface NewToken {
  digits: string;
  /** The whole token, shown once. */
  plaintext: string;
  /** Of the whole, in hex: what is stored. */
  hash: string;
}

export const hashOf = (plaintext: string): string => createHash("sha256").update(plaintext).digest("hex");

export function makeToken(randomBytes: (count: number) => Uint8Array): NewToken {
  const number = (count: number) => BigInt(`0x${Buffer.from(randomBytes(count)).toString("hex")}`);
  const digits = String(10n ** 14n + (number(16) % (9n * 10n ** 14n)));
  const body = `${digits}|rfy_${base62(number(32), 43)}`;
  const plaintext = body + checksum(body);
  return { digits, plaintext, hash: hashOf(plaintext) };
}

const form = /^([1-9][0-9]{14})\|rfy_[0-9A-Za-z]{49}$/;

/** The digits of what has a token's form and the right checksum. */
export function tokenDigits(text: string): string | undefined {
  const digits = form.exec(text)?.[1];
  return digits !== undefined && checksum(text.slice(0, -6)) === text.slice(-6) ? digits : undefined;
}

/** In constant time. */
export const hasHash = (plaintext: string, hash: string): boolean => {
  const [shown, stored] = [Buffer.from(hashOf(plaintext), "hex"), Buffer.from(hash, "hex")];
  return shown.length === stored.length && timingSafeEqual(shown, stored);
};
