import { join } from "node:path";
import type { Cluster } from "../cluster/index.ts";
import { run } from "../terminal/run.ts";

/** The chart's release and namespace, in the demo and in tests. */
export const system = { release: "rowferry", namespace: "rowferry-system" } as const;

/** Chart values for an image that was loaded into the nodes and is in no registry. */
export function localImage(ref: string): Record<string, unknown> {
  const colon = ref.lastIndexOf(":");
  return { image: { repository: ref.slice(0, colon), tag: ref.slice(colon + 1), pullPolicy: "Never" } };
}

/** Installs or upgrades the chart with real Helm and waits until the operator is ready. Rejects with Helm's words. */
export async function installChart(
  cluster: Pick<Cluster, "helm" | "kubeconfig">,
  values: Record<string, unknown>,
  log: (text: string) => void = () => {},
): Promise<void> {
  const chart = join(import.meta.dirname, "../../charts/rowferry");
  const where = [`--namespace=${system.namespace}`, "--create-namespace", `--kubeconfig=${cluster.kubeconfig}`];
  const args = ["upgrade", system.release, chart, "--install", ...where, "--values=-", "--wait", "--timeout=3m"];
  await run(cluster.helm, args, { input: JSON.stringify(values), log });
}
