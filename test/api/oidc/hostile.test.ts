import { readFileSync } from "node:fs";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { newFlow, oidcCookie } from "../../../src/requests/oidc/flow.ts";
import { installed } from "../../../src/resources/crd/installed.ts";
import type { Answer, Caller } from "../http.ts";
import { provided } from "../world.ts";
import { type Issuer, newPerson, startIssuer } from "./issuer.ts";
import { comeBack, redirectUri, sessionOf, signInBy, start, startOidcReplica } from "./play.ts";

/** Attacks on a sign-in with OpenID Connect: by a foreign page, by somebody between, and by the issuer's own answers. */

let issuer: Issuer;
let caller: Caller;
let output: () => string;
beforeAll(async () => {
  issuer = await startIssuer(redirectUri);
  ({ caller, output } = await startOidcReplica(issuer, { createAccounts: true }));
}, 120_000);
afterEach(() => issuer.meddle(undefined));

const refused = { status: 403, body: { code: "oidc_refused" } };
const away = { status: 503, body: { code: "unavailable" } };
const expectRefused = (answer: Answer, as: object = refused) => {
  expect(answer).toMatchObject(as);
  expect(sessionOf(answer)).toBe("");
};
const tokenRequests = () => issuer.requests.filter((one) => one === "POST /token").length;
const nonceOf = (page: string) => new URL(page).searchParams.get("nonce") ?? "";

/** The token endpoint answers with this from now on. */
const answerTokens = (answer: (response: ServerResponse) => void) =>
  issuer.meddle((request, response) => {
    if (request.url !== "/token") return false;
    answer(response);
    return true;
  });
const answerWith = (text: string) =>
  answerTokens((response) => response.writeHead(200, { "content-type": "application/json" }).end(text));

describe("a browser that did not begin the sign-in", () => {
  it("does not end it: no cookie, another's, one that was changed", async () => {
    const [mine, others] = [await start(caller), await start(caller)];
    const at = await issuer.signIn(mine.page, newPerson());
    const before = tokenRequests();
    const changed = `${mine.cookie.slice(0, -8)}${mine.cookie.at(-8) === "A" ? "B" : "A"}${mine.cookie.slice(-7)}`;
    for (const cookie of ["", others.cookie, changed, `${oidcCookie}=`, `${oidcCookie}=${"A".repeat(2000)}`])
      expectRefused(await comeBack(caller, at, cookie));
    expect(tokenRequests()).toBe(before);
    expect((await comeBack(caller, at, mine.cookie)).status).toBe(303);
  });

  it("does not end it with another state, or without", async () => {
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    const before = tokenRequests();
    for (const state of ["", "x", `${at.searchParams.get("state")}x`, undefined]) {
      const other = new URL(at);
      if (state === undefined) other.searchParams.delete("state");
      else other.searchParams.set("state", state);
      expectRefused(await comeBack(caller, other, cookie));
    }
    expect(tokenRequests()).toBe(before);
  });

  it("does not end it after ten minutes", async () => {
    const world = {
      secret: readFileSync(join(provided.folder, installed.apiKeys, "secret")),
      randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
    };
    const at = (minutes: number) => newFlow({ ...world, now: () => new Date(Date.now() - minutes * 60_000) });
    const [late, timely] = [at(10.1), at(9)];
    const back = ({ flow }: typeof late) => new URL(`${redirectUri}?code=x&iss=${issuer.url}&state=${flow.state}`);
    const before = tokenRequests();
    expectRefused(await comeBack(caller, back(late), `${oidcCookie}=${late.value}`));
    expect(tokenRequests()).toBe(before);
    // The issuer knows no such code.
    expectRefused(await comeBack(caller, back(timely), `${oidcCookie}=${timely.value}`));
    expect(tokenRequests()).toBe(before + 1);
  });

  it("does not end it a second time", async () => {
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    expect((await comeBack(caller, at, cookie)).status).toBe(303);
    expectRefused(await comeBack(caller, at, cookie));
  });

  it("is led to no page but the service's own, whatever the query says", async () => {
    const evil = ["redirect_uri", "return_to", "next", "url"].map((name) => `${name}=https://evil.example/`).join("&");
    expect((await caller.ask(`/api/auth/oidc/start?${evil}`)).status).toBe(422);
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    const answer = await caller.ask(`${at.pathname}${at.search}&${evil}`, {
      cookie,
      headers: { host: "evil.example", "x-forwarded-host": "evil.example" },
    });
    expect(answer).toMatchObject({ status: 303, headers: { location: `${provided.baseUrl}/` } });
  });

  it("is refused when the person refuses, in words of ours", async () => {
    const { page, cookie } = await start(caller);
    const state = new URL(page).searchParams.get("state") ?? "";
    const query = { error: "access_denied", error_description: "<b>planted</b>", state, iss: issuer.url };
    const answer = await comeBack(caller, new URL(`${redirectUri}?${new URLSearchParams(query)}`), cookie);
    expectRefused(answer);
    expect(answer.body.detail).toContain("access_denied");
    expect(answer.text).not.toContain("planted");
  });
});

