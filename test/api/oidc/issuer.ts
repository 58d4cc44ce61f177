import { createHash, generateKeyPairSync, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWTPayload, SignJWT } from "jose";
import { Provider } from "oidc-provider";
import { atFileEnd } from "../../file-end.ts";

/** A real OpenID provider (oidc-provider, which is certified) on this machine, and the people who sign in there. */

export interface IssuersPerson {
  subject: string;
  email?: string;
  email_verified?: boolean | string;
}

export const newPerson = (more: Partial<IssuersPerson> = {}): IssuersPerson => {
  const id = randomBytes(6).toString("hex");
  return { subject: `subject-${id}`, email: `oidc-${id}@example.com`, email_verified: true, ...more };
};

/** Answers a request in the provider's place; false: the provider answers. */
type Meddler = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface Issuer {
  url: string;
  clientId: string;
  clientSecret: string;
  /** A client of somebody else's. */
  other: { clientId: string; clientSecret: string };
  /** Requests that came, such as `POST /token`. */
  requests: string[];
  /** From now on; the last one counts. */
  meddle(by: Meddler | undefined): void;
  /** Signs the person in at the issuer's page, in a browser of their own; the URL to which the issuer leads the browser back. */
  signIn(page: string, person: IssuersPerson): Promise<URL>;
  /** The answer of the token endpoint to a sign-in of the person at a client of the issuer, as that client gets it. */
  tokensFor(person: IssuersPerson, nonce: string, client?: { clientId: string; clientSecret: string }): Promise<string>;
  /** A token with these claims, signed with the issuer's own key. */
  sign(claims: JWTPayload, alg?: string): Promise<string>;
  /** As anybody may read it. */
  publicKey: string;
  close(): Promise<void>;
}

const setCookies = (jar: Map<string, string>, response: Response): void => {
  for (const line of response.headers.getSetCookie()) {
    const [pair = ""] = line.split(";");
    const at = pair.indexOf("=");
    jar.set(pair.slice(0, at), pair.slice(at + 1));
  }
};

/** `idTokenHasEmail`: whether the ID token has the address; else the userinfo endpoint alone does. */
export async function startIssuer(
  redirectUri: string,
  {
    idTokenHasEmail = true,
    authMethod = "client_secret_basic",
  }: { idTokenHasEmail?: boolean; authMethod?: string } = {},
): Promise<Issuer> {
  const people = new Map<string, IssuersPerson>();
  const requests: string[] = [];
  let meddler: Meddler | undefined;
  let provide: (request: IncomingMessage, response: ServerResponse) => void = () => {};
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url ?? "", "http://localhost");
    requests.push(`${request.method} ${pathname}`);
    if (meddler?.(request, response)) return;
    provide(request, response);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const secretOf = () => randomBytes(24).toString("base64url");
  // Such as a generator of passwords makes: each character is one that Basic must encode.
  const clientSecret = `${secretOf()}:+%/ `.trim();
  const other = { clientId: "other", clientSecret: secretOf() };
  const client = (client_id: string, client_secret: string, method: string) => ({
    client_id,
    client_secret,
    redirect_uris: [redirectUri],
    grant_types: ["authorization_code"],
    response_types: ["code"],
    token_endpoint_auth_method: method,
  });
  const { privateKey, publicKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const key = privateKey.export({ format: "jwk" });
  const provider = new Provider(url, {
    clients: [
      client("rowferry", clientSecret, authMethod),
      client(other.clientId, other.clientSecret, "client_secret_basic"),
    ],
    clientAuthMethods: [authMethod],
    jwks: { keys: [{ ...key, use: "sig", alg: "RS256", kid: "one" }] },
    cookies: { keys: [secretOf()] },
    claims: { openid: ["sub"], email: ["email", "email_verified"] },
    conformIdTokenClaims: !idTokenHasEmail,
    features: { devInteractions: { enabled: false } },
    pkce: { required: () => true },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 600, IdToken: 600, Interaction: 600, Session: 600 },
    interactions: { url: () => "/interaction" },
    findAccount(_context: unknown, subject: string) {
      const { email, email_verified } = people.get(subject) ?? {};
      return { accountId: subject, claims: () => ({ sub: subject, email, email_verified }) };
    },
  });
  const answer = provider.callback();

  /** The person's consent, which a form would ask for. */
  async function interact(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const accountId = String(request.headers["x-person"]);
    const { params } = await provider.interactionDetails(request, response);
    const grant = new provider.Grant({ accountId, clientId: params.client_id });
    grant.addOIDCScope(params.scope);
    const result = { login: { accountId }, consent: { grantId: await grant.save() } };
    await provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  provide = (request, response) => {
    if (request.url !== "/interaction") answer(request, response);
    else interact(request, response).catch((error: unknown) => response.writeHead(500).end(String(error)));
  };

  const issuer: Issuer = {
    url,
    clientId: "rowferry",
    clientSecret,
    other,
    requests,
    meddle(by) {
      meddler = by;
    },
    async signIn(page, person) {
      people.set(person.subject, person);
      const jar = new Map<string, string>();
      let at = new URL(page);
      for (let steps = 0; steps < 10; steps += 1) {
        const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join("; ");
        const response = await fetch(at, { redirect: "manual", headers: { cookie, "x-person": person.subject } });
        setCookies(jar, response);
        const location = response.headers.get("location");
        if (location === null) throw new Error(`${at.pathname}: ${response.status} ${await response.text()}`);
        at = new URL(location, at);
        if (!at.href.startsWith(`${url}/`)) return at;
      }
      throw new Error("the issuer redirects for ever");
    },
    async tokensFor(person, nonce, { clientId, clientSecret: secret } = issuer) {
      const verifier = `${secretOf()}${secretOf()}`;
      const page = new URL(`${url}/auth`);
      page.search = new URLSearchParams({
        client_id: clientId,
        response_type: "code",
        redirect_uri: redirectUri,
        scope: "openid email",
        nonce,
        code_challenge: createHash("sha256").update(verifier).digest("base64url"),
        code_challenge_method: "S256",
      }).toString();
      const code = (await issuer.signIn(page.href, person)).searchParams.get("code") ?? "";
      const credentials = [clientId, secret].map(encodeURIComponent).join(":");
      const answer = await fetch(`${url}/token`, {
        method: "POST",
        headers: { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` },
        body: new URLSearchParams({
          grant_type: "authorization_code",
          code,
          redirect_uri: redirectUri,
          code_verifier: verifier,
        }),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`tokens: ${answer.status} ${text}`);
      return text;
    },
    sign: (claims, alg = "RS256") => new SignJWT(claims).setProtectedHeader({ alg, kid: "one" }).sign(privateKey),
    publicKey: publicKey.export({ format: "pem", type: "spki" }).toString(),
    async close() {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
  atFileEnd(() => issuer.close());
  return issuer;
}
