import type { Migration } from "../../src/resources/migration.ts";
import { dueRun } from "../../src/resources/run.ts";

import type { Slot } from "./observed.ts";
import { isRunning, isWaiting } from "./run.ts";

/** How many runs there may be at the same time. */
export interface Limits {
  cluster: number;
  namespace: number;
}

/** When a waiting run began to wait, in milliseconds, as its place in the line goes. */
function since(migration: Migration): number {
  const { status, metadata } = migration;
  const due = dueRun(migration).why;
  // A raise is not stamped with a time by Kubernetes: it queues behind those that were there when it is first seen.
  if (due === "retry" || due === "reset") return Number.POSITIVE_INFINITY;
  // Made in this second, and not seen by a pass yet: behind those that were.
  const made = Date.parse(metadata.creationTimestamp) + 999;
  return due === "present" && status?.queuedAt !== undefined ? Date.parse(status.queuedAt) : made;
}

/**
 * Who may start, of all Migrations in the cluster. `starting` names (by uid) those that were let start but are not seen with a Job yet.
 * Oldest first; one that only its namespace holds back lets others pass. A position counts the line that holds it back.
 */
export function admission(
  migrations: Iterable<Migration>,
  starting: ReadonlySet<string>,
  limits: Limits,
): (uid: string) => Slot {
  let total = 0;
  const running = new Map<string, number>();
  const line: { uid: string; namespace: string; since: number }[] = [];
  const admit = (namespace: string) => {
    total += 1;
    running.set(namespace, (running.get(namespace) ?? 0) + 1);
  };
  for (const migration of migrations) {
    const { uid, namespace } = migration.metadata;
    if (isRunning(migration) || starting.has(uid)) admit(namespace);
    else if (isWaiting(migration)) {
      line.push({ uid, namespace, since: since(migration) });
    }
  }
  line.sort((a, b) => (a.since === b.since ? (a.uid < b.uid ? -1 : 1) : a.since - b.since));

  const slots = new Map<string, Slot>();
  const heldByNamespace = new Map<string, number>();
  let heldByCluster = 0;
  for (const { uid, namespace } of line) {
    if ((running.get(namespace) ?? 0) >= limits.namespace) {
      const position = (heldByNamespace.get(namespace) ?? 0) + 1;
      heldByNamespace.set(namespace, position);
      slots.set(uid, { free: false, position, scope: "namespace", limit: limits.namespace });
    } else if (total >= limits.cluster) {
      heldByCluster += 1;
      slots.set(uid, { free: false, position: heldByCluster, scope: "cluster", limit: limits.cluster });
    } else {
      admit(namespace);
      slots.set(uid, { free: true });
    }
  }
  return (uid) => slots.get(uid) ?? { free: true };
}
