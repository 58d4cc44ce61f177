import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import type { attempts } from "../requests/accounts/attempts.ts";
import { Problem } from "../requests/errors.ts";
import type { RateWindow, Tier } from "../requests/tiers.ts";

/**
 * Counts what each owner of a token takes of a tier, and each address and account of the tries of passwords: in memory, or in Redis, which
 * all replicas share and which a restart of theirs does not touch. A window begins with its first call.
 *
 * When Redis is away: read, write, probe, handshake and search are counted by each replica in its memory, from nothing, so that the limit passes once
 * more for each replica; what guesses secrets, makes them or costs money (credentials, minting, ai) is refused with 503.
 */
export type LimitName = Tier | "handshake" | "search" | `credentials_${keyof typeof attempts}`;

const countedInMemory: readonly LimitName[] = ["read", "write", "probe", "handshake", "search"];

/** Where somebody stands in one window, after a call. */
export interface WindowStanding {
  policy: string;
  window: RateWindow;
  remaining: number;
  /** Seconds until the window ends, rounded up. */
  reset: number;
}

export interface TakenCall {
  standings: WindowStanding[];
  /** Undoes it, unless its window is over. Never rejects: what cannot be given back stays taken. */
  giveBack(): Promise<void>;
}

export interface RateLimiter {
  /** Takes one; throws Problem `rate_limited`, of which `standingsOf` tells more, or `unavailable`. What is refused takes nothing. */
  spend(limit: LimitName, key: string): Promise<TakenCall>;
  /** Throws what `spend` would throw; takes nothing, and keeps nothing of a key that is new. */
  look(limit: LimitName, key: string): Promise<void>;
  /** One policy for each window. */
  policies(limit: LimitName): { policy: string; window: RateWindow }[];
}

