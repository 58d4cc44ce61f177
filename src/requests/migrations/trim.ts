import type { Migration } from "../../resources/migration.ts";
import { marks } from "./marks.ts";

/**
 * What the API's cache keeps of a Migration: the fields of lists and what finds it. Whatever else is shown is read live, so that 10,000
 * take little memory.
 */
export function trimForLists({ apiVersion, kind, metadata, spec, status }: Migration): Migration {
  const { name, namespace, uid, generation, resourceVersion, creationTimestamp, deletionTimestamp } = metadata;
  const own = [marks.createdAt, marks.type].flatMap((mark) => {
    const value = metadata.annotations?.[mark];
    return value === undefined ? [] : [[mark, value]];
  });
  return {
    apiVersion,
    kind,
    metadata: {
      name,
      namespace,
      uid,
      generation,
      resourceVersion,
      creationTimestamp,
      ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      ...(own.length === 0 ? {} : { annotations: Object.fromEntries(own) }),
    },
    spec: { source: {}, target: {}, attempt: spec.attempt, reset: spec.reset },
    ...(status === undefined ? {} : { status: trimStatus(status) }),
  };
}

function trimStatus(status: NonNullable<Migration["status"]>): NonNullable<Migration["status"]> {
  const { state, run, attempt, reset, type, size, cost, observedGeneration } = status;
  const kept = { state, run, attempt, reset, type, size, cost, observedGeneration };
  return Object.fromEntries(Object.entries(kept).filter(([, value]) => value !== undefined));
}
