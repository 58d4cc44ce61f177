import { createHash } from "node:crypto";
import { domainToASCII } from "node:url";
import { Problem } from "../errors.ts";

/** An e-mail address as an identity: what is one, and the Account's name that follows from it. */

export interface Email {
  /** As the person wrote it, trimmed. */
  shown: string;
  /** Of the Account: `a` and 40 hex digits. */
  account: string;
  /** In ASCII and lower case. */
  domain: string;
}

/** RFC 5321's bounds, in bytes. */
const longest = 254;
const longestLocal = 64;

/**
 * Two ways of writing one address are one account: upper and lower case, NFC, and a domain in Unicode or in its ASCII form.
 * Throws Problem `invalid`, which names the field `email`.
 */
export function readEmail(text: string): Email {
  const shown = text.trim().normalize("NFC");
  const refuse = (why: string): never => {
    const message = `${why}; write it as name@example.com`;
    throw new Problem("invalid", `email: ${message}`, { errors: [{ field: "email", message }] });
  };
  if (!shown.isWellFormed() || /[\p{C}\p{Z}]/u.test(shown))
    return refuse("has spaces or characters that cannot be seen");
  const [local, domain, ...more] = shown.split("@");
  if (!local || !domain || more.length > 0) return refuse("is not an e-mail address: it has one @ between two parts");
  if (Buffer.byteLength(local) > longestLocal || Buffer.byteLength(shown) > longest)
    return refuse(`is too long: at most ${longest} bytes, of which ${longestLocal} before the @`);
  // domainToASCII parses a URL's host, which may end at a slash or be an address: neither is a domain of mail.
  const ascii = /^[\p{L}\p{M}\p{N}.-]+$/u.test(domain) ? domainToASCII(domain) : "";
  if (!/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/.test(ascii) || ascii.length > 253)
    return refuse("has no domain after the @");
  const one = `${local.toLowerCase().normalize("NFC")}@${ascii}`;
  return { shown, account: `a${createHash("sha256").update(one).digest("hex").slice(0, 40)}`, domain: ascii };
}
