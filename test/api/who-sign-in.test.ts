import { describe, expect, it } from "vitest";
import { deviceCookie } from "../../src/requests/sessions/device.ts";
import { until } from "../operator/control-plane.ts";
import type { Answer } from "./http.ts";
import { openRedis } from "./redis.ts";
import { origin, signIn } from "./who.ts";
import { api, newEmail, signUp, startReplica } from "./world.ts";

/** Signing in, and guessing. */

/** The header by which a browser shows the device that an answer set. */
const deviceFrom = (answer: Answer) =>
  answer.headers["set-cookie"]?.find((line) => line.startsWith(deviceCookie))?.split(";")[0] ?? "";

describe("signing in", () => {
  it("answers an unknown address and a wrong password alike", async () => {
    const { email } = await signUp();
    const wrong = await signIn(email, "a wrong password");
    const unknown = await signIn(newEmail(), "a wrong password", 1);
    for (const answer of [wrong, unknown]) expect(answer.status).toBe(401);
    const { request_id: _one, ...first } = wrong.body;
    const { request_id: _other, ...second } = unknown.body;
    expect(first).toEqual(second);
    expect(wrong.headers["set-cookie"]).toBeUndefined();
  });

  it("is slowed by account and address, and a success costs nothing", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const { email, password: right } = await signUp();
    const ask = (secret: string) => caller.ask("/api/session", { body: { email, password: secret } });
    for (let count = 0; count < 15; count += 1) expect((await ask(right)).status).toBe(200);
    for (let count = 0; count < 10; count += 1) expect((await ask(`wrong ${count}`)).status).toBe(401);
    const refused = await ask(right);
    expect(refused).toMatchObject({ status: 429, body: { code: "rate_limited" } });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    expect(Number(refused.headers["retry-after"])).toBeLessThanOrEqual(900);
    // Others are not slowed with it.
    const { email: other, password: others } = await signUp();
    expect((await caller.ask("/api/session", { body: { email: other, password: others } })).status).toBe(200);
  });

  it("is slowed for strangers who guess, from one address or many, and not for its owner elsewhere or where it signed in before", async () => {
    const { caller } = await startReplica({
      ROWFERRY_LIMITS: '{"credentials_account":[{"points":15,"seconds":900}]}',
      ROWFERRY_TRUSTED_PROXIES: "127.0.0.1/32",
    });
    const { email, password: right } = await signUp();
    const ask = (address: string, secret: string, cookie?: string) =>
      caller.ask("/api/session", {
        body: { email, password: secret },
        headers: { "x-forwarded-for": address },
        ...(cookie === undefined ? {} : { cookie }),
      });
    const first = await ask("192.0.2.1", right);
    const device = deviceFrom(first);
    expect(first.headers["set-cookie"]?.find((line) => line.startsWith(deviceCookie))).toMatch(
      /^__Host-rowferry-device=[0-9a-f]{24}\.0\.[0-9a-f-]{36}\.[\w-]{43}; Max-Age=31536000; Path=\/; .*HttpOnly; Secure; SameSite=Lax$/,
    );
    expect((await api("/api/account", { cookie: device })).status).toBe(401);

    for (let count = 0; count < 10; count += 1) expect((await ask("203.0.113.1", `wrong ${count}`)).status).toBe(401);
    expect((await ask("203.0.113.1", right)).status).toBe(429);
    expect((await ask("198.51.100.7", right)).status).toBe(200);
    for (let count = 0; count < 5; count += 1) expect((await ask(`203.0.114.${count}`, "wrong")).status).toBe(401);
    const slowed = await ask("198.51.100.7", right);
    expect(slowed).toMatchObject({ status: 429, headers: { "ratelimit-policy": '"credentials_account";q=15;w=900' } });

    const again = await ask("198.51.100.7", right, device);
    expect(again.status).toBe(200);
    expect(deviceFrom(again)).toBe(device);
    // Another's device is none here, and this one's guesses come to an end too.
    const other = await signUp();
    const others = await caller.ask("/api/session", { body: { email: other.email, password: other.password } });
    expect((await ask("198.51.100.7", right, deviceFrom(others))).status).toBe(429);
    for (let count = 0; count < 10; count += 1)
      expect((await ask("198.51.100.7", `wrong ${count}`, device)).status).toBe(401);
    expect((await ask("198.51.100.7", right, device)).status).toBe(429);
  });

  it("is slowed in a browser that signed in before the password changed as in any other, and not in the one that changed it", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const { email, password: old, cookie } = await signUp();
    const next = "staple correct horse";
    const ask = (secret: string, device: string) =>
      caller.ask("/api/session", { body: { email, password: secret }, cookie: device });
    const before = deviceFrom(await ask(old, ""));
    const changed = await caller.ask("/api/account", {
      method: "PATCH",
      cookie: `${cookie}; ${before}`,
      headers: { origin },
      body: { password: old, new_password: next },
    });
    expect(changed.status).toBe(200);
    const after = deviceFrom(changed);
    for (let count = 0; count < 10; count += 1) expect((await ask(old, before)).status).toBe(401);
    for (const elsewhere of [before, ""])
      expect(await ask(next, elsewhere)).toMatchObject({
        status: 429,
        headers: { "ratelimit-policy": '"credentials_account_and_address";q=10;w=900' },
      });
    const signedIn = await ask(next, after);
    expect(signedIn.status).toBe(200);
    expect(deviceFrom(signedIn)).toBe(after);
  });

  it("is slowed by address over many accounts; guesses that are sent at once count too", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}" });
    const answers = await Promise.all(
      Array.from({ length: 90 }, (_, at) =>
        caller.ask("/api/session", {
          body: { email: newEmail(), password: "a wrong password" },
          // A stranger's word for where it comes from counts for nothing.
          headers: { "x-forwarded-for": `192.0.2.${at}`, forwarded: `for=192.0.2.${at}`, "x-real-ip": `192.0.2.${at}` },
        }),
      ),
    );
    const count = (status: number) => answers.filter((answer) => answer.status === status).length;
    expect(count(401)).toBeGreaterThan(0);
    expect(count(401)).toBeLessThanOrEqual(50);
    expect(answers.filter(({ status }) => ![401, 429, 503].includes(status)).map(({ text }) => text)).toEqual([]);
  });

  it("is slowed by account over two replicas as over one", async () => {
    const redis = await openRedis();
    try {
      const settings = { ROWFERRY_LIMITS: "{}", ROWFERRY_REDIS_URL: redis.url };
      const both = await Promise.all([startReplica(settings), startReplica(settings)]);
      const { email, password: right } = await signUp();
      const ask = (at: number, secret: string) =>
        both[at % 2]?.caller.ask("/api/session", { body: { email, password: secret } });
      await until("both to count in Redis", async () => {
        const answers = await Promise.all([ask(0, right), ask(1, right)]);
        return answers.every((answer) => answer?.status === 200);
      });
      for (let count = 0; count < 10; count += 1) expect((await ask(count, `wrong ${count}`))?.status).toBe(401);
      expect([(await ask(0, right))?.status, (await ask(1, right))?.status]).toEqual([429, 429]);
    } finally {
      await redis.close();
    }
  });

  it.each([
    ["there", 200],
    ["not there", 401],
  ])(
    "hashes for an account that is %s, and beyond what can be hashed at once is refused as busy",
    async (which, usual) => {
      const person = await signUp();
      const email = which === "there" ? person.email : newEmail();
      const right = person.password;
      const answers = await Promise.all(Array.from({ length: 150 }, () => signIn(email, right)));
      const statuses = new Set(answers.map(({ status }) => status));
      expect([...statuses].sort()).toEqual([usual, 503]);
      for (const { status, body, headers } of answers)
        if (status === 503) {
          expect(body.code).toBe("busy");
          expect(Number(headers["retry-after"])).toBeGreaterThan(0);
        }
      expect((await signIn(email, right)).status).toBe(usual);
    },
  );

  it("is slowed for one client whatever ports its proxy tells, and for what is no address as for the proxy", async () => {
    const { caller } = await startReplica({ ROWFERRY_LIMITS: "{}", ROWFERRY_TRUSTED_PROXIES: "127.0.0.1/32" });
    const { email } = await signUp();
    const ask = async (from: string) => {
      const body = { email, password: "a wrong password" };
      return (await caller.ask("/api/session", { body, headers: { "x-forwarded-for": from } })).status;
    };
    const ways: ((at: number) => string)[] = [
      (at) => `203.0.113.1:${50_000 + at}`,
      (at) => `[2001:db8:1:2::${at}]:${50_000 + at}`,
      (at) => `client-${at}`,
    ];
    for (const way of ways) {
      for (let at = 0; at < 10; at += 1) expect(await ask(way(at))).toBe(401);
      expect(await ask(way(10))).toBe(429);
    }
  });

  it("is for who is elsewhere while one address asks for more than can be hashed", async () => {
    const { caller } = await startReplica({ ROWFERRY_TRUSTED_PROXIES: "127.0.0.1/32" });
    const { email, password: right } = await signUp();
    const ask = (address: string) =>
      caller.ask("/api/session", { body: { email, password: right }, headers: { "x-forwarded-for": address } });
    const many = Promise.all(Array.from({ length: 150 }, () => ask("203.0.113.1")));
    const others = await Promise.all(Array.from({ length: 10 }, (_, at) => ask(`198.51.100.${at}`)));
    expect(others.map(({ status }) => status)).toEqual(others.map(() => 200));
    expect(new Set((await many).map(({ status }) => status))).toEqual(new Set([200, 503]));
  });
});
