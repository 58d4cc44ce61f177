/**
 * Versions of objects that this process has itself written over. While a cache still shows such a version, a pass over it would only do
 * again what was done: under load thousands of passes, each with requests, a Job that is created twice, and a conflict at its end.
 */
interface Replaced {
  /** To be told of each write, with the object before and after it. */
  wrote(before: Versioned, after: Versioned): void;
  /** Whether this is a version that was written over. */
  has(object: Versioned): boolean;
  /** The object is gone. */
  forget(object: Versioned): void;
}

interface Versioned {
  metadata: { uid?: string; resourceVersion?: string };
}

export function createReplaced(): Replaced {
  /** By uid, until the cache shows another version. */
  const versions = new Map<string, Set<string>>();
  return {
    wrote({ metadata: { uid, resourceVersion } }, after) {
      if (uid === undefined || resourceVersion === undefined) return;
      // Nothing was changed: the cache will show no other version.
      if (after.metadata.resourceVersion === resourceVersion) return;
      const known = versions.get(uid) ?? new Set();
      versions.set(uid, known.add(resourceVersion));
    },
    has({ metadata: { uid, resourceVersion } }) {
      const isReplaced = versions.get(uid ?? "")?.has(resourceVersion ?? "") === true;
      if (!isReplaced) versions.delete(uid ?? "");
      return isReplaced;
    },
    forget({ metadata: { uid } }) {
      versions.delete(uid ?? "");
    },
  };
}

/** Milliseconds after which such an object is looked at again, should the cache bring nothing. */
export const untilSeen = 1000;