describe("a token that is not of this sign-in is refused", () => {
  it("of an earlier one: its nonce is another", async () => {
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    answerWith(await issuer.tokensFor(newPerson(), "of-another-sign-in"));
    expectRefused(await comeBack(caller, at, cookie));
  });

  it("of another client of the issuer", async () => {
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    answerWith(await issuer.tokensFor(newPerson(), nonceOf(page), issuer.other));
    expectRefused(await comeBack(caller, at, cookie));
  });

  it.each<[string, (token: string, victim: string) => string]>([
    ["whose subject was changed", (token, victim) => rewritten(token, {}, { sub: victim })],
    [
      "without a signature",
      (token, victim) => `${rewritten(token, { alg: "none" }, { sub: victim }).replace(/[^.]*$/, "")}`,
    ],
    ["signed with another algorithm", (token) => rewritten(token, { alg: "HS256" }, {})],
    ["of another issuer", (token) => rewritten(token, {}, { iss: "https://evil.example" })],
    ["that has run out", (token) => rewritten(token, {}, { exp: 1, iat: 0 })],
    ["that is none", () => "planted"],
  ])("%s", async (_what, change) => {
    const victim = newPerson();
    expect((await signInBy(caller, issuer, victim)).status).toBe(303);
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    const tokens = JSON.parse(await issuer.tokensFor(newPerson(), nonceOf(page)));
    answerWith(JSON.stringify({ ...tokens, id_token: change(tokens.id_token, victim.subject) }));
    expectRefused(await comeBack(caller, at, cookie));
    // Unchanged it would have done.
    answerWith(JSON.stringify(tokens));
    expect((await comeBack(caller, at, cookie)).status).toBe(303);
  });

  it("from an issuer that another name comes with, or none", async () => {
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    const before = tokenRequests();
    for (const iss of ["https://evil.example", `${issuer.url}/`, undefined]) {
      const other = new URL(at);
      if (iss === undefined) other.searchParams.delete("iss");
      else other.searchParams.set("iss", iss);
      expectRefused(await comeBack(caller, other, cookie));
    }
    expect(tokenRequests()).toBe(before);
  });
});

/** A JWT with other fields, and the signature that it had. */
function rewritten(token: string, header: object, claims: object): string {
  const [head = "", body = "", signature = ""] = token.split(".");
  const change = (part: string, more: object) =>
    Buffer.from(JSON.stringify({ ...JSON.parse(Buffer.from(part, "base64url").toString()), ...more })).toString(
      "base64url",
    );
  return [change(head, header), change(body, claims), signature].join(".");
}

