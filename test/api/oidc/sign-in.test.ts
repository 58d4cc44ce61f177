import { beforeAll, describe, expect, it } from "vitest";
import { oidcCookie } from "../../../src/requests/oidc/flow.ts";
import type { Caller } from "../http.ts";
import { api, provided } from "../world.ts";
import { type Issuer, newPerson, startIssuer } from "./issuer.ts";
import { comeBack, redirectUri, sessionOf, signInBy, start, startOidcReplica } from "./play.ts";

/** Sign-in with OpenID Connect at a real provider, as a browser does it. */

let issuer: Issuer;
let caller: Caller;
beforeAll(async () => {
  issuer = await startIssuer(redirectUri);
  ({ caller } = await startOidcReplica(issuer, { createAccounts: true, name: "Example Login" }));
}, 120_000);

describe("signing in with OpenID Connect", () => {
  it("makes an account for a person who has none, and opens a session that every replica knows", async () => {
    const person = newPerson();
    const answer = await signInBy(caller, issuer, person);
    expect(answer).toMatchObject({ status: 303, headers: { location: `${provided.baseUrl}/` } });
    const cookie = sessionOf(answer);
    const account = await caller.ask("/api/account", { cookie });
    expect(account).toMatchObject({ status: 200, body: { email: person.email, plan: "free" } });
    expect((await api("/api/account", { cookie, replica: 1 })).status).toBe(200);
    const minted = await caller.ask("/api/tokens", {
      cookie,
      headers: { origin: provided.baseUrl },
      body: { name: "ci" },
    });
    expect(minted.status).toBe(201);
    expect((await caller.ask("/api/migrations", { token: minted.body.token })).status).toBe(200);
  });

  it("goes to the issuer with PKCE, state and nonce, in a cookie that only this browser has", async () => {
    const { page, cookie } = await start(caller);
    const url = new URL(page);
    expect(url.href.startsWith(`${issuer.url}/`)).toBe(true);
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: "rowferry",
      response_type: "code",
      redirect_uri: redirectUri,
      scope: "openid email",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
      state: expect.stringMatching(/^[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
    });
    for (const name of ["state", "nonce"]) expect(cookie).not.toContain(url.searchParams.get(name));
    const { headers } = await caller.ask("/api/auth/oidc/start");
    const [line = ""] = headers["set-cookie"] ?? [];
    expect(line.startsWith(`${oidcCookie}=`)).toBe(true);
    expect(
      line
        .split("; ")
        .slice(1)
        .map((one) => one.toLowerCase()),
    ).toEqual(expect.arrayContaining(["secure", "httponly", "samesite=lax", "path=/", "max-age=600"]));
    expect(headers["cache-control"]).toBe("no-store");
  });

  it("leads to the same account again, also when the address at the issuer has changed", async () => {
    const person = newPerson();
    const first = await signInBy(caller, issuer, person);
    const again = await signInBy(caller, issuer, { ...person, email: `new-${person.email}` });
    expect(again.status).toBe(303);
    expect(again.body.account).toEqual(first.body.account);
  });

  it("takes the address from the userinfo endpoint of an issuer whose ID token has none, and the secret in the body", async () => {
    const thin = await startIssuer(redirectUri, { idTokenHasEmail: false, authMethod: "client_secret_post" });
    const replica = await startOidcReplica(thin, { createAccounts: true });
    const person = newPerson();
    expect(await signInBy(replica.caller, thin, person)).toMatchObject({
      status: 303,
      body: { account: { email: person.email } },
    });
    expect(thin.requests).toContain("GET /me");
  });

  it("is listed as a way to sign in where there is one, and is nothing elsewhere", async () => {
    expect((await caller.ask("/api/auth")).body).toEqual({
      password: true,
      oidc: { name: "Example Login", start_url: `${provided.baseUrl}/api/auth/oidc/start` },
    });
    expect((await api("/api/auth")).body).toEqual({ password: true, oidc: null });
    for (const path of ["start", "callback"])
      expect(await api(`/api/auth/oidc/${path}`)).toMatchObject({ status: 404, body: { code: "not_found" } });
  });

  it("deletes the cookie at the end", async () => {
    const { page, cookie } = await start(caller);
    const answer = await comeBack(caller, await issuer.signIn(page, newPerson()), cookie);
    const [line = ""] = answer.headers["set-cookie"] ?? [];
    expect(line).toMatch(new RegExp(`^${oidcCookie}=; Max-Age=0;`));
  });
});
