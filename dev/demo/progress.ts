import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import type { MigrationStatus } from "../../src/resources/migration.ts";
import type { Cluster } from "../cluster/index.ts";

/**
 * Follows a Migration through `kubectl get --watch` until it is completed or failed, and returns its last status.
 * `seen` hears every status in between.
 */
export async function followMigration(
  cluster: Pick<Cluster, "kubectlProgram" | "kubeconfig">,
  namespace: string,
  name: string,
  seen: (status: MigrationStatus) => void,
  signal: AbortSignal,
): Promise<MigrationStatus> {
  const args = [
    "--kubeconfig",
    cluster.kubeconfig,
    "get",
    "migration",
    name,
    "-n",
    namespace,
    "--watch",
    "-o",
    'jsonpath={.status}{"\\n"}',
  ];
  const child = spawn(cluster.kubectlProgram, args, {
    stdio: ["ignore", "pipe", "inherit"],
    signal,
  });
  const failed = new Promise<never>((_, reject) => child.once("error", reject));
  const followed = (async () => {
    for await (const line of createInterface({ input: child.stdout })) {
      if (line.trim() === "") continue;
      const status = JSON.parse(line) as MigrationStatus;
      seen(status);
      if (status.state === "completed" || status.state === "failed") return status;
    }
    throw new Error("The watch ended before the Migration finished");
  })();
  try {
    return await Promise.race([followed, failed]);
  } finally {
    child.kill();
  }
}
