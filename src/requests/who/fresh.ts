import type { Client } from "../../cluster/index.ts";
import { type Kind, type KubeObject, kinds } from "../../resources/objects.ts";
import { Problem } from "../errors.ts";
import type { World } from "../world.ts";

/**
 * Live reads, kept for a second. What is answered was true at most `kept` milliseconds ago, counted from before the read was sent: so
 * whoever waits `believed` after a write has answered knows that no replica acts on what was before it. That there is none is kept alike.
 */
const kept = 1000;
/** Between the first and the last look at what is kept, in one authentication. */
export const longestPass = 250;
/** Timers of two processes are not of one mind about a millisecond. */
const margin = 50;
/** Entries of a kind; the oldest go first. */
const most = 20_000;
const tries = 3;

function cacheOf<T extends KubeObject>(client: Client, kind: Kind<T>, now: () => number) {
  const entries = new Map<string, { at: number; found: Promise<T | undefined> }>();

  function read(name: string): { at: number; found: Promise<T | undefined> } {
    const at = now();
    const entry = {
      at,
      found: client
        .get(kind, "", name)
        .then((object) => (object?.metadata.deletionTimestamp === undefined ? object : undefined)),
    };
    entries.delete(name);
    entries.set(name, entry);
    entry.found.catch(() => {
      if (entries.get(name) === entry) entries.delete(name);
    });
    for (const [oldest, { at: then }] of entries) {
      if (entries.size <= most && at - then <= kept) break;
      entries.delete(oldest);
    }
    return entry;
  }

  return async (name: string): Promise<T | undefined> => {
    for (let attempt = 0; attempt < tries; attempt += 1) {
      const entry = entries.get(name);
      const used = entry !== undefined && now() - entry.at <= kept ? entry : read(name);
      const found = await used.found;
      // A read that took longer than it may be believed says what was, not what is.
      if (now() - used.at <= kept) return found;
    }
    throw new Problem("unavailable", "The cluster answers too slowly; try again in a moment.", { retryAfter: 2 });
  };
}

/** `now`: steady milliseconds. */
export function createFresh(client: Client, now: () => number): World["fresh"] {
  return {
    account: cacheOf(client, kinds.accounts, now),
    team: cacheOf(client, kinds.teams, now),
    token: cacheOf(client, kinds.tokens, now),
    believed: kept + longestPass + margin,
  };
}
