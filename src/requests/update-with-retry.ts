import { ClusterError, isConflict } from "../cluster/index.ts";
import type { Kind, KubeObject } from "../resources/objects.ts";
import { Problem } from "./errors.ts";
import type { World } from "./world.ts";

/** How often what others change at the same moment is tried. */
export const tries = 12;

/**
 * Compare-and-swap: reads the object live, and replaces it by what `edit` makes of it; from the start when somebody was faster. An
 * `edit` that answers undefined leaves it. Answers the object as it is then, or undefined when there is none. Throws Problem `busy`.
 */
export async function change<T extends KubeObject>(
  world: Pick<World, "pause" | "randomBytes"> & { client: Pick<World["client"], "get" | "update"> },
  kind: Kind<T>,
  namespace: string,
  name: string,
  edit: (object: T) => T | undefined | Promise<T | undefined>,
): Promise<T | undefined> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const found = await world.client.get(kind, namespace, name);
    if (found === undefined) return undefined;
    const next = await edit(found);
    if (next === undefined) return found;
    try {
      return await world.client.update(kind, next);
    } catch (error) {
      // Gone since it was read: the next look says so.
      const gone = error instanceof ClusterError && error.absent;
      if (!isConflict(error) && !gone) throw error;
      await beforeNextTry(world, attempt);
    }
  }
  throw new Problem("busy", "The resource changed during the request. Try again.", { retryAfter: 1 });
}

/** Waits longer from try to try, so that of many at once each has its turn. */
export async function beforeNextTry(
  { pause, randomBytes }: Pick<World, "pause" | "randomBytes">,
  attempt: number,
): Promise<void> {
  const jitter = (randomBytes(1)[0] ?? 0) / 256;
  await pause(5 + jitter * 20 * (attempt + 1));
}
