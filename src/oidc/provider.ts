import * as client from "openid-client";
import { Problem } from "../requests/errors.ts";
import type { OidcClaims, OidcProvider } from "../requests/oidc/provider.ts";
import { createIssuerFetch, IssuerError, isAllowed } from "./fetch.ts";

/** The Authorization Code flow with PKCE (OpenID Connect Core 1.0, RFC 7636, RFC 9207), by openid-client. */

interface IssuerOptions {
  /** A URL: https, or http on this machine. */
  issuer: string;
  clientId: string;
  clientSecret: string;
  /** PEM of a private CA. */
  ca?: string;
  /** Milliseconds for each answer. */
  patience?: number;
}

/** Seconds by which two clocks may differ. */
const clocksDiffer = 30;

/** Basic is what OpenID Connect has where the issuer says nothing; some take the other way alone. */
function authenticationBy(secret: string): client.ClientAuth {
  const basic = client.ClientSecretBasic(secret);
  const post = client.ClientSecretPost(secret);
  return (server, ...rest) => {
    const methods = server.token_endpoint_auth_methods_supported ?? ["client_secret_basic"];
    return (methods.includes("client_secret_basic") ? basic : post)(server, ...rest);
  };
}

const endpoints = ["authorization_endpoint", "token_endpoint", "jwks_uri", "userinfo_endpoint"] as const;

/** What the issuer publishes of itself. Throws IssuerError, and errors of openid-client. */
export async function discover({
  issuer,
  clientId,
  clientSecret,
  ...fetching
}: IssuerOptions): Promise<client.Configuration> {
  const url = new URL(issuer);
  const plain = url.protocol === "http:";
  const configuration = await client.discovery(
    url,
    clientId,
    { [client.clockTolerance]: clocksDiffer },
    authenticationBy(clientSecret),
    {
      [client.customFetch]: createIssuerFetch({ ...fetching, plain }),
      // Else the token's signature would be left to TLS.
      execute: [client.enableNonRepudiationChecks, ...(plain ? [client.allowInsecureRequests] : [])],
    },
  );
  const server = configuration.serverMetadata();
  // openid-client lets by some issuers that say another name.
  if (new URL(server.issuer).href !== url.href) throw new IssuerError("the issuer says that it has another URL");
  for (const name of endpoints) {
    const given = server[name];
    if (given === undefined && name !== "userinfo_endpoint") throw new IssuerError(`the issuer names no ${name}`);
    if (given !== undefined && !isAllowed(new URL(given), plain))
      throw new IssuerError(`the issuer's ${name} is not https://`);
  }
  return configuration;
}

/** Names of an error's kind, as the standards and openid-client have them; anything else could be a secret. */
const isCode = (text: unknown): text is string => typeof text === "string" && /^[A-Za-z][A-Za-z0-9_]{1,60}$/.test(text);

function causes(error: unknown): unknown[] {
  const found: unknown[] = [];
  for (let at = error; at !== undefined && at !== null && found.length < 5; at = (at as Error).cause) found.push(at);
  return found;
}

/** Failures of the issuer, or of this installation's place there: the person did nothing wrong. */
const ofInstallation = new Set(["invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"]);

const unavailable = (cause: IssuerError) =>
  new Problem("unavailable", "The sign-in service does not respond as expected: try again.", { retryAfter: 5, cause });

/** The kind of an error that openid-client threw. */
const codeOf = (error: unknown): string => {
  const { error: said, code } = (error ?? {}) as { error?: unknown; code?: unknown };
  return [said, code].find(isCode) ?? "no_code";
};

/** What openid-client threw, without what it carries along: parameters, tokens and claims. */
function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error;
  const chain = causes(error);
  const away = chain.find((one) => one instanceof IssuerError);
  if (away !== undefined) return unavailable(away);
  const code = codeOf(error);
  const { status } = (error ?? {}) as { status?: unknown };
  const other = chain.find((one) => one instanceof Response);
  if (other !== undefined || (typeof status === "number" && status >= 500) || ofInstallation.has(code))
    return unavailable(new IssuerError(`the issuer returned ${other?.status ?? code}`));
  return new Problem("oidc_refused", `The sign-in service refused, or its response is invalid (${code}): start again.`);
}

async function guarded<T>(run: () => Promise<T> | T): Promise<T> {
  try {
    return await run();
  } catch (error) {
    throw problemOf(error);
  }
}

interface Said {
  email?: unknown;
  email_verified?: unknown;
}

/** OpenID Connect Core 1.0, section 2: at most 255 characters. What is no Unicode text would be stored as another one's. */
const isSubject = (sub: string): boolean => sub !== "" && sub.length <= 255 && sub.isWellFormed();

/** Some issuers write the claim as text. */
const isTrue = (claim: unknown): boolean => claim === true || claim === "true";

/** `configuration`: as `discover` answers, anew from time to time; `trustEmails`: an address is verified though the issuer says nothing of it. */
export function createOidcProvider({
  configuration,
  redirectUri,
  scopes,
  trustEmails,
}: {
  configuration: () => Promise<client.Configuration>;
  redirectUri: string;
  scopes: readonly string[];
  trustEmails: boolean;
}): OidcProvider {
  const claimsOf = (issuer: string, subject: string, { email, email_verified: told }: Said): OidcClaims => ({
    issuer,
    subject,
    ...(typeof email === "string" ? { email } : {}),
    isVerified: typeof email === "string" && (isTrue(told) || (trustEmails && told === undefined)),
  });

  /** Without it nobody signs in, so that whatever is wrong with it is no refusal. */
  const found = () =>
    configuration().catch((error: unknown) => {
      const away = causes(error).find((one) => one instanceof IssuerError);
      throw unavailable(away ?? new IssuerError(`the issuer's document cannot be used: ${codeOf(error)}`));
    });

  return {
    begin: ({ state, nonce, verifier }) =>
      guarded(async () => {
        const parameters = {
          redirect_uri: redirectUri,
          scope: scopes.join(" "),
          state,
          nonce,
          code_challenge: await client.calculatePKCECodeChallenge(verifier),
          code_challenge_method: "S256",
        };
        return client.buildAuthorizationUrl(await found(), parameters).href;
      }),
    finish: (query, { state, nonce, verifier }) =>
      guarded(async () => {
        const at = new URL(redirectUri);
        at.search = new URLSearchParams(query).toString();
        const issuer = await found();
        const tokens = await client.authorizationCodeGrant(issuer, at, {
          pkceCodeVerifier: verifier,
          expectedState: state,
          expectedNonce: nonce,
          idTokenExpected: true,
        });
        const claims = tokens.claims();
        if (claims === undefined) throw new IssuerError("the issuer gave no ID token");
        const { iss, sub } = claims;
        if (!isSubject(sub))
          throw new Problem(
            "oidc_refused",
            "The sign-in service gave no valid id (sub) of you: ask its administrator.",
          );
        // Many issuers put the address there alone.
        const has = claims["email"] !== undefined || issuer.serverMetadata().userinfo_endpoint === undefined;
        const told: Said = has ? { ...claims } : await client.fetchUserInfo(issuer, tokens.access_token, sub);
        return claimsOf(iss, sub, told);
      }),
  };
}
