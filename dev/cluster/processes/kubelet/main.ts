// A small kubelet: `node main.ts FOLDER`. It runs the pods of the cluster in FOLDER as processes of this account, and makes Services
// reachable on loopback. No images, no isolation, no liveness probes, no resource limits, no network policies.
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type Connection, connect, createClient, startInformer } from "../../../../src/cluster/index.ts";
import { listen } from "../../../../src/main/listen.ts";
import { type Kind, type KubeObject, pathOf } from "../../../../src/resources/objects.ts";

import { imageFolder, type KubeletSettings, settingsFile } from "../state.ts";
import { openLogs } from "./logs.ts";
import { nodes, type PodToRun, podsToRun, type Service, services } from "./objects.ts";
import { type PodHost, type RunningPod, startPod } from "./pod.ts";
import { logOf } from "./pod-folder.ts";
import { openServices } from "./services.ts";

const [folder = ""] = process.argv.slice(2);
const settings = JSON.parse(readFileSync(join(folder, settingsFile), "utf8")) as KubeletSettings;
const log = (text: string): void => console.log(`${new Date().toISOString()} ${text}`);
const connection: Connection = connect({ kubeconfig: settings.kubeconfig, userAgent: "rowferry-processes-kubelet" });
const client = createClient(connection);
const stop = new AbortController();
const text = (file: string): string => readFileSync(file, "utf8");

const running = new Map<string, RunningPod>();
const ending = new Set<string>();
const host: PodHost = {
  connection,
  client,
  server: settings.server,
  ca: text(settings.ca),
  pods: settings.pods,
  imageOf: (ref) => {
    const found = imageFolder(settings.images, ref);
    return existsSync(found) ? found : undefined;
  },
  node: settings.node,
  account: settings.account ?? {},
  log,
  changed: () => {},
};

async function registerNode(port: number): Promise<void> {
  await client.create(nodes, { apiVersion: "v1", kind: "Node", metadata: { name: settings.nodeName } });
  const ready = {
    type: "Ready",
    status: "True",
    reason: "ProcessesRun",
    message: "Pods are processes of this account",
  };
  await connection.send({
    method: "PATCH",
    path: pathOf(nodes, "", settings.nodeName, "status"),
    contentType: "application/merge-patch+json",
    body: {
      status: {
        addresses: [{ type: "InternalIP", address: "127.0.0.1" }],
        conditions: [{ ...ready, lastHeartbeatTime: new Date().toISOString() }],
        daemonEndpoints: { kubeletEndpoint: { Port: port } },
      },
    },
  });
}

/** There is one node, so that nothing is to be chosen. */
const bind = ({ metadata }: PodToRun): Promise<unknown> =>
  connection
    .send({
      method: "POST",
      path: pathOf(podsToRun, metadata.namespace, metadata.name, "binding"),
      body: {
        apiVersion: "v1",
        kind: "Binding",
        metadata: { name: metadata.name, namespace: metadata.namespace },
        target: { apiVersion: "v1", kind: "Node", name: settings.nodeName },
      },
    })
    .catch((error: Error) => log(`binding ${metadata.namespace}/${metadata.name}: ${error.message}`));

const isOver = ({ status }: PodToRun): boolean => status?.phase === "Succeeded" || status?.phase === "Failed";

function endPod(uid: string, graceSeconds: number): void {
  if (ending.has(uid)) return;
  ending.add(uid);
  void running
    .get(uid)
    ?.stop(graceSeconds)
    .catch((error: Error) => log(`ending ${uid}: ${error.message}`))
    .then(() => {
      running.delete(uid);
      ending.delete(uid);
    });
}

function podChanged(before: PodToRun | undefined, after: PodToRun | undefined): void {
  const goneUid = before?.metadata.uid;
  if (goneUid !== undefined && after?.metadata.uid !== goneUid && running.has(goneUid)) endPod(goneUid, 0);
  if (after === undefined) return;
  const uid = after.metadata.uid ?? "";
  if (after.metadata.deletionTimestamp !== undefined) {
    if (!running.has(uid)) running.set(uid, startOver(after));
    endPod(uid, after.spec.terminationGracePeriodSeconds ?? 30);
  } else if (after.spec.nodeName === undefined) void bind(after);
  else if (!running.has(uid) && !isOver(after)) {
    log(`pod ${after.metadata.namespace}/${after.metadata.name}`);
    running.set(uid, startPod(after, host));
  }
}

/** A pod that was deleted before it was started here: only its object is to be removed. */
function startOver(pod: PodToRun): RunningPod {
  return {
    pod,
    ready: () => false,
    portOf: () => undefined,
    stop: async () => {
      const { namespace, name, uid } = pod.metadata;
      await connection
        .send({
          method: "DELETE",
          path: pathOf(podsToRun, namespace, name),
          body: { gracePeriodSeconds: 0, preconditions: { uid } },
        })
        .catch((error: Error) => log(`removing ${name}: ${error.message}`));
    },
  };
}

// Before anything else can take a port that the cluster's users were promised.
const network = await openServices(() => running.values(), settings).catch((error: Error) => {
  log(error.message);
  process.exit(1);
});
const follow = <T extends KubeObject>(kind: Kind<T>, changed: (before: T | undefined, after: T | undefined) => void) =>
  startInformer(connection, {
    kind,
    changed,
    resync: 300_000,
    now: Date.now,
    random: Math.random,
    signal: stop.signal,
    problem: (error) => log(`${kind.plural}: ${error instanceof Error ? error.message : error}`),
  });

const logs = openLogs({
  tls: { ca: text(settings.ca), cert: text(settings.cert), key: text(settings.key) },
  fileOf: (namespace, name) => {
    for (const { pod } of running.values())
      if (pod.metadata.namespace === namespace && pod.metadata.name === name)
        return logOf(settings.pods, pod.metadata.uid ?? "");
    return undefined;
  },
});

process.on("unhandledRejection", (error) => log(`unhandled: ${error instanceof Error ? error.stack : error}`));
await registerNode(await listen(logs, "127.0.0.1", settings.port));
follow<PodToRun>(podsToRun, podChanged);
follow<Service>(services, network.update);
log("ready");
