import * as z from "zod";
import { asJson } from "../as-json.ts";
import { decrypted, encrypted } from "../keys.ts";
import type { World } from "../world.ts";
import type { OidcSecrets } from "./provider.ts";

/** What a sign-in that has begun needs at its end: a cookie of that browser, encrypted, so that nothing is stored for it. */
export const oidcCookie = "__Host-rowferry-oidc";
export const oidcSeconds = 600;

const flowSchema = z.strictObject({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  /** Seconds since 1970. */
  until: z.int(),
  /** Of who is signed in and links an identity to the account. */
  link: z.strictObject({ account: z.string(), session: z.string() }).exactOptional(),
});

export type OidcFlow = OidcSecrets & Pick<z.output<typeof flowSchema>, "link">;

const purpose = "oidc";

/** A new flow, and the cookie's value. */
export function newFlow(
  { secret, now, randomBytes }: Pick<World, "secret" | "now" | "randomBytes">,
  link?: OidcFlow["link"],
): { flow: OidcFlow; value: string } {
  const random = () => Buffer.from(randomBytes(32)).toString("base64url");
  const flow = { state: random(), nonce: random(), verifier: random(), ...(link === undefined ? {} : { link }) };
  const until = Math.floor(now().getTime() / 1000) + oidcSeconds;
  return { flow, value: encrypted(secret, purpose, JSON.stringify({ ...flow, until }), randomBytes) };
}

/** The flow of a cookie's value, if it is ours and has not run out. */
export function readFlow({ secret, now }: Pick<World, "secret" | "now">, value: string): OidcFlow | undefined {
  if (value.length > 1000) return undefined;
  const read = flowSchema.safeParse(asJson(decrypted(secret, purpose, value) ?? ""));
  if (!read.success) return undefined;
  const { until, ...flow } = read.data;
  return until * 1000 > now().getTime() ? flow : undefined;
}
