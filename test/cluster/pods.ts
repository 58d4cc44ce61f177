import { readdirSync, readFileSync } from "node:fs";
import { labels } from "../../src/resources/group.ts";
import { kinds } from "../../src/resources/objects.ts";
import { client, type Json, until } from "./kube.ts";

/** Pods of a Migration's runs, newest last. */
export async function workerPods(namespace: string, migration: string): Promise<Json[]> {
  const pods: Json[] = await client().list(kinds.pods, { namespace, labelSelector: labels.migrationUid });
  const own = pods.filter((pod) => pod.metadata.annotations["rowferry.dev/migration"] === migration);
  return own.sort((a, b) => a.metadata.creationTimestamp.localeCompare(b.metadata.creationTimestamp));
}

const quiet = <T>(read: () => T): T | undefined => {
  try {
    return read();
  } catch {
    return undefined;
  }
};

/**
 * The pod's processes as this machine sees them, without the sandbox's own: the local cluster runs its containers
 * in namespaces below this one, so that a test can do what a kernel's out-of-memory killer does.
 */
export function podProcesses(uid: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => quiet(() => readFileSync(`/proc/${pid}/cgroup`, "utf8"))?.includes(`pod${uid}`))
    .filter((pid) => !/^\/?pause\0/.test(quiet(() => readFileSync(`/proc/${pid}/cmdline`, "utf8")) ?? ""))
    .map(Number);
}

/** SIGKILL to every process of the pod, once there is one. */
export async function killInPod(uid: string): Promise<void> {
  const found = await until(`a process of pod ${uid}`, async () => {
    const pids = podProcesses(uid);
    return pids.length > 0 && pids;
  });
  for (const pid of found) quiet(() => process.kill(pid, "SIGKILL"));
}
