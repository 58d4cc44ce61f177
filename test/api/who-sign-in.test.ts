import { describe, expect, it } from "vitest";
import { until } from "../operator/control-plane.ts";
import { openRedis } from "./redis.ts";
import { signIn } from "./who.ts";
import { newEmail, signUp, startReplica } from "./world.ts";

/** Signing in, and guessing. */

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

  it("is slowed by account, whatever the address asks from which replica, and a success costs nothing", async () => {
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
    expect(count(401) + count(429) + count(503)).toBe(90);
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
});
