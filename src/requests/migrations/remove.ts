import { kinds } from "../../cluster/index.ts";
import type { Caller, World } from "../world.ts";
import { find } from "./find.ts";
import { untilCached } from "./seen.ts";
import type { Acted } from "./shapes.ts";
import { listed, shownState } from "./shown.ts";

/**
 * Deletes a Migration with its sealed URLs, log and report; a run in progress is stopped. What is in the target stays. From then on it
 * is not found. Throws Problem `not_found`, `other_team`.
 */
export async function remove(world: World, caller: Caller, id: string): Promise<Acted> {
  const migration = await find(world, caller, id);
  const { namespace, name, uid } = migration.metadata;
  await world.client.remove(kinds.migrations, namespace, name, uid);
  await untilCached(world, () => {
    const cached = world.caches.migrations.get(namespace, name);
    return cached?.metadata.uid !== uid || cached.metadata.deletionTimestamp !== undefined;
  });
  const state = shownState(migration);
  const running = state === "in_progress" || state === "pending";
  return {
    message: running
      ? "The migration is deleted, and its run is being stopped; what it wrote to the target so far stays there."
      : "The migration is deleted; what it made in the target stays there.",
    migration: listed(migration, world.settings.currency),
  };
}
