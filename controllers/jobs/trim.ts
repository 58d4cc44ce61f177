import { labels } from "../../src/resources/group.ts";
import type { Job, KubeCondition, KubeObject, Pod } from "../../src/resources/objects.ts";

/**
 * What the operator's cache keeps of Jobs and pods, which outlive their runs by a day: what a decision reads. Of ten thousand finished
 * runs all of it would not fit into its memory.
 */

/** Conditions that something is read of. */
const read = new Set([
  "Complete",
  "Failed",
  "FailureTarget",
  "SuccessCriteriaMet",
  "Suspended",
  "DisruptionTarget",
  "PodScheduled",
]);

const keptLabels = [labels.migrationUid, labels.ownerUid, labels.run];
const keptAnnotations = [labels.migration, labels.owner];

export function trimJob({ metadata, status }: Job): Job {
  if (status === undefined) return { metadata: trimmed(metadata) };
  const { failed } = status;
  return {
    metadata: trimmed(metadata),
    status: { ...conditions(status.conditions), ...(failed === undefined ? {} : { failed }) },
  };
}

export function trimPod({ metadata, status }: Pod): Pod {
  if (status === undefined) return { metadata: trimmed(metadata) };
  const { phase, reason, message, containerStatuses } = status;
  return {
    metadata: trimmed(metadata),
    status: {
      ...conditions(status.conditions),
      ...(phase === undefined ? {} : { phase }),
      ...(reason === undefined ? {} : { reason }),
      ...(message === undefined ? {} : { message }),
      ...(containerStatuses === undefined
        ? {}
        : {
            containerStatuses: containerStatuses.map(({ name, image, state }) => ({
              name,
              // Named where the node cannot get it.
              ...(state?.waiting !== undefined && image !== undefined ? { image } : {}),
              ...(state === undefined ? {} : { state }),
            })),
          }),
    },
  };
}

/** The owner's uid, by which both are looked up. */
export const ownerUid = ({ metadata }: KubeObject): string | undefined =>
  metadata.labels?.[labels.migrationUid] ?? metadata.labels?.[labels.ownerUid];

function trimmed(metadata: KubeObject["metadata"]): KubeObject["metadata"] {
  const { name, namespace, uid, resourceVersion, creationTimestamp, deletionTimestamp, ownerReferences } = metadata;
  return {
    name,
    ...(namespace === undefined ? {} : { namespace }),
    ...(uid === undefined ? {} : { uid }),
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(creationTimestamp === undefined ? {} : { creationTimestamp }),
    ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
    ...(ownerReferences === undefined ? {} : { ownerReferences }),
    labels: only(metadata.labels, keptLabels),
    annotations: only(metadata.annotations, keptAnnotations),
  };
}

const only = (all: Record<string, string> | undefined, names: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(all ?? {}).filter(([name]) => names.includes(name)));

const conditions = (all: KubeCondition[] | undefined): { conditions?: KubeCondition[] } =>
  all === undefined ? {} : { conditions: all.filter(({ type }) => read.has(type)) };
