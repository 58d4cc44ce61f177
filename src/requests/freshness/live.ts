import type { Client } from "../../cluster/index.ts";
import type { Kind, KubeObject } from "../../resources/objects.ts";
import { beginRead, type Clock, foundBy, keptMs, longestRead, onItsWay, type Read, tooSlow } from "./reads.ts";

/** Objects of a kind as they were read live within the last second, each read once for all who ask; what is older is not kept. */
export interface LiveReads<T> {
  /** Whether `get` would answer without a read of its own. */
  isBelieved(name: string): boolean;
  /** Undefined for what is not there, or is being deleted. Throws ClusterError, and Problem `unavailable` where it would be too late. */
  get(name: string): Promise<T | undefined>;
  /** How many are kept. */
  size(): number;
}

/** Live reads of a kind that are kept; the oldest go first. */
const most = 5000;
/** Live reads at the same time, below what the connection carries. More would only be answered later, and too late in the end. */
const mostAtOnce = 48;

/** Without who wrote which field, most of a small object. */
function withoutFields<T extends KubeObject>(object: T): T {
  const { managedFields: _fields, ...metadata } = object.metadata as T["metadata"] & { managedFields?: unknown };
  return { ...object, metadata };
}

/** `atOnce`: of all kinds together. */
export function createLiveReads<T extends KubeObject>(
  { client, now, pause }: Clock & { client: Pick<Client, "get"> },
  kind: Kind<T>,
  atOnce: { count: number },
): LiveReads<T> {
  const clock = { now, pause };
  const entries = new Map<string, Read<T | undefined>>();

  function begin(name: string): Read<T | undefined> {
    if (atOnce.count >= mostAtOnce) throw tooSlow();
    atOnce.count += 1;
    const read = beginRead(clock, async () => {
      try {
        const object = await client.get(kind, "", name);
        return object?.metadata.deletionTimestamp === undefined ? object && withoutFields(object) : undefined;
      } catch (error) {
        if (entries.get(name) === read) entries.delete(name);
        throw error;
      } finally {
        atOnce.count -= 1;
      }
    });
    entries.delete(name);
    entries.set(name, read);
    for (const [oldest] of entries) {
      if (entries.size <= most) break;
      entries.delete(oldest);
    }
    // Nobody may come any more by whom it would be replaced.
    void pause(longestRead).then(() => {
      if (entries.get(name) === read) entries.delete(name);
    });
    return read;
  }

  const usable = (name: string) => {
    const read = entries.get(name);
    return read !== undefined && (now() - read.at <= keptMs || onItsWay(clock, read)) ? read : undefined;
  };

  return {
    isBelieved: (name) => usable(name) !== undefined,
    get: async (name) => foundBy(clock, usable(name) ?? begin(name)),
    size: () => entries.size,
  };
}
