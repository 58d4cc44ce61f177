import type { TestProject } from "vitest/node";
import { type Cluster, openCluster } from "../../dev/cluster/index.ts";
import { apiCa, installChart, localImage, reachableApi, system } from "../../dev/demo/install.ts";
import { buildImages } from "../../dev/image/index.ts";
import { openTerminal } from "../../dev/terminal/index.ts";
import { together } from "../../dev/terminal/together.ts";
import "./kube.ts";

/** Two operator replicas, so that leaders can change; short lease, so that they do it soon. Backups name their own storage. */
export const chartValues = (app: string, verification: Partial<Record<"postgres" | "mysql" | "mariadb", string>>) => ({
  ...localImage(app),
  operator: { replicas: 2, leaseSeconds: 5 },
  backups: {
    enabled: true,
    storage: { bucket: "unused", secretName: bucketSecret },
    verification: { images: verification, resources: { requests: { cpu: "50m" }, limits: { memory: "1Gi" } } },
  },
});
const bucketSecret = "unused-bucket";

let close: () => Promise<void> = async () => {};

/** One real cluster with the chart and all images for every file of this part (vitest calls both). */
export async function setup(project: TestProject): Promise<void> {
  const terminal = openTerminal({ name: "test-cluster" });
  let opened: Cluster | undefined;
  close = async () => {
    await opened?.down();
    terminal.close();
  };
  try {
    const [cluster, images] = await together(undefined, [
      // These tests look at the pods' processes, and kill the API server: not in Docker.
      async (signal) => {
        opened = await openCluster({ name: "test", kind: "local", terminal, signal });
        return opened;
      },
      (signal) => buildImages({ terminal, signal }),
    ]);
    await terminal.step("Load the images into the test cluster", async () => {
      const archives = new Set(Object.values(images).map((image) => image.archive));
      for (const archive of archives) await cluster.loadImage({ archive });
    });
    const { clusterIP } = JSON.parse(
      await cluster.kubectl(["get", "service", "kubernetes", "-o", "jsonpath={.spec}"]),
    ) as {
      clusterIP: string;
    };
    const reachable = await reachableApi(cluster, [clusterIP.replace(/\.\d+$/, ".0/24")], { namespaceSelector: {} });
    const { mysql, mariadb } = images;
    const values = {
      ...chartValues(images.app.ref, { mysql: mysql.ref, mariadb: mariadb.ref }),
      ...reachable.values,
      helmTest: { image: images.postgres.ref },
    };
    await cluster.kubectl(["create", "namespace", system.namespace]);
    const keys = ["accessKeyId", "secretAccessKey"].map((key) => `--from-literal=${key}=unused`);
    await cluster.kubectl(["create", "secret", "generic", bucketSecret, "-n", system.namespace, ...keys]);
    await terminal.step("Install the chart", (step) => installChart(cluster, values, step.log));
    const refs = Object.fromEntries(Object.entries(images).map(([name, image]) => [name, image.ref]));
    project.provide("cluster", {
      kubeconfig: cluster.kubeconfig,
      kubectl: cluster.kubectlProgram,
      name: cluster.name,
      images: refs as Record<keyof typeof images, string>,
      system: system.namespace,
      api: { baseUrl: reachable.baseUrl, ca: await apiCa(cluster) },
    });
  } catch (error) {
    await close();
    throw error;
  }
}

export const teardown = (): Promise<void> => close();
