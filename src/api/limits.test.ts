import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { Problem } from "../requests/errors.ts";
import type { RateWindow } from "../requests/tiers.ts";
import { createLimits, type LimitName, limitHeaders, type RedisClient, standingsOf } from "./limits.ts";

const few = (points: number, seconds = 60): RateWindow[] => [{ points, seconds }];
const windows: Record<LimitName, RateWindow[]> = {
  ai: [
    { points: 3, seconds: 86_400 },
    { points: 2, seconds: 60 },
  ],
  probe: few(1),
  read: few(3),
  write: few(2),
  minting: few(1, 3600),
  handshake: few(2),
  search: few(2),
  credentials_account: few(2, 900),
  credentials_accountAndAddress: few(2, 900),
  credentials_address: few(5, 900),
  credentials_device: few(2, 900),
  credentials_passwordChange: few(2, 900),
  credentials_signUp: few(2),
  credentials_signUpInAll: few(2),
};
const now = () => performance.now();
const refusal = (promise: Promise<unknown>): Promise<Problem> =>
  promise.then(
    () => Promise.reject(new Error("it passed")),
    (error: unknown) => {
      if (error instanceof Problem) return error;
      throw error;
    },
  );

beforeEach(() => {
  vi.useFakeTimers({ now: new Date("2030-01-01T00:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

describe("in memory", () => {
  const make = () => createLimits({ windows, problem: () => {}, now });

  test("so many pass in a window, each owner and tier by itself, and after Retry-After the next passes", async () => {
    const limits = make();
    for (let left = 2; left >= 0; left -= 1) {
      expect((await limits.spend("read", "ann")).standings).toEqual([
        { policy: "read", window: { points: 3, seconds: 60 }, remaining: left, reset: 60 },
      ]);
    }
    vi.advanceTimersByTime(12_345);
    const problem = await refusal(limits.spend("read", "ann"));
    expect(problem).toMatchObject({ code: "rate_limited", status: 429, retryAfter: 48 });
    await limits.spend("read", "bob");
    await limits.spend("write", "ann");
    vi.advanceTimersByTime(47_000);
    await refusal(limits.spend("read", "ann"));
    vi.advanceTimersByTime(1_000);
    expect(await limits.spend("read", "ann")).toMatchObject({ standings: [{ remaining: 2 }] });
  });

  test("of several windows the longest that is used up says how long to wait, and what one refuses is not taken of the other", async () => {
    const limits = make();
    await limits.spend("ai", "ann");
    await limits.spend("ai", "ann");
    for (let more = 0; more < 5; more += 1)
      expect(await refusal(limits.spend("ai", "ann"))).toMatchObject({ retryAfter: 60 });
    vi.advanceTimersByTime(60_000);
    expect((await limits.spend("ai", "ann")).standings).toMatchObject([
      { policy: "ai-60", remaining: 1 },
      { policy: "ai-86400", remaining: 0, reset: 86_340 },
    ]);
    const problem = await refusal(limits.spend("ai", "ann"));
    expect(problem.retryAfter).toBe(86_340);
    vi.advanceTimersByTime(86_340_000);
    await limits.spend("ai", "ann");
  });

  test("what is given back can be taken again, and what was refused took nothing", async () => {
    const limits = make();
    const taken = await limits.spend("write", "ann");
    await limits.spend("write", "ann");
    for (let more = 0; more < 5; more += 1) await refusal(limits.spend("write", "ann"));
    await taken.giveBack();
    expect((await limits.spend("write", "ann")).standings).toMatchObject([{ remaining: 0 }]);
    await refusal(limits.spend("write", "ann"));
  });

  test("a look refuses as a call would, takes nothing, and keeps nothing of whom it knows nothing", async () => {
    const limits = make();
    for (let more = 0; more < 5; more += 1) await limits.look("write", "ann");
    await limits.spend("write", "ann");
    await limits.look("write", "ann");
    await limits.spend("write", "ann");
    vi.advanceTimersByTime(12_000);
    const refused = await refusal(limits.look("write", "ann"));
    expect(refused).toMatchObject({ code: "rate_limited", retryAfter: 48 });
    expect(standingsOf(refused)).toMatchObject([{ policy: "write", remaining: 0 }]);
    const timers = vi.getTimerCount();
    await limits.look("write", "nobody");
    expect(vi.getTimerCount()).toBe(timers);
  });

  test.each([59_990, 60_000, 90_000])(
    "what is given back %i milliseconds later is nothing to the window that came after",
    async (later) => {
      const limits = make();
      const taken = await limits.spend("probe", "ann");
      vi.advanceTimersByTime(later);
      if (later >= 60_000) await limits.spend("probe", "ann");
      await taken.giveBack();
      vi.advanceTimersByTime(60_000 - (later % 60_000 || 60_000));
      if (later < 60_000) await limits.spend("probe", "ann");
      expect(await refusal(limits.spend("probe", "ann"))).toMatchObject({ code: "rate_limited" });
    },
  );

  test("headers have the draft's fields, one member for each window, of a refusal too", async () => {
    const limits = make();
    const both = [await limits.spend("write", "ann"), await limits.spend("probe", "ann")];
    expect(limitHeaders(both.flatMap(({ standings }) => standings))).toEqual({
      "RateLimit-Policy": '"write";q=2;w=60, "probe";q=1;w=60',
      RateLimit: '"write";r=1;t=60, "probe";r=0;t=60',
    });
    const problem = await refusal(limits.spend("probe", "ann"));
    expect(limitHeaders(standingsOf(problem))).toMatchObject({ RateLimit: '"probe";r=0;t=60' });
  });
});

describe("when Redis does not answer", () => {
  const silent: RedisClient = { isReady: true, eval: () => new Promise(() => {}) };
  const gone: RedisClient = { isReady: false, eval: () => Promise.reject(new Error("gone")) };

  const inMemory = ["read", "write", "probe", "handshake", "search"] as const;
  test.each(inMemory)("%s counts in this replica's memory", async (tier) => {
    const limits = createLimits({ windows, redis: gone, problem: () => {}, now });
    for (let count = 0; count < (windows[tier][0]?.points ?? 0); count += 1) await limits.spend(tier, "ann");
    expect(await refusal(limits.spend(tier, "ann"))).toMatchObject({ code: "rate_limited" });
  });

  test.each((Object.keys(windows) as LimitName[]).filter((limit) => !inMemory.some((one) => one === limit)))(
    "%s is refused",
    async (limit) => {
      const told: unknown[] = [];
      const limits = createLimits({ windows, redis: gone, problem: (error) => told.push(error), now });
      expect(await refusal(limits.spend(limit, "ann"))).toMatchObject({
        code: "unavailable",
        status: 503,
        retryAfter: 5,
      });
      expect(told).toHaveLength(1);
    },
  );

  test("giving back fails nobody's call", async () => {
    const calls: string[] = [];
    const leaving: RedisClient = {
      isReady: true,
      async eval(script) {
        calls.push(script);
        if (calls.length > 1) throw new Error("gone");
        return [1, 900_000];
      },
    };
    const limits = createLimits({ windows, redis: leaving, problem: () => {}, now });
    await (await limits.spend("credentials_account", "ann")).giveBack();
    expect(calls).toHaveLength(2);
  });

  test("a silence counts as no answer after a time", async () => {
    const limits = createLimits({ windows, redis: silent, patience: 500, problem: () => {}, now });
    const taken = limits.spend("read", "ann");
    await vi.advanceTimersByTimeAsync(500);
    expect(await taken).toMatchObject({ standings: [{ remaining: 2 }] });
    // The next one does not wait.
    expect(await limits.spend("read", "ann")).toMatchObject({ standings: [{ remaining: 1 }] });
  });
});
