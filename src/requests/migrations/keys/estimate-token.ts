import * as z from "zod";
import { canonicalJsonText } from "../../../guard/canonical-json.ts";
import type { Migration } from "../../../resources/migration.ts";
import { asJson } from "../../as-json.ts";
import { isSame, signature } from "../../keys.ts";
import { marks } from "../view/marks.ts";

/**
 * A price quote as a signed value: nothing is stored for it. It binds account, both URLs, size, amount, currency, type and expiry. That of a
 * preflight also names its options, by a keyed digest: the price does not depend on them.
 * Who reads it learns size and price; the URLs stand in it only as a keyed digest.
 */
export interface Quote {
  account: string;
  /** Canonical forms of both URLs. */
  source: string;
  target: string;
  size: number;
  amount: number;
  currency: string;
  type: "transfer" | "conversion";
  free: boolean;
  expiresAt: Date;
  /** Of the preflight, with their defaults. */
  options?: object;
}

const contentSchema = z.strictObject({
  account: z.string(),
  pair: z.string(),
  size: z.number(),
  amount: z.number(),
  currency: z.string(),
  type: z.enum(["transfer", "conversion"]),
  free: z.boolean(),
  expires: z.number(),
  options: z.string().exactOptional(),
});

const purpose = "estimate";

/** Hours for which a quote is valid. */
export const quoteHours = 24;

type Bound = Pick<Quote, "account" | "source" | "target" | "options">;

const pairOf = (secret: Uint8Array, { source, target }: Bound): string =>
  signature(secret, `${purpose}-urls`, source, target).subarray(0, 16).toString("base64url");
const accountOf = (secret: Uint8Array, { account }: Bound): string =>
  signature(secret, `${purpose}-account`, account).subarray(0, 12).toString("base64url");

const optionsOf = (secret: Uint8Array, options: object): string =>
  signature(secret, `${purpose}-options`, canonicalJsonText(options)).subarray(0, 12).toString("base64url");

const signed = (secret: Uint8Array, text: string): string =>
  `est_${Buffer.from(text, "utf8").toString("base64url")}.${signature(secret, purpose, text).toString("base64url")}`;

export function packQuote(secret: Uint8Array, quote: Quote): string {
  const { source: _source, target: _target, expiresAt, options, ...rest } = quote;
  const content: z.output<typeof contentSchema> = {
    ...rest,
    account: accountOf(secret, quote),
    pair: pairOf(secret, quote),
    expires: expiresAt.getTime(),
    ...(options === undefined ? {} : { options: optionsOf(secret, options) }),
  };
  return signed(secret, JSON.stringify(content));
}

export type QuoteRefusal = "altered" | "expired" | "foreign" | "mismatched" | "replanned";
export type ReadQuote = Omit<Quote, keyof Bound>;

/** What was quoted, or why it does not hold for this account, these URLs and, where they are named, these options now. */
export function readQuote(
  secret: Uint8Array,
  token: string,
  of: Bound,
  now: Date,
): { quote: ReadQuote } | { refused: QuoteRefusal } {
  const [, payload = ""] = /^est_([A-Za-z0-9_-]+)\.[A-Za-z0-9_-]{43}$/.exec(token) ?? [];
  const text = Buffer.from(payload, "base64url").toString("utf8");
  if (!isSame(token, signed(secret, text))) return { refused: "altered" };
  const content = contentSchema.safeParse(asJson(text));
  // Signed by us, and in another form: of another version.
  if (!content.success) return { refused: "altered" };
  const { account, pair, expires, options, ...rest } = content.data;
  if (account !== accountOf(secret, of)) return { refused: "foreign" };
  if (expires <= now.getTime()) return { refused: "expired" };
  if (pair !== pairOf(secret, of)) return { refused: "mismatched" };
  if (of.options !== undefined && options !== undefined && options !== optionsOf(secret, of.options))
    return { refused: "replanned" };
  return { quote: { ...rest, expiresAt: new Date(expires) } };
}

/** The quote that a Migration was created with, as an annotation of it: a run is tied to the estimate that its caller was shown. */

const markSchema = z.object({
  size: z.int().min(0),
  amount: z.number().min(0),
  currency: z.string(),
  free: z.boolean(),
});

export const quoteMark = ({ size, amount, currency, free }: ReadQuote): Record<string, string> => ({
  [marks.quote]: JSON.stringify({ size, amount, currency, free }),
});

/** Bytes of the source as they were measured for the quote; undefined without one, or where `kubectl` wrote what is none. */
export function quotedSize({ metadata }: Pick<Migration, "metadata">): number | undefined {
  const text = metadata.annotations?.[marks.quote];
  return text === undefined ? undefined : markSchema.safeParse(asJson(text)).data?.size;
}
