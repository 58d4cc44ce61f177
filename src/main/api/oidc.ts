import { X509Certificate } from "node:crypto";
import { readFile } from "node:fs/promises";
import * as z from "zod";
import { isAllowed } from "../../oidc/fetch.ts";
import { createOidcProvider, discover } from "../../oidc/provider.ts";
import type { Oidc } from "../../requests/oidc/provider.ts";
import { remembered } from "../remembered.ts";
import { json } from "../settings.ts";

/** Sign-in with OpenID Connect as the chart's `api.oidc` sets it. */

function isIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const url = new URL(text);
  const { username, password, search, hash, href } = url;
  return isAllowed(url, true) && [username, password, search, hash].join("") === "" && !href.includes("/.well-known/");
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).ca;
  } catch {
    return false;
  }
}

const domain = /^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z]([a-z0-9-]{0,61}[a-z0-9])?$/;

const oidcSchema = z.strictObject({
  issuer: z.string().max(300).refine(isIssuer, {
    error:
      "must be the issuer's https:// URL, such as https://login.example.com, without query and /.well-known; http:// is allowed for this machine only",
  }),
  clientId: z.string().min(1, { error: "must not be empty" }),
  scopes: z
    .array(z.string().regex(/^[\x21\x23-\x5b\x5d-\x7e]+$/))
    .refine((scopes) => scopes.includes("openid"), { error: "must include openid" })
    .default(["openid", "email"]),
  name: z.string().min(1).max(100).default("OpenID Connect"),
  only: z.boolean().default(false),
  createAccounts: z.boolean().default(false),
  allowedDomains: z
    .array(
      z.string().toLowerCase().regex(domain, { error: "must be a domain in ASCII, such as example.com, without @" }),
    )
    .default([]),
  trustEmails: z.boolean().default(false),
  ca: z.string().refine(isCertificate, { error: "must be a CA certificate in PEM" }).exactOptional(),
});

export const oidcSetting = json(oidcSchema.nullable(), "null");

/** Milliseconds after which what the issuer publishes is read anew. */
const kept = 3_600_000;

/** Undefined where there are no settings. Throws an Error where the secret is missing. */
export async function createOidc({
  settings,
  secretFile,
  baseUrl,
  now,
}: {
  settings: z.output<typeof oidcSetting>;
  secretFile: string | undefined;
  baseUrl: string;
  now: () => number;
}): Promise<Oidc | undefined> {
  if (settings === null) return undefined;
  if (secretFile === undefined) throw new Error("ROWFERRY_OIDC is set and ROWFERRY_OIDC_SECRET_FILE is not");
  const clientSecret = (await readFile(secretFile, "utf8")).trim();
  if (clientSecret === "") throw new Error(`${secretFile} is empty: it must contain the client secret`);
  const { issuer, clientId, ca, scopes, trustEmails, ...others } = settings;
  const about = { issuer, clientId, clientSecret, ...(ca === undefined ? {} : { ca }) };
  return {
    provider: createOidcProvider({
      configuration: remembered(() => discover(about), { kept, now }),
      redirectUri: `${baseUrl}/api/auth/oidc/callback`,
      scopes,
      trustEmails,
    }),
    ...others,
  };
}
