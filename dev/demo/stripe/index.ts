import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import type { Cluster } from "../../cluster/index.ts";
import { bundleProgram } from "../../program.ts";
import { reachNodePort } from "../databases.ts";
import { system } from "../install.ts";
import { simulatorManifests, simulatorService } from "./manifests.ts";
import { stripe } from "./names.ts";

/** Where the simulator is: `browser` for this machine, `pod` for Rowferry's pods. */
export interface SimulatorPlace {
  browser: string;
  pod: string;
}

/** Chart values. */
export const billingValues = ({ pod }: SimulatorPlace): object => ({
  stripe: { secretName: stripe.secret, url: pod },
});

const apply = (cluster: Pick<Cluster, "kubectl">, items: readonly object[]): Promise<string> =>
  // Client-side apply would keep a copy of the program in an annotation, which has no room for it.
  cluster.kubectl(["apply", "--server-side", "--force-conflicts", "-f", "-"], {
    input: JSON.stringify({ apiVersion: "v1", kind: "List", items }),
  });

/** Creates the Service and the keys; both must exist before the chart is installed. A kept cluster keeps its keys. */
export async function prepareSimulator(cluster: Cluster, namespace: string): Promise<SimulatorPlace> {
  const found = await cluster.kubectl([
    ...["get", "secret", stripe.secret, "-n", system.namespace, "--ignore-not-found", "-o", "json"],
  ]);
  const data: Record<string, string> =
    found === ""
      ? {
          key: base64(`sk_test_${randomBytes(12).toString("hex")}`),
          "webhook-secret": base64(`whsec_${randomBytes(12).toString("hex")}`),
        }
      : (JSON.parse(found) as { data: Record<string, string> }).data;
  const secret = (where: string) => ({
    ...{ apiVersion: "v1", kind: "Secret", metadata: { name: stripe.secret, namespace: where } },
    data,
  });
  const home = { apiVersion: "v1", kind: "Namespace", metadata: { name: system.namespace } };
  await apply(cluster, [home, secret(system.namespace), secret(namespace), simulatorService(namespace)]);
  const service = JSON.parse(await cluster.kubectl(["get", "service", stripe.service, "-n", namespace, "-o", "json"]));
  const { host, port } = await reachNodePort(cluster, service.spec.ports[0].nodePort);
  const browser = `http://${host}:${port}`;
  const pod = cluster.kind === "processes" ? browser : `http://${stripe.service}.${namespace}.svc:${stripe.port}`;
  return { browser, pod };
}

/** Starts the simulator and waits until it is ready. `api`: URL of the API from this machine; `ca`: of its certificate. */
export async function startDemoSimulator(
  cluster: Cluster,
  {
    namespace,
    image,
    place,
    api,
    ca,
  }: { namespace: string; image: string; place: SimulatorPlace; api: string; ca: string },
  signal: AbortSignal,
): Promise<void> {
  const bundle = await bundleProgram(new URL("./pod.ts", import.meta.url).pathname);
  try {
    const program = await readFile(bundle.path, "utf8");
    const webhookBase = cluster.kind === "processes" ? api : `https://rowferry-api.${system.namespace}.svc`;
    const items = simulatorManifests({ namespace, image, program, ca, url: place.browser, webhookBase });
    await apply(cluster, items);
  } finally {
    await bundle.remove();
  }
  const rollout = ["rollout", "status", `deployment/${stripe.service}`, "-n", namespace, "--timeout=120s"];
  await cluster.kubectl(rollout, { signal });
}

const base64 = (text: string): string => Buffer.from(text).toString("base64");
