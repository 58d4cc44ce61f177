import type { World } from "../world.ts";

/** Lists are read from a cache that is a moment behind: a write answers when this replica's cache has it, so that a list shows it. */

/** Milliseconds; then the write answers all the same. */
const longest = 2000;

export async function untilCached(world: Pick<World, "pause">, holds: () => boolean): Promise<void> {
  for (let waited = 0, step = 4; waited < longest && !holds(); waited += step, step = Math.min(step * 2, 64))
    await world.pause(step);
}
