import type { Cluster } from "../cluster/index.ts";
import { databaseManifests } from "../databases/manifests.ts";

/** Where a database of the demo is: `pod` is its URL inside the cluster, `host` the one from this machine. */
export interface DemoDatabase {
  kind: string;
  service: string;
  pod: string;
  host: string;
}

type Kind = "mysql" | "mariadb" | "postgres" | "postgres-old";
type ClusterAccess = Pick<Cluster, "kubectl"> & Partial<Pick<Cluster, "nodePorts" | "kind">>;

interface Wanted {
  kind: Kind;
  name: string;
  image: string;
  /** Whether it is the database's official image; default: no. */
  official?: boolean;
  password: string;
}

/** Applies a database of each kind under its name; answers the addresses of their Services. */
export async function applyDatabases(
  cluster: ClusterAccess,
  namespace: string,
  wanted: readonly Wanted[],
): Promise<string[]> {
  const items = wanted.flatMap(({ kind, name, image, official = false, password }) =>
    databaseManifests(kind, { namespace, name, image, official, password }),
  );
  await cluster.kubectl(["apply", "-f", "-"], { input: JSON.stringify({ apiVersion: "v1", kind: "List", items }) });
  const addresses = wanted.map(({ name }) =>
    cluster.kubectl(["get", "service", name, "-n", namespace, "-o", "jsonpath={.spec.clusterIP}"]),
  );
  return Promise.all(addresses);
}

/** Applies a database of each kind under its name, and waits until all are ready. */
export async function startDatabases(
  cluster: ClusterAccess,
  namespace: string,
  wanted: readonly Wanted[],
): Promise<DemoDatabase[]> {
  await applyDatabases(cluster, namespace, wanted);
  return readyDatabases(cluster, namespace, wanted);
}

/** Waits until the databases that were applied are ready. */
export async function readyDatabases(
  cluster: ClusterAccess,
  namespace: string,
  wanted: readonly Wanted[],
  signal?: AbortSignal,
): Promise<DemoDatabase[]> {
  const rollouts = wanted.map(({ name }) =>
    cluster.kubectl(
      ["rollout", "status", `deployment/${name}`, "-n", namespace, "--timeout=180s"],
      signal === undefined ? {} : { signal },
    ),
  );
  await Promise.all(rollouts);
  return Promise.all(
    wanted.map(async ({ kind, name, password }) => {
      const service = JSON.parse(await cluster.kubectl(["get", "service", name, "-n", namespace, "-o", "json"]));
      const { port, nodePort } = service.spec.ports[0];
      const url = (host: string, at: number) => databaseUrl(kind, password, host, at);
      const outside = await reachNodePort(cluster, nodePort);
      const host = url(outside.host, outside.port);
      // Processes have this machine's names alone.
      const pod = cluster.kind === "processes" ? host : url(`${name}.${namespace}.svc`, port);
      return { kind, service: name, pod, host };
    }),
  );
}

function databaseUrl(kind: Kind, password: string, host: string, port: number): string {
  const [scheme, user] = kind === "mysql" || kind === "mariadb" ? ["mysql", "root"] : ["postgres", "postgres"];
  return `${scheme}://${user}:${encodeURIComponent(password)}@${host}:${port}/shop`;
}

/** Where this machine reaches a node port: at a port of its loopback, or at the node. */
export async function reachNodePort(
  { kubectl, nodePorts = null }: ClusterAccess,
  nodePort: number,
): Promise<{ host: string; port: number }> {
  if (nodePorts !== null) {
    const port = nodePorts[nodePort];
    if (port === undefined) throw new Error(`the cluster's node port ${nodePort} has no port on this machine`);
    return { host: "127.0.0.1", port };
  }
  const nodes = JSON.parse(await kubectl(["get", "nodes", "-o", "json"]));
  const addresses: { type: string; address: string }[] = nodes.items[0]?.status.addresses ?? [];
  const internal = addresses.find(({ type }) => type === "InternalIP");
  if (!internal) throw new Error("the cluster's node has no InternalIP");
  return { host: internal.address, port: nodePort };
}
