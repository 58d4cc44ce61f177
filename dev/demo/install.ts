import { join } from "node:path";
import type { Cluster } from "../cluster/index.ts";
import { nodePortRange } from "../cluster/kind-config.ts";
import { run } from "../terminal/run.ts";
import { reachNodePort } from "./databases.ts";

/** The chart's release and namespace, in the demo and in tests. */
export const system = { release: "rowferry", namespace: "rowferry-system" } as const;

/** Chart values for an image that was loaded into the nodes and is in no registry. */
export function localImage(ref: string): Record<string, unknown> {
  const colon = ref.lastIndexOf(":");
  return { image: { repository: ref.slice(0, colon), tag: ref.slice(colon + 1), pullPolicy: "Never" } };
}

/** Of all nodes; a cluster of dev/cluster has one, and no load balancer. */
const apiNodePort = nodePortRange.first;

/**
 * Chart values by which this machine reaches the API. `allow`: what users' URLs may lead to within the cluster; `pods`: a
 * NetworkPolicy's peer with the pods behind it, since kind's network judges the pods' own addresses.
 */
export async function reachableApi(
  cluster: Pick<Cluster, "kubectl" | "nodePorts">,
  allow: readonly string[],
  pods: object,
): Promise<{ baseUrl: string; values: { api: object; guard: object; networkPolicies: object } }> {
  const { host, port } = await reachNodePort(cluster, apiNodePort);
  const baseUrl = `https://${host}:${port}`;
  return {
    baseUrl,
    values: {
      api: { baseUrl, signUp: true, service: { type: "NodePort", nodePort: apiNodePort } },
      guard: { allow },
      networkPolicies: { egress: [{ to: [pods] }] },
    },
  };
}

/** The certificate of the operator's CA, which signed the API's: PEM. */
export async function apiCa(cluster: Pick<Cluster, "kubectl">): Promise<string> {
  const args = ["get", "configmap", "rowferry-public-keys", "-n", system.namespace, "-o", "json"];
  const { data } = JSON.parse(await cluster.kubectl(args)) as { data: Record<string, string> };
  return data["ca.crt"] ?? "";
}

/** Installs or upgrades the chart with real Helm and waits until the operator is ready. Rejects with Helm's message. */
export async function installChart(
  cluster: Pick<Cluster, "helm" | "kubeconfig" | "helmArguments">,
  values: Record<string, unknown>,
  log: (text: string) => void = () => {},
  signal?: AbortSignal,
): Promise<void> {
  const chart = join(import.meta.dirname, "../../charts/rowferry");
  const where = [`--namespace=${system.namespace}`, "--create-namespace", `--kubeconfig=${cluster.kubeconfig}`];
  const args = ["upgrade", system.release, chart, "--install", ...where, "--values=-", "--wait", "--timeout=3m"];
  args.push(...(cluster.helmArguments ?? []));
  await run(cluster.helm, args, {
    input: JSON.stringify(values),
    log,
    ...(signal === undefined ? {} : { signal }),
  });
}