/** What of Redis' client is used. */
export interface RedisClient {
  readonly isReady: boolean;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

export interface LimitsOptions {
  windows: Readonly<Record<LimitName, readonly RateWindow[]>>;
  redis?: RedisClient;
  /** Milliseconds that Redis has for an answer. */
  patience?: number;
  /** Told when Redis does not answer. */
  problem: (error: unknown) => void;
  /** Steady milliseconds. */
  now: () => number;
}

/** Milliseconds for which Redis, when it did not answer, is not asked again: else each call would wait for it. */
const rest = 1000;

/** The windows of a refused call, for its headers. */
const refusedStandings = new WeakMap<Problem, WindowStanding[]>();
export const standingsOf = (problem: Problem): WindowStanding[] => refusedStandings.get(problem) ?? [];

type Limiter = RateLimiterMemory | RateLimiterRedis;

interface Counter {
  policy: string;
  window: RateWindow;
  memory: RateLimiterMemory;
  shared?: RateLimiterRedis;
}

/** One of a counter: where it was taken, and when its window ends, in steady milliseconds. */
interface Point {
  limiter: Limiter;
  ends: number;
}

/** Undoes one in Redis, in the window that has no longer to go than told: in a later one it would be one too many. */
const undo = `local left = redis.call('pttl', KEYS[1])
if left > 0 and left <= tonumber(ARGV[1]) and tonumber(redis.call('get', KEYS[1])) > 0 then
  redis.call('decr', KEYS[1])
end
return left`;
/** Milliseconds by which two clocks may differ about a window's end. */
const slack = 50;

const takeOne = (key: string) => (limiter: Limiter) =>
  limiter.consume(key).then(
    (found) => ({ limiter, found, passed: true }),
    (error: unknown) => {
      if (error instanceof RateLimiterRes) return { limiter, found: error, passed: false };
      throw error;
    },
  );

const wordsOf = (limit: LimitName): string =>
  limit.replace("_", " by ").replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

export function createLimits(options: LimitsOptions): RateLimiter {
  const { windows, redis, patience = 1000 } = options;

  function counter(limit: LimitName, window: RateWindow, many: boolean): Counter {
    const name = limit.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    const policy = many ? `${name}-${window.seconds}` : name;
    const common = {
      points: window.points,
      duration: window.seconds,
      keyPrefix: `rowferry:${limit}:${window.seconds}`,
    };
    return {
      policy,
      window,
      memory: new RateLimiterMemory(common),
      ...(redis === undefined
        ? {}
        : {
            shared: new RateLimiterRedis({
              ...common,
              storeClient: redis,
              useRedisPackage: true,
              rejectIfRedisNotReady: true,
            }),
          }),
    };
  }
  // The shortest first: what it refuses need not be given back to the longer ones.
  const counters = new Map(
    Object.entries(windows).map(([limit, all]) => [
      limit as LimitName,
      [...all]
        .sort((a, b) => a.seconds - b.seconds)
        .map((window) => counter(limit as LimitName, window, all.length > 1)),
    ]),
  );
  const countersOf = (limit: LimitName) => counters.get(limit) ?? [];

  let awayUntil = 0;

  /** What Redis answers, in time; a failure is told, and rejects. */
  async function fromRedis<T>(run: () => Promise<T>): Promise<T> {
    const timer = Promise.withResolvers<never>();
    const late = setTimeout(() => timer.reject(new Error("Redis did not answer in time")), patience);
    try {
      if (options.now() < awayUntil) throw new Error("Redis did not answer a moment ago");
      return await Promise.race([run(), timer.promise]);
    } catch (error) {
      if (options.now() >= awayUntil) {
        options.problem(error);
        awayUntil = options.now() + rest;
      }
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  /** Asks the shared counter, else the own one where that is allowed. */
  async function ask<T>(
    limit: LimitName,
    { shared, memory }: Counter,
    run: (limiter: Limiter) => Promise<T>,
  ): Promise<T> {
    if (shared === undefined) return run(memory);
    try {
      return await fromRedis(() => run(shared));
    } catch (error) {
      if (countedInMemory.includes(limit)) return run(memory);
      throw new Problem("unavailable", "The rate limit cannot be checked at the moment: try again.", {
        retryAfter: 5,
        cause: error,
      });
    }
  }

  async function giveBack(key: string, { limiter, ends }: Point): Promise<void> {
    const left = ends - options.now();
    if (left <= slack) return;
    if (limiter instanceof RateLimiterMemory) {
      const found = await limiter.get(key);
      if (found !== null && found.consumedPoints > 0 && found.msBeforeNext > 0) await limiter.reward(key);
    } else if (redis !== undefined)
      await fromRedis(() =>
        redis.eval(undo, { keys: [limiter.getKey(key)], arguments: [String(Math.ceil(left) + slack)] }),
      ).catch(() => {});
  }
  const giveAllBack = (key: string, points: readonly Point[]) =>
    Promise.all(points.map((point) => giveBack(key, point))).then(() => {});

  const standing = ({ policy, window }: Counter, found: RateLimiterRes): WindowStanding => ({
    policy,
    window,
    remaining: Math.max(0, window.points - found.consumedPoints),
    reset: seconds(found.msBeforeNext),
  });

  async function standingsNow(limit: LimitName, key: string): Promise<WindowStanding[]> {
    const standings: WindowStanding[] = [];
    for (const one of countersOf(limit)) {
      const found = await ask(limit, one, (limiter) => limiter.get(key));
      if (found !== null) standings.push(standing(one, found));
    }
    return standings;
  }

  const isUsedUp = ({ remaining }: WindowStanding): boolean => remaining === 0;

  function refuse(limit: LimitName, standings: WindowStanding[]): never {
    const exhausted = standings.filter(isUsedUp);
    const wait = Math.max(1, ...exhausted.map(({ reset }) => reset));
    const [longest] = exhausted.toSorted((a, b) => b.reset - a.reset);
    const words = longest ? `${longest.window.points} in ${longest.window.seconds} seconds, ` : "";
    const problem = new Problem(
      "rate_limited",
      `Rate limit exceeded (${words}tier ${wordsOf(limit)}): retry in ${wait} ${wait === 1 ? "second" : "seconds"}.`,
      { retryAfter: wait },
    );
    refusedStandings.set(problem, standings);
    throw problem;
  }

  return {
    async spend(limit, key) {
      const standings: WindowStanding[] = [];
      const points: Point[] = [];
      for (const one of countersOf(limit)) {
        const { limiter, found, passed } = await ask(limit, one, takeOne(key));
        points.push({ limiter, ends: options.now() + found.msBeforeNext });
        if (!passed) {
          await giveAllBack(key, points);
          return refuse(limit, await standingsNow(limit, key));
        }
        standings.push(standing(one, found));
      }
      return { standings, giveBack: () => giveAllBack(key, points) };
    },
    async look(limit, key) {
      const standings = await standingsNow(limit, key);
      if (standings.some(isUsedUp)) refuse(limit, standings);
    },
    policies: (limit) => countersOf(limit).map(({ policy, window }) => ({ policy, window })),
  };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function limitHeaders(standings: readonly WindowStanding[]): Record<string, string> {
  if (standings.length === 0) return {};
  return {
    "RateLimit-Policy": standings
      .map(({ policy, window }) => `"${policy}";q=${window.points};w=${window.seconds}`)
      .join(", "),
    RateLimit: standings.map(({ policy, remaining, reset }) => `"${policy}";r=${remaining};t=${reset}`).join(", "),
  };
}
