import { type ChildProcess, spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { PodToRun } from "../../dev/cluster/processes/kubelet/objects.ts";
import { containerStatus, setPodStatus, terminated } from "../../dev/cluster/processes/kubelet/pod-status.ts";
import { MountError, writeVolumes } from "../../dev/cluster/processes/kubelet/volumes.ts";
import { isNotFound, startInformer } from "../../src/cluster/index.ts";
import { kinds, pathOf } from "../../src/resources/objects.ts";
import { workerEnv } from "../../src/worker/protocol.ts";
import { inherited } from "../environment.ts";
import type { PlaneClient } from "../operator/control-plane.ts";
import { entry } from "../worker/process.ts";

/**
 * A node of the tests' control plane: every worker's pod runs as a process of the real worker, with its volumes as folders.
 * A PersistentVolumeClaim is a folder that outlives its pods.
 */
export interface Node {
  /** The folder of a claim. */
  claim(name: string): string;
  /** All that pods wrote to stdout and stderr, by pod. */
  output: Map<string, string>;
  /** Pods that run now. */
  running(): string[];
  /** Kills a pod's process; its Job makes another pod. */
  kill(pod: string): void;
  stop(): Promise<void>;
}

export interface NodeOptions {
  /** The operator's. */
  endpoint: string;
  env?: NodeJS.ProcessEnv;
  /** Makes the throw-away server of one pod, of this image, and resolves to its URL. No image is run: the pods are processes. */
  ownServer?: ((image: string) => Promise<string>) | undefined;
}

export function startNode(plane: Pick<PlaneClient, "admin">, { endpoint, env = {}, ownServer }: NodeOptions): Node {
  const folder = mkdtempSync(join(tmpdir(), "node-"));
  const stopping = new AbortController();
  const { connection, client } = plane.admin;
  const children = new Map<string, ChildProcess>();
  const lives = new Map<string, Promise<void>>();
  const output = new Map<string, string>();
  const claim = (name: string): string => {
    const path = join(folder, "claims", name);
    mkdirSync(path, { recursive: true });
    return path;
  };

  async function mounted(pod: PodToRun, root: string): Promise<boolean> {
    while (!stopping.signal.aborted) {
      const live = await client.get(kinds.pods, pod.metadata.namespace ?? "", pod.metadata.name);
      if (live?.metadata.uid !== pod.metadata.uid || live?.metadata.deletionTimestamp !== undefined) return false;
      try {
        await writeVolumes({ connection, client }, pod, root);
        return true;
      } catch (error) {
        if (!(error instanceof MountError)) throw error;
        const now = new Date().toISOString();
        await connection.send({
          method: "POST",
          path: pathOf(kinds.seenEvents, pod.metadata.namespace),
          body: {
            metadata: { name: `${pod.metadata.name}.${Date.now().toString(16)}`, namespace: pod.metadata.namespace },
            involvedObject: { kind: "Pod", ...pod.metadata },
            ...{ type: "Warning", reason: "FailedMount", message: error.message, lastTimestamp: now },
          },
        });
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
    }
    return false;
  }

  /** As a kubelet: an API server that is away for a while must not leave a pod Running for ever. */
  async function untilSaved(pod: PodToRun, status: object): Promise<void> {
    while (!stopping.signal.aborted)
      try {
        return await setPodStatus(connection, pod, status);
      } catch (error) {
        if (isNotFound(error)) return;
        await new Promise((resolve) => setTimeout(resolve, 500));
      }
  }

  async function run(pod: PodToRun): Promise<void> {
    const root = join(folder, pod.metadata.uid ?? "");
    const [container] = pod.spec.containers;
    if (container === undefined || !(await mounted(pod, root))) return;
    for (const volume of pod.spec.volumes ?? []) {
      const { claimName } = (volume as { persistentVolumeClaim?: { claimName: string } }).persistentVolumeClaim ?? {};
      const path = container.volumeMounts?.find(({ name }) => name === volume.name)?.mountPath;
      if (claimName === undefined || path === undefined) continue;
      rmSync(root + path, { recursive: true, force: true });
      mkdirSync(dirname(root + path), { recursive: true });
      symlinkSync(claim(claimName), root + path);
    }
    const [server] = (pod.spec as { initContainers?: { image: string }[] }).initContainers ?? [];
    const own = server && ownServer ? { [workerEnv.verifyUrl]: await ownServer(server.image) } : {};
    const values = Object.fromEntries((container.env ?? []).map(({ name, value }) => [name, value]));
    const child = spawn(process.execPath, [entry], {
      cwd: root,
      env: {
        ...{ PATH: process.env["PATH"], HOME: root, TMPDIR: `${root}/tmp`, ...inherited() },
        ...values,
        ...{ ROWFERRY_OPERATOR_URL: endpoint, ROWFERRY_MOUNTS_ROOT: root },
        ROWFERRY_TOKEN_FILE: `${root}${values["ROWFERRY_TOKEN_FILE"]}`,
        ...env,
        ...own,
      },
      stdio: ["ignore", "pipe", "pipe"],
    });
    children.set(pod.metadata.name, child);
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding("utf8").on("data", (text: string) => {
        output.set(pod.metadata.name, (output.get(pod.metadata.name) ?? "") + text);
      });
    const startedAt = new Date().toISOString();
    const closed = new Promise<number>((resolve) => child.once("close", (code) => resolve(code ?? 137)));
    const status = (phase: string, state: object) =>
      untilSaved(pod, { phase, containerStatuses: [containerStatus(container, state)] });
    await status("Running", { running: { startedAt } });
    const code = await closed;
    children.delete(pod.metadata.name);
    await status(code === 0 ? "Succeeded" : "Failed", terminated(code, { startedAt }));
    rmSync(root, { recursive: true, force: true });
  }

  const pods = startInformer<PodToRun>(connection, {
    kind: { apiVersion: "v1", kind: "Pod", plural: "pods" },
    labelSelector: "app.kubernetes.io/component=worker",
    changed: (before, after) => {
      const uid = after?.metadata.uid ?? "";
      if (after === undefined || after.metadata.deletionTimestamp !== undefined) {
        children.get((after ?? before)?.metadata.name ?? "")?.kill("SIGTERM");
        if (after) void remove(after);
      } else if (!lives.has(uid))
        lives.set(
          uid,
          run(after).catch((error: unknown) => console.error(error)),
        );
    },
    ...{ resync: 300_000, now: Date.now, random: Math.random, signal: stopping.signal },
    problem: (error) => console.error(error),
  });

  /** A pod that is deleted stays until its node lets it go. */
  async function remove({ metadata }: PodToRun): Promise<void> {
    await lives.get(metadata.uid ?? "");
    await connection
      .send({
        method: "DELETE",
        path: pathOf(kinds.pods, metadata.namespace, metadata.name),
        body: { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } },
      })
      .catch(() => {});
  }

  return {
    claim,
    output,
    running: () => [...children.keys()],
    kill: (pod) => void children.get(pod)?.kill("SIGKILL"),
    async stop() {
      stopping.abort();
      for (const child of children.values()) child.kill("SIGKILL");
      await Promise.all(lives.values());
      await pods.ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
