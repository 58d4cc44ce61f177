import { type Connection, type Job, type Pod, startInformer } from "../cluster/index.ts";
import { type Kind, type KubeObject, kinds } from "../resources/objects.ts";

/** Caches of the Jobs and pods of workers, whoever owns them. */
export function watchWorkers(
  connection: Connection,
  common: { resync: number; now: () => number; random: () => number; signal: AbortSignal },
  changed: (object: KubeObject) => void,
  problem: (what: string) => (error: unknown) => void,
) {
  const watch = <T extends Job | Pod>(kind: Kind<T>) =>
    startInformer<T>(connection, {
      ...common,
      kind,
      labelSelector: "app.kubernetes.io/managed-by=rowferry,app.kubernetes.io/component=worker",
      // A spec is not looked at again, and is the larger part.
      trim: ({ metadata, status }) => {
        const { managedFields: _fields, ...rest } = metadata as T["metadata"] & { managedFields?: unknown };
        return { metadata: rest, ...(status ? { status } : {}) } as T;
      },
      changed: (before, after) => changed((after ?? before) as KubeObject),
      problem: problem(`watching ${kind.plural}`),
    });
  return { jobs: watch(kinds.jobs), pods: watch(kinds.pods) };
}
