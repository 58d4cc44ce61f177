import type { Client, Informer } from "../../cluster/index.ts";
import { type Kind, type KubeObject, kinds } from "../../resources/objects.ts";
import { Problem } from "../errors.ts";
import { type Cached, untrimmed } from "../migrations/view/trim.ts";
import type { World } from "../world.ts";
import { createLiveReads, type LiveReads } from "./live.ts";
import { beginRead, type Clock, keptMs, margin, onItsWay, type Read, tooSlow } from "./reads.ts";
import type { WrittenVersion } from "./written.ts";

/**
 * Objects as they were at most `kept` milliseconds ago, almost without reads. A cache answers where it is known to be that new: where a read
 * of the note of writes (written.ts), sent at most `kept` ago, says no more than what the cache's watch has seen since. Else an object is read
 * live, and that is kept for as long, counted from before the read was sent. So whoever raises the note after a write, and then waits
 * `believed`, knows that no replica acts on what was before it.
 *
 * Writes that are not noted, as those by `kubectl`, hold as soon as the watch tells of them; a watch that has been silent for
 * `longestSilence` is not believed.
 */
/** Between the first and the last look at what is kept, in one authentication. */
const longestPass = 250;
/** Milliseconds after which no replica believes what it read before. */
const believed = keptMs + longestPass + margin;
/** Milliseconds; a watch that is well says something more often than that. */
export const longestSilence = 15_000;
/** Milliseconds without a watch, from its end to the next one: what happens meanwhile, the cache does not see. */
const longestClosed = 1000;

type Cache<T extends KubeObject> = Pick<Informer<T>, "get" | "version" | "lastHeard" | "closedFor">;

interface FreshOptions extends Clock {
  client: Pick<Client, "get">;
  /** What there was a moment ago. */
  caches: {
    [Name in "accounts" | "teams" | "tokens" | "migrations"]: Cache<NonNullable<(typeof kinds)[Name]["shape"]>>;
  };
  written: Pick<WrittenVersion, "read" | "raise">;
}

/** Reads of the note that a call waits for: it is one in a second for all calls of a replica, so that a server that is slow is asked no more by it. */
const noteReads = 3;

/** What the note says, or undefined where it says nothing. While there are calls it is read ahead, so that none waits for it. */
function noteOf({ written, now, pause }: FreshOptions) {
  const clock = { now, pause };
  let known: { at: number; versions: Awaited<ReturnType<WrittenVersion["read"]>> } | undefined;
  let read: Read<unknown> | undefined;

  function reading(): Read<unknown> {
    if (read !== undefined && onItsWay(clock, read, keptMs)) return read;
    read = beginRead(clock, async (at) => {
      const versions = await written.read();
      if (known === undefined || at >= known.at) known = { at, versions };
    });
    return read;
  }

  return async () => {
    const age = () => (known === undefined ? Number.POSITIVE_INFINITY : now() - known.at);
    for (let waited = 0; age() > keptMs; waited += 1) {
      if (waited === noteReads) throw tooSlow();
      // One that came too late is followed by another.
      await reading().found.catch((error: unknown) => {
        if (!(error instanceof Problem)) throw error;
      });
    }
    if (age() > keptMs / 2) reading();
    return known?.versions;
  };
}

interface Kept<T> {
  /** As the cache has it, where it is new enough; otherwise undefined, as for what it does not have. */
  cached(name: string): Promise<T | undefined>;
  live: LiveReads<T>;
}

/** Live reads in a second of tokens that the cache does not have; there are not so many new ones. */
const unknownReads = 20;
/** Milliseconds for which a token is awaited in the cache when there are no more reads: many times what the cache is behind. */
const patience = 500;

/**
 * What anybody can make up by the million costs few reads: a token that the cache does not know is read live only so often, since it may have been
 * minted by another replica a moment ago; above that it is given the time in which the cache hears of it.
 */
