import { createHmac } from "node:crypto";
import { decodeJwt, type JWTPayload } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { oidcCookie } from "../../../src/requests/oidc/flow.ts";
import { sessionCookie } from "../../../src/requests/sessions/session.ts";
import type { Answer, Caller } from "../http.ts";
import { type Issuer, type IssuersPerson, newPerson, startIssuer } from "./issuer.ts";
import { comeBack, redirectUri, sessionOf, signInBy, start, startOidcReplica } from "./play.ts";

/** Attacks by who has something genuine: the issuer's signature for another purpose, a code, a session. */

let issuer: Issuer;
let caller: Caller;
beforeAll(async () => {
  issuer = await startIssuer(redirectUri);
  ({ caller } = await startOidcReplica(issuer, { createAccounts: true }));
}, 120_000);

const expectRefused = (answer: Answer) => {
  expect(answer).toMatchObject({ status: 403, body: { code: "oidc_refused" } });
  expect(sessionOf(answer)).toBe("");
};

/** What the callback answers where the token endpoint gives this ID token, made from the genuine one's claims. */
async function forged(
  make: (claims: JWTPayload, genuine: string) => string | Promise<string>,
  person: IssuersPerson = newPerson(),
  of = issuer,
  by = caller,
): Promise<Answer> {
  const { page, cookie } = await start(by);
  const at = await of.signIn(page, person);
  const tokens = JSON.parse(await of.tokensFor(person, new URL(page).searchParams.get("nonce") ?? ""));
  const id_token = await make(decodeJwt(tokens.id_token), tokens.id_token);
  of.meddle((request, response) => {
    if (request.url !== "/token") return false;
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify({ ...tokens, id_token }));
    return true;
  });
  try {
    return await comeBack(by, at, cookie);
  } finally {
    of.meddle(undefined);
  }
}

/** HS256, with a text that everybody knows as the key. */
function bySecret(claims: JWTPayload, secret: string): string {
  const part = (object: object) => Buffer.from(JSON.stringify(object)).toString("base64url");
  const text = `${part({ alg: "HS256", kid: "one" })}.${part(claims)}`;
  return `${text}.${createHmac("sha256", secret).update(text).digest("base64url")}`;
}

