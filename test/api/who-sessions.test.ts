import { describe, expect, it } from "vitest";
import { cookieOf, known, origin, signIn } from "./who.ts";
import { api, signUp, startReplica } from "./world.ts";

/** Sessions and changed passwords, over two replicas. */

describe("a session", () => {
  it("changes things from our own origin alone, and a preflight of a foreign page allows nothing", async () => {
    const { cookie } = await signUp();
    const mint = (headers: Record<string, string>) => api("/api/tokens", { cookie, headers, body: { name: "x" } });
    expect((await mint({ origin })).status).toBe(201);
    for (const headers of [{}, { origin: "https://evil.example" }, { origin: "null" }] as Record<string, string>[])
      expect(await mint(headers)).toMatchObject({ status: 403, body: { code: "origin_refused" } });
    const preflight = await api("/api/tokens", {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(preflight.headers["access-control-allow-origin"]).toBeUndefined();
  });

  it("that signs out ends on every replica before the answer, and the others stay", async () => {
    const { email, password: right, token } = await signUp();
    const [one, other] = [cookieOf(await signIn(email, right)), cookieOf(await signIn(email, right, 1))];
    expect(await known(one)).toEqual([200, 200]);
    const out = await api("/api/session", { method: "DELETE", cookie: one, headers: { origin } });
    expect(out.status).toBe(200);
    expect(out.headers["set-cookie"]?.[0]).toMatch(/Max-Age=0/i);
    expect(await known(one)).toEqual([401, 401]);
    expect(await known(other)).toEqual([200, 200]);
    expect((await api("/api/account", { token })).status).toBe(200);
    expect((await api("/api/session", { method: "DELETE", cookie: one, headers: { origin } })).status).toBe(401);
  });

  it("is none with another replica's key, or altered", async () => {
    const { cookie } = await signUp();
    const [name, value = ""] = cookie.split("=");
    const payload = JSON.parse(Buffer.from(value.split(".")[0] ?? "", "base64url").toString());
    const forged = Buffer.from(JSON.stringify({ ...payload, account: `a${"0".repeat(40)}` })).toString("base64url");
    for (const text of [`${forged}.${value.split(".")[1]}`, `${forged}.`, value.slice(0, -3), `${value}x`, "null"])
      expect(await known(`${name}=${text}`)).toEqual([401, 401]);
  });
});

describe("a changed password", () => {
  const change = (cookie: string, from: string, to: string) =>
    api("/api/account", { method: "PATCH", cookie, headers: { origin }, body: { password: from, new_password: to } });

  it("ends every session on every replica before the answer, keeps tokens, and gives a new session", async () => {
    const { email, password: old, token, cookie } = await signUp();
    const other = cookieOf(await signIn(email, old, 1));
    const next = "staple correct horse";
    const changed = await change(cookie, old, next);
    expect(changed.status).toBe(200);
    expect(await Promise.all([cookie, other].map(known))).toEqual([
      [401, 401],
      [401, 401],
    ]);
    expect(await known(cookieOf(changed))).toEqual([200, 200]);
    expect((await api("/api/account", { token, replica: 1 })).status).toBe(200);
    expect((await signIn(email, old)).status).toBe(401);
    expect((await signIn(email, next, 1)).status).toBe(200);
  });

  it("revokes every token on every replica before the answer, on request, and no other account's", async () => {
    const { token, cookie, password: old } = await signUp();
    const other = await signUp();
    const more = await api("/api/tokens", { token, body: { name: "stolen" } });
    const body = { password: old, new_password: "staple correct horse", revoke_tokens: true };
    const changed = await api("/api/account", { method: "PATCH", cookie, headers: { origin }, body });
    expect(changed.status).toBe(200);
    for (const replica of [0, 1])
      for (const one of [token, String(more.body.token)])
        expect((await api("/api/account", { token: one, replica })).status).toBe(401);
    expect(await known(cookieOf(changed))).toEqual([200, 200]);
    expect((await api("/api/tokens", { cookie: cookieOf(changed) })).body.data).toEqual([]);
    expect((await api("/api/account", { token: other.token })).status).toBe(200);
  });

  it("needs the present one, and a new one that can be one", async () => {
    const { email, password: old, cookie } = await signUp();
    expect(await change(cookie, "a wrong password", "staple correct horse")).toMatchObject({
      status: 422,
      body: { errors: [{ field: "password" }] },
    });
    expect(await change(cookie, old, "short")).toMatchObject({
      status: 422,
      body: { errors: [{ field: "new_password" }] },
    });
    expect((await signIn(email, old)).status).toBe(200);
    expect(await known(cookie)).toEqual([200, 200]);
  });

  it("is guessed no faster than a sign-in", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const { token, password: old } = await signUp();
    const ask = (from: string) =>
      caller.ask("/api/account", { method: "PATCH", token, body: { password: from, new_password: `${old} 2` } });
    for (let count = 0; count < 10; count += 1) expect((await ask(`wrong ${count}`)).status).toBe(422);
    expect((await ask(old)).status).toBe(429);
  });

  it("is not kept from its owner by guesses with a stolen token, those that it mints, or a stolen session", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const { email, token, cookie, password: old } = await signUp();
    const stolen = cookieOf(await signIn(email, old));
    const ask = (by: { token?: string; cookie?: string }, from: string) =>
      caller.ask("/api/account", {
        method: "PATCH",
        headers: { origin },
        body: { password: from, new_password: `${old} 2` },
        ...by,
      });
    const minted = await caller.ask("/api/tokens", { token, body: { name: "more" } });
    const tokens = [token, String(minted.body.token)];
    for (let count = 0; count < 10; count += 1)
      expect((await ask({ token: tokens[count % 2] ?? "" }, "wrong")).status).toBe(422);
    for (const one of tokens) expect((await ask({ token: one }, old)).status).toBe(429);
    for (let count = 0; count < 10; count += 1) expect((await ask({ cookie: stolen }, "wrong")).status).toBe(422);
    expect((await ask({ cookie: stolen }, old)).status).toBe(429);
    expect((await ask({ cookie }, old)).status).toBe(200);
  });

  it("of two changes at once is one of theirs", async () => {
    const { email, password: old, token } = await signUp();
    const answers = await Promise.all(
      ["first of the two", "second of the two"].map((next, replica) =>
        api("/api/account", { method: "PATCH", token, replica, body: { password: old, new_password: next } }),
      ),
    );
    const holding = (
      await Promise.all(["first of the two", "second of the two"].map((next) => signIn(email, next)))
    ).map(({ status }) => status);
    expect(holding.toSorted()).toEqual([200, 401]);
    expect(answers[holding.indexOf(200)]?.status).toBe(200);
    expect((await signIn(email, old)).status).toBe(401);
  });
});