function sparing<T>(
  { now, pause }: Clock,
  { cached, live }: Kept<T>,
  isKnown: (digits: string) => boolean,
): (digits: string) => Promise<T | undefined> {
  const free = (digits: string) => live.isBelieved(digits) || isKnown(digits);
  let second = { from: now(), reads: 0 };
  function mayRead(): boolean {
    if (now() - second.from >= 1000) second = { from: now(), reads: 0 };
    second.reads += 1;
    return second.reads <= unknownReads;
  }
  const either = async (digits: string) => (await cached(digits)) ?? live.get(digits);
  return async (digits) => {
    if (free(digits) || mayRead()) return either(digits);
    for (let waited = 0; waited < patience; waited += 50) {
      await pause(50);
      if (free(digits)) return either(digits);
    }
    return undefined;
  };
}

/** Milliseconds between tries to raise the note: the write is made, and an error now would be of what is done. */
const raiseAgain = [100, 400, 1000, 2000] as const;

export const everywhereOf =
  (written: Pick<WrittenVersion, "raise">, pause: Clock["pause"]): World["fresh"]["everywhere"] =>
  async (kind, resourceVersion) => {
    if (resourceVersion !== undefined) {
      const raise = () => written.raise(kind, resourceVersion);
      let raised = raise();
      for (const wait of raiseAgain)
        raised = raised.catch(async () => {
          await pause(wait);
          return raise();
        });
      await raised;
    }
    await pause(believed);
  };

/** What is said of several objects is said of one time: a look reads them within `longestPass`, of the steady clock, or again. */
export function passesOf(now: Clock["now"]): Pick<World["fresh"], "inOnePass" | "look"> {
  const look = () => {
    const begun = now();
    return () => now() - begun <= longestPass;
  };
  return {
    look,
    async inOnePass(find) {
      // Twice at most, since a cluster that is slow is not asked more for it.
      for (let attempt = 0; attempt < 2; attempt += 1) {
        const holds = look();
        const found = await find();
        // While a later read took its time, an earlier one may have ceased to be believed. Again, what was read is at hand.
        if (holds()) return found;
      }
      throw tooSlow();
    },
  };
}

export function createFresh(options: FreshOptions): World["fresh"] {
  const { caches, written, now, pause } = options;
  const note = noteOf(options);
  const atOnce = { count: 0 };

  async function cached<T extends KubeObject>(kind: Kind<T>, cache: Cache<T>, namespace: string, name: string) {
    const versions = await note();
    // The watch is looked at after the note: what it has seen by now is no less than what it had seen then.
    const isNew =
      versions !== undefined &&
      cache.version() > 0n &&
      cache.version() >= (versions.get(kind.plural) ?? 0n) &&
      cache.closedFor() <= longestClosed &&
      now() - cache.lastHeard() <= longestSilence;
    const found = isNew ? cache.get(namespace, name) : undefined;
    return found?.metadata.deletionTimestamp === undefined ? found : undefined;
  }
  const keptOf = <T extends KubeObject>(kind: Kind<T>, cache: Cache<T>): Kept<T> => ({
    cached: (name) => cached(kind, cache, "", name),
    live: createLiveReads(options, kind, atOnce),
  });
  const either =
    <T>({ cached, live }: Kept<T>) =>
    async (name: string) =>
      (await cached(name)) ?? live.get(name);

  return {
    account: either(keptOf(kinds.accounts, caches.accounts)),
    team: either(keptOf(kinds.teams, caches.teams)),
    token: sparing(
      options,
      keptOf(kinds.tokens, caches.tokens),
      (digits) => caches.tokens.get("", digits) !== undefined,
    ),
    async migration(namespace, name) {
      const found: Cached | undefined = await cached(kinds.migrations, caches.migrations, namespace, name);
      return found && untrimmed(found);
    },
    everywhere: everywhereOf(written, pause),
    ...passesOf(now),
  };
}
