import { RateLimiterMemory, RateLimiterRedis, RateLimiterRes } from "rate-limiter-flexible";
import { Problem } from "../requests/errors.ts";
import type { Tier, Window } from "../requests/tiers.ts";
import type { attempts } from "../requests/who/attempts.ts";

/**
 * Counts what each owner of a token takes of a tier, and each address and account of the tries of passwords: in memory, or in Redis, which
 * all replicas share and which a restart of theirs does not touch. A window begins with its first call.
 *
 * When Redis is away: read, write and probe are counted by each replica in its memory, so that at most as many times the limit passes as
 * there are replicas; what guesses secrets, makes them or costs money (credentials, minting, ai) is refused with 503.
 */
export type LimitName = Tier | `credentials_${keyof typeof attempts}`;

const countedInMemory: readonly LimitName[] = ["read", "write", "probe"];

/** Where somebody stands in one window, after a call. */
export interface Standing {
  policy: string;
  window: Window;
  remaining: number;
  /** Seconds until the window ends, rounded up. */
  reset: number;
}

export interface Limits {
  /** Takes one; throws Problem `rate_limited`, of which `standingsOf` tells more, or `unavailable`. */
  spend(limit: LimitName, key: string): Promise<Standing[]>;
  /** Gives back one that was taken. */
  giveBack(limit: LimitName, key: string): Promise<void>;
  /** One policy for each window. */
  policies(limit: LimitName): { policy: string; window: Window }[];
}

/** What of Redis' client is used. */
export interface RedisClient {
  readonly isReady: boolean;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

export interface LimitsOptions {
  windows: Readonly<Record<LimitName, readonly Window[]>>;
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
const refusedStandings = new WeakMap<Problem, Standing[]>();
export const standingsOf = (problem: Problem): Standing[] => refusedStandings.get(problem) ?? [];

interface Counter {
  policy: string;
  window: Window;
  memory: RateLimiterMemory;
  shared?: RateLimiterRedis;
}

const seconds = (milliseconds: number): number => Math.max(1, Math.ceil(milliseconds / 1000));

export function createLimits(options: LimitsOptions): Limits {
  const { windows, redis, patience = 1000 } = options;

  function counter(limit: LimitName, window: Window, many: boolean): Counter {
    const policy = many ? `${limit}-${window.seconds}` : limit;
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
  // The shortest first: what it refuses is not taken of the longer ones.
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

  /** Asks the shared counter, else the own one where that is allowed. */
  async function ask<T>(
    limit: LimitName,
    { shared, memory }: Counter,
    run: (limiter: RateLimiterMemory | RateLimiterRedis) => Promise<T>,
  ): Promise<T> {
    if (shared === undefined) return run(memory);
    const timer = Promise.withResolvers<never>();
    const late = setTimeout(() => timer.reject(new Error("Redis did not answer in time")), patience);
    try {
      if (options.now() < awayUntil) throw new Error("Redis did not answer a moment ago");
      return await Promise.race([run(shared), timer.promise]);
    } catch (error) {
      if (error instanceof RateLimiterRes) throw error;
      if (options.now() >= awayUntil) {
        options.problem(error);
        awayUntil = options.now() + rest;
      }
      if (countedInMemory.includes(limit)) return run(memory);
      throw new Problem("unavailable", "Calls of this kind cannot be counted at the moment: try again.", {
        retryAfter: 5,
        cause: error,
      });
    } finally {
      clearTimeout(late);
    }
  }

  const standing = ({ policy, window }: Counter, found: RateLimiterRes): Standing => ({
    policy,
    window,
    remaining: Math.max(0, window.points - found.consumedPoints),
    reset: seconds(found.msBeforeNext),
  });

  async function refuse(limit: LimitName, key: string): Promise<never> {
    const standings: Standing[] = [];
    for (const one of countersOf(limit)) {
      const found = await ask(limit, one, (limiter) => limiter.get(key));
      if (found !== null) standings.push(standing(one, found));
    }
    const exhausted = standings.filter(({ remaining }) => remaining === 0);
    const wait = Math.max(1, ...exhausted.map(({ reset }) => reset));
    const [longest] = exhausted.toSorted((a, b) => b.reset - a.reset);
    const words = longest ? `${longest.window.points} in ${longest.window.seconds} seconds` : "the limit";
    const problem = new Problem(
      "rate_limited",
      `More than ${words} of the tier ${limit.replace("_", " by ")}: wait ${wait} seconds and try again.`,
      { retryAfter: wait },
    );
    refusedStandings.set(problem, standings);
    throw problem;
  }

  return {
    async spend(limit, key) {
      const standings: Standing[] = [];
      for (const one of countersOf(limit)) {
        try {
          standings.push(standing(one, await ask(limit, one, (limiter) => limiter.consume(key))));
        } catch (error) {
          if (error instanceof RateLimiterRes) return refuse(limit, key);
          throw error;
        }
      }
      return standings;
    },
    async giveBack(limit, key) {
      for (const one of countersOf(limit))
        await ask(limit, one, (limiter) => limiter.reward(key)).catch((error: unknown) => {
          // What was taken stays taken for its window; the call that took it has done its work.
          if (!(error instanceof Problem)) throw error;
        });
    },
    policies: (limit) => countersOf(limit).map(({ policy, window }) => ({ policy, window })),
  };
}

/** The fields of draft-ietf-httpapi-ratelimit-headers-10. */
export function limitHeaders(standings: readonly Standing[]): Record<string, string> {
  if (standings.length === 0) return {};
  return {
    "RateLimit-Policy": standings
      .map(({ policy, window }) => `"${policy}";q=${window.points};w=${window.seconds}`)
      .join(", "),
    RateLimit: standings.map(({ policy, remaining, reset }) => `"${policy}";r=${remaining};t=${reset}`).join(", "),
  };
}
