// A pod's status as a kubelet writes it.
import type { Connection } from "../../../../src/cluster/index.ts";
import { type KubeObject, kinds, pathOf } from "../../../../src/resources/objects.ts";

/** Merges into the pod's status. Throws ClusterError. */
export async function setPodStatus(
  connection: Pick<Connection, "send">,
  { metadata }: KubeObject,
  status: object,
): Promise<void> {
  await connection.send({
    method: "PATCH",
    path: pathOf(kinds.pods, metadata.namespace, metadata.name, "status"),
    contentType: "application/merge-patch+json",
    body: { status },
  });
}

/** One container's status in the given state; `image` is what the pod names. */
export const containerStatus = (
  { name, image }: { name: string; image: string },
  state: object,
  { ready = false, restartCount = 0 }: { ready?: boolean; restartCount?: number } = {},
): object => ({ name, image, imageID: image, ready, started: ready, restartCount, state });

/** The state of a container that ended. Times: ISO 8601. */
export const terminated = (
  exitCode: number,
  { startedAt, finishedAt = new Date().toISOString() }: { startedAt: string; finishedAt?: string },
): { terminated: object } => ({
  terminated: { exitCode, reason: exitCode === 0 ? "Completed" : "Error", startedAt, finishedAt },
});

/** Kubernetes' conditions of a pod that runs. */
export const podConditions = (ready: boolean): object[] =>
  [
    ["PodScheduled", true],
    ["Initialized", true],
    ["ContainersReady", ready],
    ["Ready", ready],
  ].map(([type, met]) => ({ type, status: met ? "True" : "False", lastTransitionTime: new Date().toISOString() }));
