import { isConflict, kinds } from "../../cluster/index.ts";
import { clean } from "../../guard/text.ts";
import type { Migration, MigrationState } from "../../resources/migration.ts";
import { giveBackFree, useUpFree } from "../billing/give-back.ts";
import { Problem } from "../errors.ts";
import { tries } from "../update-with-retry.ts";
import type { Caller, World } from "../world.ts";
import { findLive, findMigration } from "./find.ts";
import { hasWrittenNothing } from "./reset.ts";
import { marks } from "./view/marks.ts";
import { checkSeen, type SeenState, seenOf } from "./view/precondition.ts";
import type { Acted, MigrationListItem } from "./view/shapes.ts";
import { listed, shownState } from "./view/shown.ts";
import { goneEverywhere } from "./view/wait-for-cache.ts";

/**
 * Deletes a Migration with its sealed URLs, log and report; a run in progress is stopped. What is in the target stays. From then on it
 * is not found. `seen`: act only where it still is as it was seen. Throws Problem `not_found`, `other_team`, `state_conflict` where it is not, `busy`.
 */
export async function remove(
  world: World,
  caller: Caller,
  id: string,
  seen?: SeenState,
): Promise<Acted & { remains: Remains }> {
  const migration = await (seen === undefined ? removeAny(world, caller, id) : removeLive(world, caller, id, seen));
  await giveBackFree(world, migration.spec.payment, {
    ...migration.metadata,
    madeAt: migration.metadata.annotations?.[marks.createdAt],
  });
  await goneEverywhere(world, kinds.migrations, world.caches.migrations, migration.metadata);
  const state = shownState(migration);
  return {
    message: deletedMessage(migration, state),
    migration: listed(migration, world.settings.currency),
    remains: remainsOf(migration),
  };
}

/** What a deleted migration leaves in its target, as far as its status says. */
export interface Remains {
  isRunning: boolean;
  isUntouched: boolean;
  isComplete: boolean;
  /** Of a copy that is not complete: those in work and the largest others, as progress shows them. */
  tables: string[];
  /** Tables of that copy. */
  total: number;
}

function remainsOf(migration: Migration): Remains {
  const state = shownState(migration) ?? "pending";
  const isUntouched = hasWrittenNothing(migration, state);
  const isComplete = state === "completed";
  const isPart = !(isUntouched || isComplete);
  const progress = isPart ? migration.status?.progress : undefined;
  return {
    isRunning: state === "in_progress" || (state === "pending" && migration.status?.job !== undefined),
    ...{ isUntouched, isComplete },
    tables: (progress?.table ?? []).map(({ name }) => clean(name, 256)),
    total: progress?.tables.total ?? 0,
  };
}

function deletedMessage(migration: Migration, state: MigrationState | undefined): string {
  if (hasWrittenNothing(migration, state)) return "The migration is deleted. It wrote nothing to the target.";
  if (state === "completed") return "The migration is deleted. The copied tables stay in the target.";
  const stopped = state === "failed" ? "" : " Its run is being stopped.";
  return `The migration is deleted.${stopped} Its tables and the table _rowferry stay in the target: drop them before the next copy into that database.`;
}

/** What a delete would remove, as it was seen. Throws Problem `not_found`, `other_team`. */
export async function previewRemove(
  world: World,
  caller: Caller,
  id: string,
): Promise<{ migration: MigrationListItem; seen: SeenState; remains: Remains }> {
  const migration = await findLive(world, caller, id);
  return {
    migration: listed(migration, world.settings.currency),
    seen: seenOf(migration),
    remains: remainsOf(migration),
  };
}

async function removeAny(world: World, caller: Caller, id: string): Promise<Migration> {
  const known = await findMigration(world, caller, id);
  // What its copy came to decides whether it is used up.
  if (known.spec.payment?.by === "free") return removeLive(world, caller, id);
  const tried = ({ metadata: { namespace, name, uid } }: Migration) =>
    world.client.remove(kinds.migrations, namespace, name, uid);
  try {
    await tried(known);
    return known;
  } catch (error) {
    if (!isConflict(error)) throw error;
    // Deleted and made again, of which the cache has not heard: an Idempotency-Key makes the same id.
    const live = await findLive(world, caller, id);
    await tried(live);
    return live;
  }
}

/** Removes it as the API server has it. A run in progress writes its progress meanwhile: then it is looked at again. */
async function removeLive(world: World, caller: Caller, id: string, seen?: SeenState): Promise<Migration> {
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const migration = await findLive(world, caller, id);
    if (seen !== undefined) checkSeen(migration, seen);
    await useUpFree(world, migration);
    const { namespace, name, uid, resourceVersion } = migration.metadata;
    try {
      await world.client.remove(kinds.migrations, namespace, name, uid, resourceVersion);
      return migration;
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  }
  throw new Problem("busy", "It changes all the time at the moment; try again.", { retryAfter: 1 });
}
