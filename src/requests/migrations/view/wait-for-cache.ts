import { type Informer, resourceVersionNumber } from "../../../cluster/index.ts";
import type { Kind, KubeObject } from "../../../resources/objects.ts";
import type { World } from "../../world.ts";

/** Lists are read from a cache that is a moment behind: a write answers when this replica's cache has it, so that a list shows it. */

/** Milliseconds; then the write answers all the same. */
const longest = 2000;

export async function untilCached(world: Pick<World, "pause">, holds: () => boolean): Promise<void> {
  for (let waited = 0, step = 4; waited < longest && !holds(); waited += step, step = Math.min(step * 2, 64))
    await world.pause(step);
}

/**
 * Resolves when every replica knows that an object was removed. It is by the version at which it is gone, by the watch that told of it: the server's
 * answer says none. Where the watch is silent, by one that is above it, which costs live reads until the watches have reached it.
 */
export async function goneEverywhere<T extends KubeObject>(
  world: Pick<World, "pause" | "client" | "fresh">,
  kind: Kind<T> & Parameters<World["fresh"]["everywhere"]>[0],
  cache: Pick<Informer<T>, "get" | "version">,
  { namespace, name, uid, resourceVersion }: Omit<KubeObject["metadata"], "namespace"> & { namespace?: string },
): Promise<void> {
  const isGone = () => {
    const cached = cache.get(namespace ?? "", name);
    const isThere = cached?.metadata.uid === uid && cached?.metadata.deletionTimestamp === undefined;
    return cache.version() >= resourceVersionNumber(resourceVersion) && !isThere;
  };
  await untilCached(world, isGone);
  const version = isGone() ? String(cache.version()) : await world.client.latest(kind);
  await world.fresh.everywhere(kind, version);
}
