import { createClient } from "@redis/client";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createLimits } from "../../src/api/limits.ts";
import { usualLimits } from "../../src/main/api/config.ts";
import { until } from "../operator/control-plane.ts";
import { openRedis, type Redis } from "./redis.ts";
import { api, newEmail, type Person, provided, signUp, startReplica } from "./world.ts";

/** The five tiers as they are by default, counted by one replica in memory and by several in a real Redis. */

type Replica = Awaited<ReturnType<typeof startReplica>>;
const usual = { ROWFERRY_LIMITS: "{}" };

/** Asks `count` times and answers how many passed, and one answer that did not. */
async function take(replicas: Replica[], count: number, path: string, asked: Parameters<Replica["caller"]["ask"]>[1]) {
  const answers = await Promise.all(
    Array.from({ length: count }, (_, turn) => {
      const replica = replicas[turn % replicas.length] as Replica;
      return replica.caller.ask(path, asked);
    }),
  );
  const refused = answers.filter(({ status }) => status === 429);
  return { passed: answers.length - refused.length, refused: refused[0], answers };
}

const remaining = (header: unknown): number => Number(/;r=(\d+)/.exec(String(header))?.[1]);

describe("one replica, in memory", () => {
  let replica: Replica;
  beforeAll(async () => {
    replica = await startReplica(usual);
  });

  test("300 reads a minute pass for an owner, whatever the token; others are not touched", async () => {
    const [ann, bob] = [await signUp(), await signUp()];
    const second = await api("/api/tokens", { token: ann.token, body: { name: "second" } });
    const first = await take([replica], 150, "/api/account", { token: ann.token });
    expect(first.passed).toBe(150);
    const rest = await take([replica], 160, "/api/account", { token: String(second.body.token) });
    expect(rest.passed).toBe(150);
    expect(rest.refused).toMatchObject({
      status: 429,
      headers: {
        "content-type": "application/problem+json",
        "ratelimit-policy": '"read";q=300;w=60',
        ratelimit: expect.stringMatching(/^"read";r=0;t=\d+$/),
      },
      body: { code: "rate_limited", detail: expect.stringContaining("300 in 60 seconds") },
    });
    const wait = Number(rest.refused?.headers["retry-after"]);
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(60);
    const answer = await replica.caller.ask("/api/account", { token: bob.token });
    expect(answer).toMatchObject({ status: 200, headers: { ratelimit: expect.stringMatching(/^"read";r=299;/) } });
    // Another tier of the same owner.
    const written = await replica.caller.ask(`/api/teams/${ann.team}/switch`, { method: "POST", token: ann.token });
    expect(written.headers.ratelimit).toMatch(/^"write";r=59;/);
  });

  test("10 tokens an hour are minted; input that is not right counts too, and a stranger's call does not", async () => {
    const person = await signUp();
    const mint = (body: object) => replica.caller.ask("/api/tokens", { token: person.token, body });
    for (let count = 0; count < 4; count += 1) expect((await mint({ name: `t${count}` })).status).toBe(201);
    for (let count = 0; count < 6; count += 1) expect((await mint({})).status).toBe(422);
    const refused = await mint({ name: "one more" });
    expect(refused).toMatchObject({ status: 429, headers: { "ratelimit-policy": '"minting";q=10;w=3600' } });
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(3500);
    expect((await replica.caller.ask("/api/tokens", { token: "1|x", body: {} })).headers.ratelimit).toBeUndefined();
  });

  test("20 calls a minute ask databases: connection tests, preflights and estimates together", async () => {
    const { token } = await signUp();
    const url = "postgres://u:p@10.0.0.1/db";
    const pair = { source_url: url, target_url: url };
    const calls: [path: string, body: object, share: number][] = [
      ["/api/connections/test", { url }, 8],
      ["/api/migrations/preflight", pair, 6],
      ["/api/estimates", pair, 6],
    ];
    for (const [path, body, share] of calls)
      expect((await take([replica], share, path, { token, body })).passed, path).toBe(share);
    for (const [path, body] of calls) {
      const { passed, refused } = await take([replica], 2, path, { token, body });
      expect(passed, path).toBe(0);
      expect(refused?.headers["ratelimit-policy"], path).toBe('"probe";q=20;w=60');
    }
  });

  test("guesses of a password end after ten, for the right password too, and at other accounts after fifty", async () => {
    const [person, other] = [await signUp(), await signUp()];
    const guess = (email: string, password: string) =>
      replica.caller.ask("/api/session", { body: { email, password } });
    for (let count = 0; count < 10; count += 1) expect((await guess(person.email, "wrong password")).status).toBe(401);
    const slowed = await guess(person.email, person.password);
    expect(slowed).toMatchObject({
      status: 429,
      headers: { "ratelimit-policy": '"credentials_account_and_address";q=10;w=900' },
      body: { code: "rate_limited" },
    });
    expect(Number(slowed.headers["retry-after"])).toBeGreaterThan(800);
    expect((await guess(other.email, other.password)).status).toBe(200);
    for (let count = 0; count < 40; count += 1) await guess(newEmail(), "wrong password");
    expect((await guess(other.email, other.password)).status).toBe(429);
  });
});

test("After waiting Retry-After the next call passes", async () => {
  const person = await signUp();
  const replica = await startReplica({ ROWFERRY_LIMITS: '{"read":[{"points":2,"seconds":2}]}' });
  const ask = () => replica.caller.ask("/api/account", { token: person.token });
  // A window may end in between.
  const refused = await until("a refusal", async () => {
    const answer = await ask();
    return answer.status === 429 ? answer : undefined;
  });
  const wait = Number(refused.headers["retry-after"]);
  expect([1, 2]).toContain(wait);
  await new Promise((resolve) => setTimeout(resolve, wait * 1000));
  expect((await ask()).status).toBe(200);
});

