import { labels, serversAnnotation } from "../../src/resources/group.ts";
import type { Migration } from "../../src/resources/migration.ts";
import { dueRun } from "../../src/resources/run.ts";
import type { Candidate } from "../jobs/candidate.ts";
import { isRunning, isWaiting } from "./run.ts";

/** Of Migrations of the cache, which are replaced when they change: of ten thousand that wait each decision asks. */
const known = new WeakMap<Migration, Candidate>();

export function candidateOf(migration: Migration): Candidate {
  const found = known.get(migration);
  if (found !== undefined) return found;
  const made = read(migration);
  known.set(migration, made);
  return made;
}

const read = (migration: Migration): Candidate => {
  const { metadata, status } = migration;
  const due = dueRun(migration);
  return {
    kind: "Migration",
    name: metadata.name,
    namespace: metadata.namespace,
    uid: metadata.uid,
    generation: metadata.generation,
    account: metadata.labels?.[labels.account],
    servers: serversOf(metadata.annotations?.[serversAnnotation]),
    isScheduled: false,
    isRunning: isRunning(migration),
    isWaiting: isWaiting(migration),
    since: since(migration, due.why),
    run: due.run,
    isSeen: (run) =>
      (status?.run ?? 0) >= run &&
      (status?.job !== undefined || status?.state === "completed" || status?.state === "failed"),
  };
};

function since({ status, metadata }: Migration, due: ReturnType<typeof dueRun>["why"]): number {
  // A raise is not stamped with a time by Kubernetes: it queues behind those that were there when it is first seen.
  if (due === "retry" || due === "reset") return Number.POSITIVE_INFINITY;
  // Made in this second, and not seen by a pass yet: behind those that were.
  const made = Date.parse(metadata.creationTimestamp) + 999;
  return due === "present" && status?.queuedAt !== undefined ? Date.parse(status.queuedAt) : made;
}

/** The names in the annotation; what is no text of a sensible length is none. */
function serversOf(text: string | undefined): NonNullable<Candidate["servers"]> {
  if (text === undefined || text.length > 1024) return {};
  try {
    const { source, target } = Object(JSON.parse(text)) as Record<string, unknown>;
    const named = (name: unknown): name is string => typeof name === "string" && name !== "";
    return { ...(named(source) ? { source } : {}), ...(named(target) ? { target } : {}) };
  } catch {
    return {};
  }
}
