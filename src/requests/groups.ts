import type { KubeObject } from "../resources/objects.ts";

/** Objects of a cluster-wide kind by a key that each has some of, such as tokens by their owner: to find them, no other is looked at. */
export interface Groups<T extends KubeObject> {
  /** Told of each that appears, changes or goes, as an informer tells it. */
  changed(before: T | undefined, after: T | undefined): void;
  /** In no order. */
  of(key: string): T[];
}

export function createGroups<T extends KubeObject>(keysOf: (object: T) => readonly string[]): Groups<T> {
  const groups = new Map<string, Map<string, T>>();

  function drop(object: T): void {
    for (const key of keysOf(object)) {
      const group = groups.get(key);
      group?.delete(object.metadata.name);
      if (group?.size === 0) groups.delete(key);
    }
  }

  function put(object: T): void {
    for (const key of keysOf(object)) {
      const group = groups.get(key) ?? new Map<string, T>();
      groups.set(key, group.set(object.metadata.name, object));
    }
  }

  return {
    changed(before, after) {
      if (before !== undefined) drop(before);
      if (after !== undefined) put(after);
    },
    of: (key) => [...(groups.get(key)?.values() ?? [])],
  };
}
