import type { Migration } from "../../../resources/migration.ts";
import { publicId } from "../keys/id.ts";
import { createdAt } from "./shown.ts";

/**
 * The cache's Migrations in the order of lists, and by their public ids, so that neither a page nor an id costs a look at each of them.
 * The order is by the time of creation, then by uid: a place in it is a Migration's own and never changes.
 */
export interface MigrationOrder {
  /** Told of each that appears, changes or goes, as an informer tells it. */
  changed(before: Migration | undefined, after: Migration | undefined): void;
  /** A namespace's, the newest first, from behind a place. */
  newestFirst(namespace: string, after?: ListPosition): Generator<Migration>;
  withId(id: string): readonly Migration[];
}

interface ListPosition {
  /** As `created_at` shows it. */
  at: string;
  uid: string;
}

export const listPosition = (migration: Migration): ListPosition => ({
  at: createdAt(migration),
  uid: migration.metadata.uid,
});

const isOlder = (a: ListPosition, b: ListPosition): boolean => (a.at === b.at ? a.uid < b.uid : a.at < b.at);

interface Placed extends ListPosition {
  migration: Migration;
}

export function createMigrationOrder(): MigrationOrder {
  /** Of each namespace, the oldest first: most that is new is put at the end. */
  const namespaces = new Map<string, Placed[]>();
  const ids = new Map<string, Migration[]>();

  function drop(migration: Migration): void {
    const { namespace, uid } = migration.metadata;
    const placed = namespaces.get(namespace) ?? [];
    const index = firstFrom(placed, listPosition(migration));
    if (placed[index]?.uid === uid) placed.splice(index, 1);
    if (placed.length === 0) namespaces.delete(namespace);
    const id = publicId(migration);
    const others = (ids.get(id) ?? []).filter(({ metadata }) => metadata.uid !== uid);
    if (others.length === 0) ids.delete(id);
    else ids.set(id, others);
  }

  function put(migration: Migration): void {
    const { namespace } = migration.metadata;
    const placed = namespaces.get(namespace) ?? [];
    namespaces.set(namespace, placed);
    const place = listPosition(migration);
    placed.splice(firstFrom(placed, place), 0, { ...place, migration });
    const id = publicId(migration);
    ids.set(id, [...(ids.get(id) ?? []), migration]);
  }

  return {
    changed(before, after) {
      if (before !== undefined) drop(before);
      if (after !== undefined) put(after);
    },
    *newestFirst(namespace, after) {
      const placed = namespaces.get(namespace) ?? [];
      const end = after === undefined ? placed.length : firstFrom(placed, after);
      for (let index = end - 1; index >= 0; index -= 1) {
        const one = placed[index];
        if (one !== undefined) yield one.migration;
      }
    },
    withId: (id) => ids.get(id) ?? [],
  };
}

/** Index of the first that is not older than the place. */
function firstFrom(placed: readonly Placed[], place: ListPosition): number {
  let [low, high] = [0, placed.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    const one = placed[middle];
    if (one !== undefined && isOlder(one, place)) low = middle + 1;
    else high = middle;
  }
  return low;
}
