import type { Response } from "express";
import { Problem } from "../requests/errors.ts";
import { authenticate, identify, type RequestCredentials } from "../requests/sessions/authenticate.ts";
import type { Caller, Identity, World } from "../requests/world.ts";
import {
  type LimitName,
  limitHeaders,
  type RateLimiter,
  standingsOf,
  type TakenCall,
  type WindowStanding,
} from "./limits.ts";

/** What REST and MCP do first, and alike: who calls, then what the call counts in, which the answer's headers tell. */

/** Takes from limits for one request. Throws what the limiter throws, after the headers tell of it. */
interface Meter {
  /** Takes one of each; of what is refused nothing is taken. */
  spend(names: readonly LimitName[], key: string): Promise<void>;
  /** Takes one, which the answered function gives back, or only looks. What passes tells a guesser nothing of where others stand. */
  attempt(name: LimitName, key: string, how?: "look"): Promise<() => Promise<void>>;
}

/** The headers tell of everything that one meter was asked for. */
export function createMeter(limits: RateLimiter, response: Response): Meter {
  const standings: WindowStanding[] = [];
  const tell = (error?: unknown) => {
    if (error instanceof Problem) standings.push(...standingsOf(error));
    response.set(limitHeaders(standings));
  };
  return {
    async spend(names, key) {
      const taken: TakenCall[] = [];
      try {
        for (const name of names) {
          const one = await limits.spend(name, key);
          taken.push(one);
          standings.push(...one.standings);
        }
        tell();
      } catch (error) {
        tell(error);
        for (const one of taken) await one.giveBack();
        throw error;
      }
    },
    async attempt(name, key, how) {
      try {
        if (how !== "look") return (await limits.spend(name, key)).giveBack;
        await limits.look(name, key);
        return async () => {};
      } catch (error) {
        tell(error);
        throw error;
      }
    },
  };
}

/** Both undefined for a stranger; `caller` where the acting team was asked for, too. */
export interface Who {
  identity?: Identity;
  caller?: Caller;
}

/** Throws the Problems of `identify` or `authenticate`. */
export async function whoCalls(world: World, shown: RequestCredentials, asked: "account" | "team"): Promise<Who> {
  if (asked === "account") return { identity: await identify(world, shown) };
  const caller = await authenticate(world, shown);
  return { identity: caller, caller };
}

interface FirstLook<Counted> {
  meter: Meter;
  response: Response;
  who(): Promise<Who>;
  /** Asked when it is known who calls: MCP reads the message for it. */
  countsIn(): Promise<Counted> | Counted;
}

/** Who calls, and the name of their account, by which limits count. A stranger counts in nothing here. Throws Problem. */
export async function authenticateAndSpend<Counted extends { limits: readonly LimitName[] }>({
  meter,
  response,
  ...first
}: FirstLook<Counted>): Promise<{ who: Who; owner: string | undefined; counted: Counted }> {
  const who = await first.who();
  const owner = who.identity?.account.metadata.name;
  response.locals["account"] = owner;
  const counted = await first.countsIn();
  if (owner !== undefined && counted.limits.length > 0) await meter.spend(counted.limits, owner);
  return { who, owner, counted };
}
