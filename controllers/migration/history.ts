import type { Migration } from "../../src/resources/migration.ts";

/** Which finished Migrations a namespace has beyond those that it keeps: the ones that ended first. */
interface History {
  /** Takes those that are there, before anything changes. */
  seed(all: Iterable<Migration>): void;
  /** To be told of every change that the cache sees; answers the keys of those that are beyond the limit now. */
  changed(before: Migration | undefined, after: Migration | undefined): string[];
  isSurplus(migration: Migration): boolean;
}

interface Finished {
  key: string;
  uid: string;
  at: string;
}

/** `limit`: how many each namespace keeps; 0: any. */
export function createHistory(limit: number): History {
  const finished = new Map<string, Map<string, Finished>>();
  /** By namespace, until something changes there. */
  const surplus = new Map<string, Map<string, Finished>>();

  const endOf = (migration: Migration | undefined): string | undefined => {
    const { state, finishedAt } = migration?.status ?? {};
    const isOver = state === "completed" || state === "failed";
    return isOver && migration?.metadata.deletionTimestamp === undefined ? finishedAt : undefined;
  };

  function put({ metadata: { namespace, name, uid } }: Migration, at: string | undefined): void {
    const there = finished.get(namespace) ?? new Map<string, Finished>();
    finished.set(namespace, there);
    if (at === undefined) there.delete(uid);
    else there.set(uid, { key: `${namespace}/${name}`, uid, at });
    if (there.size === 0) finished.delete(namespace);
    surplus.delete(namespace);
  }

  function beyond(namespace: string): Map<string, Finished> {
    const known = surplus.get(namespace);
    if (known !== undefined) return known;
    const there = [...(finished.get(namespace)?.values() ?? [])];
    const oldest = there.sort((a, b) => (a.at === b.at ? (a.uid < b.uid ? 1 : -1) : a.at < b.at ? 1 : -1)).slice(limit);
    const found = new Map(oldest.map((one) => [one.uid, one]));
    surplus.set(namespace, found);
    return found;
  }

  return {
    seed(all) {
      if (limit === 0) return;
      for (const migration of all) {
        const at = endOf(migration);
        if (at !== undefined) put(migration, at);
      }
    },
    changed(before, after) {
      const object = after ?? before;
      if (limit === 0 || object === undefined) return [];
      // One of the same name that was made anew has another uid.
      if (before !== undefined && before.metadata.uid !== object.metadata.uid) put(before, undefined);
      const at = endOf(after);
      if (at === finished.get(object.metadata.namespace)?.get(object.metadata.uid)?.at) return [];
      put(object, at);
      return [...beyond(object.metadata.namespace).values()].map(({ key }) => key);
    },
    isSurplus: ({ metadata: { namespace, uid } }) => limit > 0 && beyond(namespace).has(uid),
  };
}