describe("an ID token with the issuer's own signature", () => {
  it("opens a session where all is as it should be", async () => {
    expect((await forged((claims) => issuer.sign(claims))).status).toBe(303);
    // Also one of several audiences, which says that it was made for this one.
    const many = await forged((claims) => issuer.sign({ ...claims, aud: ["rowferry", "other"], azp: "rowferry" }));
    expect(many.status).toBe(303);
    expect((await forged((claims) => issuer.sign({ ...claims, sub: "s".repeat(255) }))).status).toBe(303);
  });

  it.each<[string, (claims: JWTPayload) => JWTPayload]>([
    ["for another audience", (claims) => ({ ...claims, aud: "other" })],
    ["for an audience that begins alike", (claims) => ({ ...claims, aud: "rowferry2" })],
    ["for several, made for another", (claims) => ({ ...claims, aud: ["rowferry", "other"], azp: "other" })],
    [
      "for several, of none of which it says that it was made for it",
      (claims) => ({ ...claims, aud: ["rowferry", "x"] }),
    ],
    ["of another issuer's name", (claims) => ({ ...claims, iss: "https://evil.example" })],
    ["of the issuer's name with a slash", (claims) => ({ ...claims, iss: `${claims.iss}/` })],
    ["without a nonce", ({ nonce: _nonce, ...claims }) => claims],
    ["with two nonces", (claims) => ({ ...claims, nonce: [claims["nonce"], "x"] })],
    ["without an end", ({ exp: _exp, ...claims }) => claims],
    ["whose end is past the clocks' difference", (claims) => ({ ...claims, exp: Date.now() / 1000 - 31 })],
    ["that begins later", (claims) => ({ ...claims, nbf: Date.now() / 1000 + 60 })],
    ["without a subject", ({ sub: _sub, ...claims }) => claims],
    ["with an empty subject", (claims) => ({ ...claims, sub: "" })],
    ["with a subject of more characters than one has", (claims) => ({ ...claims, sub: "s".repeat(256) })],
    ["with half a character in its subject", (claims) => ({ ...claims, sub: "s\ud800" })],
    ["with a subject that is no text", (claims) => ({ ...claims, sub: 1 as unknown as string })],
  ])("is refused %s", async (_what, change) => {
    expectRefused(await forged((claims) => issuer.sign(change(claims))));
  });

  it("is no password made of the public key, nor of the client's name", async () => {
    for (const secret of [issuer.publicKey, issuer.publicKey.trim(), issuer.clientId])
      expectRefused(await forged((claims) => bySecret(claims, secret)));
    expectRefused(await forged((_claims, genuine) => `${genuine.split(".").slice(0, 2).join(".")}.`));
  });

  it("opens no account by an address that is not one text, or not verified by the word", async () => {
    const victim = newPerson();
    expect((await signInBy(caller, issuer, victim)).status).toBe(303);
    const { email = "" } = victim;
    const claims: object[] = [
      { email: [email] },
      { email: { toString: email } },
      { email: `${email},eve@evil.example` },
      { email: `${email}\u0000@evil.example` },
      { email: `eve@evil.example ${email}` },
      { email, email_verified: "yes" },
      { email, email_verified: 1 },
      { email, email_verified: [true] },
      { email, email_verified: { valueOf: true } },
    ];
    for (const more of claims)
      expectRefused(await forged((given) => issuer.sign({ ...given, ...more, sub: newPerson().subject })));
    // One that is verified, and the victim's: whose account it is, only its owner says.
    const taken = await forged((given) => issuer.sign({ ...given, email, email_verified: true, sub: "thief" }));
    expect(taken).toMatchObject({ status: 409, body: { code: "oidc_not_linked" } });
    expect(sessionOf(taken)).toBe("");
  });

  it("takes no address that the userinfo endpoint gives of another subject", async () => {
    const other = await startIssuer(redirectUri, { idTokenHasEmail: false });
    const replica = await startOidcReplica(other, { createAccounts: true });
    const [person, victim] = [newPerson(), newPerson()];
    const { page, cookie } = await start(replica.caller);
    const at = await other.signIn(page, person);
    other.meddle((request, response) => {
      if (!request.url?.startsWith("/me")) return false;
      const { subject: sub, email } = victim;
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ sub, email, email_verified: true }));
      return true;
    });
    expectRefused(await comeBack(replica.caller, at, cookie));
    other.meddle(undefined);
    expect((await signInBy(replica.caller, other, person)).status).toBe(303);
  });
});

describe("a code", () => {
  it("of another browser's sign-in ends none that a thief began", async () => {
    const [victims, thiefs] = [await start(caller), await start(caller)];
    const at = await issuer.signIn(victims.page, newPerson());
    at.searchParams.set("state", new URL(thiefs.page).searchParams.get("state") ?? "");
    expectRefused(await comeBack(caller, at, thiefs.cookie));
  });

  it.each(["code=a&code=b", "state=x&state=y", "iss=a&iss=b", "code[]=a", "code=%00", "state=%f0%9f%92%a9"])(
    "in a query that is none of an issuer's is not sent to it: %s",
    async (query) => {
      const { cookie } = await start(caller);
      const before = issuer.requests.length;
      const answer = await caller.ask(`/api/auth/oidc/callback?${query}`, { cookie });
      expect([403, 422]).toContain(answer.status);
      expect(issuer.requests.length).toBe(before);
    },
  );
});

describe("a session that was there before", () => {
  it("is not the one that a sign-in opens", async () => {
    const thiefs = sessionOf(await signInBy(caller, issuer, newPerson()));
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    const victims = sessionOf(await comeBack(caller, at, `${thiefs}; ${cookie}`));
    expect(victims).toMatch(new RegExp(`^${sessionCookie}=`));
    expect(victims).not.toBe(thiefs);
    const email = async (session: string) => (await caller.ask("/api/account", { cookie: session })).body.email;
    expect(await email(victims)).not.toBe(await email(thiefs));
  });

  it("links nothing to the account that a thief's cookie of a sign-in names", async () => {
    const session = sessionOf(await signInBy(caller, issuer, newPerson()));
    const victim = newPerson();
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, victim);
    // A sign-in, though somebody is signed in: it opens the victim's own account, and links nothing.
    const answer = await comeBack(caller, at, `${session}; ${cookie}`);
    expect(answer).toMatchObject({ status: 303, body: { message: "Signed in.", account: { email: victim.email } } });
    expect(answer.headers["set-cookie"]?.some((line) => line.startsWith(`${oidcCookie}=;`))).toBe(true);
  });
});
