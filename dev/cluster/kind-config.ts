// A kind cluster as kind reads it: one node, and the ports by which this machine reaches what is inside. Pure.
import type { Place } from "./place.ts";

/**
 * The image of the node, of kind's own release: the default of the version in binaries/tools.ts. The digest is the one
 * in that version's Go module (sigs.k8s.io/kind, pkg/apis/config/defaults).
 */
export const nodeImage = {
  name: "kindest/node",
  tag: "v1.34.0",
  digest: "sha256:7416a61b42b1662ca6ca89f02028ac133a309a2a30ba309614e8ec94d976dc5a",
} as const;

/** kind's own cluster name, the name of the one node's container, and of the network that is this cluster's alone. */
export const kindNames = (place: Place): { cluster: string; node: string; network: string } => {
  const cluster = `rowferry-${place.id}`;
  return { cluster, node: `${cluster}-control-plane`, network: cluster };
};

/**
 * Node ports of the cluster, each published on this machine's loopback: a Mac has no route to containers. The API's own
 * port is the first: Kubernetes gives Services that ask for none a port of the upper half.
 */
export const nodePortRange = { first: 30_443, last: 30_474 } as const;

const ports = Array.from({ length: nodePortRange.last - nodePortRange.first + 1 }, (_, at) => nodePortRange.first + at);

/** kind's configuration, as JSON, which YAML includes. Port 0 lets kind choose a free one. */
export const kindConfig = (): string =>
  JSON.stringify({
    kind: "Cluster",
    apiVersion: "kind.x-k8s.io/v1alpha4",
    kubeadmConfigPatches: [
      JSON.stringify({
        kind: "ClusterConfiguration",
        apiServer: {
          extraArgs: { "service-node-port-range": `${nodePortRange.first}-${nodePortRange.last}` },
        },
      }),
    ],
    nodes: [
      {
        role: "control-plane",
        extraPortMappings: ports.map((containerPort) => ({
          containerPort,
          hostPort: 0,
          listenAddress: "127.0.0.1",
        })),
      },
    ],
  });

/** Node port → port on this machine's loopback, from lines of `docker port`: `30443/tcp -> 127.0.0.1:46149`. */
export const publishedPorts = (lines: string): Record<number, number> =>
  Object.fromEntries(
    [...lines.matchAll(/^(\d+)\/tcp -> 127\.0\.0\.1:(\d+)$/gm)]
      .map(([, inside, outside]) => [Number(inside), Number(outside)] as const)
      .filter(([inside]) => inside >= nodePortRange.first && inside <= nodePortRange.last),
  );