describe("an issuer that does not answer as it should", () => {
  it.each<[string, (response: ServerResponse) => void, object]>([
    ["500", (response) => response.writeHead(500).end("planted"), away],
    ["a page", (response) => response.writeHead(200, { "content-type": "text/html" }).end("planted"), away],
    ["a cut connection", (response) => response.destroy(), away],
    ["more than a million bytes", (response) => endless(response), away],
    ["nothing for ten seconds", () => {}, away],
    [
      "that our own client is wrong",
      (response) => response.writeHead(401, { "content-type": "application/json" }).end('{"error":"invalid_client"}'),
      away,
    ],
    [
      "JSON that is none",
      (response) => response.writeHead(200, { "content-type": "application/json" }).end("{"),
      refused,
    ],
  ])("with %s opens no session", async (_what, answer, as) => {
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    answerTokens(answer);
    const found = await comeBack(caller, at, cookie);
    expectRefused(found, as);
    expect(found.text).not.toContain("planted");
  });

  it("is not followed elsewhere", async () => {
    let asked = 0;
    const elsewhere = createServer((_request, response) => {
      asked += 1;
      response.end("{}");
    });
    await new Promise<void>((resolve) => elsewhere.listen(0, "127.0.0.1", resolve));
    const { port } = elsewhere.address() as AddressInfo;
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, newPerson());
    answerTokens((response) => response.writeHead(307, { location: `http://127.0.0.1:${port}/token` }).end());
    expectRefused(await comeBack(caller, at, cookie), away);
    expect(asked).toBe(0);
    elsewhere.close();
  });

  const documents: [string, (about: Record<string, unknown>) => Record<string, unknown>][] = [
    ["another name", (about) => ({ ...about, issuer: "https://evil.example" })],
    ["a token endpoint without TLS elsewhere", (about) => ({ ...about, token_endpoint: "http://192.0.2.1/token" })],
    ["a page that is a script", (about) => ({ ...about, authorization_endpoint: "javascript:alert(1)" })],
    ["keys in a file", (about) => ({ ...about, jwks_uri: "file:///etc/passwd" })],
    ["no keys", ({ jwks_uri: _none, ...about }) => about],
    ["more than a million bytes", (about) => ({ ...about, planted: "x".repeat(1_000_000) })],
  ];
  it("is not used when its document says what cannot be; and is, once it is right", async () => {
    const other = await startIssuer(redirectUri);
    const published = await fetch(`${other.url}/.well-known/openid-configuration`);
    const about = (await published.json()) as Record<string, unknown>;
    const replica = await startOidcReplica(other, { createAccounts: true });
    for (const [what, change] of documents) {
      other.meddle((request, response) => {
        if (request.url !== "/.well-known/openid-configuration") return false;
        response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(change(about)));
        return true;
      });
      expect(await replica.caller.ask("/api/auth/oidc/start"), what).toMatchObject({
        ...away,
        headers: { "retry-after": "5" },
      });
    }
    other.meddle(undefined);
    expect((await signInBy(replica.caller, other, newPerson())).status).toBe(303);
  });

  it("keeps nobody with a password from signing in, nor the API from starting", async () => {
    const gone = await startIssuer(redirectUri);
    await gone.close();
    const replica = await startOidcReplica(gone, { createAccounts: true });
    expect(await replica.caller.ask("/api/auth/oidc/start")).toMatchObject(away);
    const body = { email: newPerson().email, password: "correct horse battery" };
    expect((await replica.caller.ask("/api/account", { body })).status).toBe(201);
    expect((await replica.caller.ask("/api/session", { body })).status).toBe(200);
  });
});

function endless(response: ServerResponse): void {
  response.writeHead(200, { "content-type": "application/json" });
  const part = Buffer.alloc(65_536, " ");
  const more = () => {
    while (response.write(part));
    response.once("drain", more);
  };
  more();
}

describe("failures", () => {
  it("are limited by address; a sign-in that succeeds does not count", async () => {
    const limits = { credentials_address: [{ points: 3, seconds: 900 }] };
    const replica = await startOidcReplica(
      issuer,
      { createAccounts: true },
      { ROWFERRY_LIMITS: JSON.stringify(limits) },
    );
    const person = newPerson();
    for (let count = 0; count < 5; count += 1)
      expect((await signInBy(replica.caller, issuer, person)).status).toBe(303);
    const { page, cookie } = await start(replica.caller);
    const at = await issuer.signIn(page, person);
    const wrong = new URL(at);
    wrong.searchParams.set("code", "planted");
    const before = tokenRequests();
    for (let count = 0; count < 3; count += 1) expectRefused(await comeBack(replica.caller, wrong, cookie));
    expect(await comeBack(replica.caller, wrong, cookie)).toMatchObject({
      status: 429,
      headers: { "retry-after": expect.stringMatching(/^\d+$/) },
    });
    expect(tokenRequests()).toBe(before + 3);
  });

  it("and sign-ins leave no code, state, token, secret or address in the log", async () => {
    const person = newPerson();
    const { page, cookie } = await start(caller);
    const at = await issuer.signIn(page, person);
    const tokens = JSON.parse(await issuer.tokensFor(person, nonceOf(page)));
    answerWith(JSON.stringify(tokens));
    const answer = await comeBack(caller, at, cookie);
    expect(answer.status).toBe(303);
    answerWith(JSON.stringify({ ...tokens, id_token: rewritten(tokens.id_token, {}, { sub: "x" }) }));
    expectRefused(await comeBack(caller, at, cookie));
    const written = output();
    expect(written).toContain(answer.body.account.id);
    const secrets = {
      code: at.searchParams.get("code"),
      state: at.searchParams.get("state"),
      nonce: nonceOf(page),
      cookie: cookie.split("=")[1],
      session: sessionOf(answer).split("=")[1],
      accessToken: tokens.access_token,
      idToken: tokens.id_token.split(".")[1],
      clientSecret: issuer.clientSecret,
      email: person.email,
      subject: person.subject,
    };
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret?.length, name).toBeGreaterThan(8);
      expect(written.includes(String(secret)), name).toBe(false);
    }
  });
});