describe("two replicas, in Redis", () => {
  let redis: Redis;
  let replicas: Replica[];
  let person: Person;
  // A window that a slow machine does not leave while a replica starts.
  const settings = () => ({
    ROWFERRY_LIMITS: '{"read":[{"points":300,"seconds":3600}]}',
    ROWFERRY_REDIS_URL: redis.url,
  });
  beforeAll(async () => {
    redis = await openRedis();
    replicas = await Promise.all([startReplica(settings()), startReplica(settings())]);
    person = await signUp();
  });
  afterAll(() => redis?.close());

  /** Until the replica has Redis again, which minting needs. */
  const untilCounted = (replica: Replica, { token }: Person) =>
    expect
      .poll(async () => (await replica.caller.ask("/api/tokens", { token, body: { name: "a" } })).status, {
        timeout: 20_000,
      })
      .toBe(201);

  test("a limit is one for both, and a restart of a replica neither loses nor doubles it", async () => {
    const before = await take(replicas, 40, "/api/tokens?limit=1", { token: person.token });
    expect(before.passed).toBe(40);
    await replicas[0]?.stop("SIGKILL");
    replicas[0] = await startReplica(settings());
    const one = await replicas[0].caller.ask("/api/account", { token: person.token });
    expect(remaining(one.headers.ratelimit)).toBe(259);
    const { passed, refused } = await take(replicas, 300, "/api/account", { token: person.token });
    expect(passed).toBe(259);
    expect(refused?.headers.ratelimit).toMatch(/^"read";r=0;t=\d+$/);
  });

  test("a restart of Redis loses nothing that it had written", async () => {
    const ann = await signUp();
    await take(replicas, 30, "/api/account", { token: ann.token });
    await redis.stop();
    await redis.start();
    await untilCounted(replicas[1] as Replica, ann);
    const { headers } = await (replicas[1] as Replica).caller.ask("/api/account", { token: ann.token });
    expect(remaining(headers.ratelimit)).toBe(269);
  });

  test.each(["stopped", "frozen"] as const)(
    "while Redis is %s reads and writes pass up to the limit of each replica, and minting and passwords are a 503",
    async (how) => {
      const ann = await signUp();
      if (how === "stopped") await redis.stop();
      else redis.freeze();
      try {
        const [replica] = replicas as [Replica];
        const read = await take([replica], 310, "/api/account", { token: ann.token });
        expect(read.passed).toBe(300);
        const written = await replica.caller.ask(`/api/teams/${ann.team}/switch`, { method: "POST", token: ann.token });
        expect(written.status).toBeLessThan(300);
        for (const refused of [
          await replica.caller.ask("/api/tokens", { token: ann.token, body: { name: "a" } }),
          await replica.caller.ask("/api/session", { body: { email: ann.email, password: ann.password } }),
        ])
          expect(refused).toMatchObject({
            status: 503,
            body: { code: "unavailable" },
            headers: { "retry-after": "5" },
          });
      } finally {
        if (how === "stopped") await redis.start();
        else redis.thaw();
      }
      await untilCounted(replicas[0] as Replica, ann);
    },
  );

  test("what is given back is taken from its own window in Redis alone, and what is refused takes nothing", async () => {
    const client = createClient({ url: redis.url });
    await client.connect();
    try {
      const window = [{ points: 2, seconds: 900 }];
      const windows = Object.fromEntries(Object.keys(usualLimits).map((limit) => [limit, window]));
      const limits = createLimits({
        windows: windows as Record<keyof typeof usualLimits, typeof window>,
        redis: client,
        problem: () => {},
        now: () => performance.now(),
      });
      const key = "rowferry:credentials_account:900:ann";
      const spend = () => limits.spend("credentials_account", "ann");
      const taken = [await spend(), await spend()];
      for (let more = 0; more < 3; more += 1) {
        const refused = await spend().catch((error: unknown) => error as { code: string; retryAfter: number });
        expect(refused).toMatchObject({ code: "rate_limited", retryAfter: expect.any(Number) });
        expect("retryAfter" in refused && refused.retryAfter).toBeGreaterThan(800);
      }
      expect(await client.get(key)).toBe("2");
      await taken[0]?.giveBack();
      expect(await client.get(key)).toBe("1");
      // Its window ended, and nobody called since.
      await client.del(key);
      await taken[1]?.giveBack();
      expect(await client.get(key)).toBeNull();
      // A later window has longer to go.
      const late = await spend();
      await client.set(key, 2, { EX: 1000 });
      await late.giveBack();
      expect(await client.get(key)).toBe("2");
    } finally {
      client.destroy();
    }
  });

  test("Redis keeps names of accounts and networks, and nothing of a token or an e-mail address", async () => {
    const keys = (await redis.keys()).join("\n");
    expect(keys).toContain("rowferry:read:3600:");
    expect(keys).not.toContain("@");
    expect(keys).not.toContain(person.token.split("|")[0]);
  });
});

test("The limits stand in the document as they are set", async () => {
  const { body } = await api("/openapi.json");
  expect(body.servers).toEqual([{ url: provided.baseUrl }]);
  expect(body.paths["/api/account"].get).toMatchObject({
    "x-rate-limit-tier": "read",
    "x-rate-limits": [{ points: 1_000_000, seconds: 60 }],
  });
});
