import { ownerUid, trimJob, trimPod } from "../../../controllers/jobs/trim.ts";
import { type Connection, type Job, type Pod, startInformers } from "../../cluster/index.ts";
import { type Kind, type KubeObject, kinds } from "../../resources/objects.ts";

/** Caches of the Jobs and pods of workers, whoever owns them. */
export function watchWorkers(
  connection: Connection,
  common: { namespaces: string[]; resync: number; now: () => number; random: () => number; signal: AbortSignal },
  changed: (object: KubeObject) => void,
  problem: (what: string) => (error: unknown) => void,
) {
  const watch = <T extends Job | Pod>(kind: Kind<T>, trim: (object: T) => T) =>
    startInformers<T>(connection, {
      ...common,
      kind,
      labelSelector: "app.kubernetes.io/managed-by=rowferry,app.kubernetes.io/component=worker",
      trim,
      indexedBy: ownerUid,
      changed: (before, after) => changed((after ?? before) as KubeObject),
      problem: problem(`watching ${kind.plural}`),
    });
  return { jobs: watch(kinds.jobs, trimJob), pods: watch(kinds.pods, trimPod) };
}
