// A cluster of ordinary processes of this account, without Docker, root or containers: etcd, the API server and the controller
// manager are the real ones; a small kubelet runs pods as processes on loopback.

import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type Client, connect, createClient } from "../../../src/cluster/index.ts";
import { kinds } from "../../../src/resources/objects.ts";
import { freePort } from "../../databases/free-port.ts";
import { afterFailure } from "../../terminal/failure.ts";
import type { Step, Terminal } from "../../terminal/index.ts";
import { run } from "../../terminal/run.ts";
import { type BinariesOptions, program } from "../binaries/index.ts";
import { until, whileStarting } from "../local/api.ts";
import { isAlive } from "../local/processes.ts";
import { notRemoved, type Place } from "../place.ts";
import { withLock } from "../with-lock.ts";
import { writeControlPlane } from "./control-plane.ts";
import { endDaemons, lastLines, startDaemon } from "./daemon.ts";
import { endOf, tooSmall } from "./ended.ts";
import { nodes } from "./kubelet/objects.ts";
import { markOf } from "./kubelet/pod-folder.ts";
import {
  hasState,
  imageFolder,
  type KubeletSettings,
  readState,
  type State,
  settingsFile,
  writeState,
} from "./state.ts";
import { addTree } from "./tree.ts";

/** What there is to know of a cluster of processes that is up. */
export type Processes = Pick<State, "nodePorts" | "settled"> & { images: string };

const nodeName = "processes";
/** As the cluster numbers them. The API's Service asks for the first; others get one of the upper half. */
const nodePortRange = { first: 30_443, count: 32 };

/** All that pods made by Deployments and Jobs, namespaces and garbage need. No kubelet's heartbeat is watched. */
const controllers = [
  ...["serviceaccount", "garbage-collector", "namespace", "resourcequota", "job", "deployment", "replicaset"],
  ...["root-ca-certificate-publisher", "ttl-after-finished", "clusterrole-aggregation"],
].map((name) => `${name}-controller`);

/** In one line, what a cluster of processes lacks. */
export const notReal =
  "Simulated: pods are ordinary processes, without containers, network policies, resource limits or isolation. A small substitute replaces the kubelet.";

/** The Services that Rowferry's own processes dial by name, as `<namespace>/<service>:<port>`. */
const dialled = ["rowferry-system/rowferry-operator:8443", "rowferry-system/rowferry-prober:8443"];

/** Whether an earlier command started a cluster of processes at this place. */
export const isProcesses = (place: Place): boolean => hasState(place);

const imagesOf = (state: State): string => join(state.run, "images");
const podsOf = (state: State): string => join(state.run, "p");

const describeUp = (state: State): Processes => ({
  nodePorts: state.nodePorts,
  settled: state.settled,
  images: imagesOf(state),
});

/** The cluster, if all of its processes live; null otherwise. */
export const findProcesses = (place: Place): Processes | null => {
  const state = readState(place);
  return state?.ready === true && state.processes.every(isAlive) ? describeUp(state) : null;
};

/** Sockets below it have 104 bytes for their path on macOS. Root's pods run as other accounts, which cannot enter root's home folder. */
const runFolder = (place: Place): string => {
  const inside = join(place.folder, "run");
  if (process.getuid?.() !== 0 && inside.length <= 70) return inside;
  const folder = mkdtempSync(join(tmpdir(), "rf-"));
  return folder;
};

const remove = async (place: Place): Promise<void> => {
  const state = readState(place);
  if (state !== null) {
    // The kubelet first: it would start anew what ends.
    await endDaemons([...state.processes].reverse());
    const pods = podsOf(state);
    const folders = existsSync(pods) ? readdirSync(pods) : [];
    await endDaemons(
      folders.flatMap((name) => markOf(join(pods, name)) ?? []),
      1000,
    );
    rmSync(state.run, { recursive: true, force: true, maxRetries: 5 });
  }
  rmSync(place.folder, { recursive: true, force: true, maxRetries: 5 });
};

const freeBytes = (folder: string): number => {
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize;
};

const start = async (place: Place, step: Step, options: BinariesOptions): Promise<State> => {
  const { signal } = options;
  const kubernetes = dirname(await program("kubernetes", "kube-apiserver", options));
  mkdirSync(place.folder, { recursive: true, mode: 0o700 });
  const small = tooSmall(place.folder, freeBytes(place.folder));
  if (small !== undefined) throw small;
  const [etcd, peer, api, kubelet] = [await freePort(), await freePort(), await freePort(), await freePort()];
  const settled = Object.fromEntries(await Promise.all(dialled.map(async (name) => [name, await freePort()] as const)));
  const state: State = {
    ...{ clone: place.clone, name: place.name, processes: [], run: runFolder(place), settled, ready: false },
    nodePorts: Object.fromEntries(
      await Promise.all(
        Array.from(
          { length: nodePortRange.count },
          async (_, at) => [nodePortRange.first + at, await freePort()] as const,
        ),
      ),
    ),
  };
  try {
    writeState(place, state);
  } catch (error) {
    // No file names it.
    rmSync(state.run, { recursive: true, force: true });
    throw error;
  }
  for (const folder of [imagesOf(state), podsOf(state)]) mkdirSync(folder, { recursive: true, mode: 0o755 });
  if (process.getuid?.() === 0) openToOthers(state);
  const { first, count } = nodePortRange;
  const files = await writeControlPlane({
    folder: place.folder,
    ports: { etcd, peer, api },
    apiArguments: [
      `--service-node-port-range=${first}-${first + count - 1}`,
      "--kubelet-preferred-address-types=InternalIP",
    ],
    kubelets: true,
  });
  writeFileSync(place.kubeconfig, readFileSync(files.adminKubeconfig), { mode: 0o600 });
  const daemon = async (one: { name: string; args: readonly string[]; program?: string }): Promise<void> => {
    signal?.throwIfAborted();
    const path = one.program ?? join(kubernetes, one.name);
    await startDaemon(place.folder, { ...one, program: path }, (mark) => {
      state.processes.push(mark);
      writeState(place, state);
    });
  };
  const check = (names: readonly string[]) => (): void => {
    for (const [index, one] of state.processes.entries())
      if (!isAlive(one))
        throw endOf(names[index] ?? "", lastLines(place.folder, names[index] ?? ""), freeBytes(place.folder));
  };
  const waiting = { limitMs: 120_000, ...(signal === undefined ? {} : { signal }) };

  step.note("API server");
  await daemon(files.etcd);
  await daemon(files.api);
  const connection = connect({ kubeconfig: place.kubeconfig });
  const client = createClient(connection);
  const names = ["etcd", "kube-apiserver", "kube-controller-manager", "kubelet"];
  try {
    const answers = () =>
      client.get(kinds.namespaces, "", "default").then(
        (found) => found !== undefined,
        () => false,
      );
    await until(whileStarting("The API server did not answer"), answers, { ...waiting, check: check(names) });
    step.note("controllers and kubelet");
    await daemon(files.manager(controllers.join(",")));
    const settings: KubeletSettings = {
      ...{ kubeconfig: place.kubeconfig, server: files.server, ca: files.ca, cert: files.cert, key: files.key },
      ...{
        port: kubelet,
        nodeName,
        images: imagesOf(state),
        pods: podsOf(state),
        settled,
        nodePorts: state.nodePorts,
        node: nodeProgram(state),
      },
    };
    if (process.getuid?.() === 0) settings.account = await nobody();
    writeFileSync(join(place.folder, settingsFile), JSON.stringify(settings));
    const main = join(import.meta.dirname, "kubelet", "main.ts");
    await daemon({ name: "kubelet", program: process.execPath, args: [main, place.folder] });
    await until(whileStarting("The node did not take pods"), () => takesPods(client), {
      ...waiting,
      check: check(names),
    });
  } finally {
    connection.close();
  }
  state.ready = true;
  writeState(place, state);
  step.note("");
  return state;
};

const takesPods = async (client: Client): Promise<boolean> => {
  const found = await Promise.all([
    client.get(nodes, "", nodeName),
    client.get(serviceAccounts, "default", "default"),
    client.get(kinds.configMaps, "default", "kube-root-ca.crt"),
  ]);
  return found.every((one) => one !== undefined);
};

const serviceAccounts = { apiVersion: "v1", kind: "ServiceAccount", plural: "serviceaccounts" };

/** Accounts that pods run as must enter this folder, and Node itself, which may lie in a folder of root's. */
const openToOthers = (state: State): void => {
  cpSync(process.execPath, join(state.run, "node"));
  for (const folder of [state.run, imagesOf(state), podsOf(state)]) chmodSync(folder, 0o755);
};

/** Databases refuse root, and want an account that the machine knows. */
const nobody = async (): Promise<{ uid: number; gid: number }> => {
  const [uid, gid] = await Promise.all(["-u", "-g"].map((flag) => run("id", [flag, "nobody"])));
  return { uid: Number(uid?.stdout), gid: Number(gid?.stdout) };
};

const nodeProgram = (state: State): string => (process.getuid?.() === 0 ? join(state.run, "node") : process.execPath);

/** The daemons' last words go to the command's log before their folder goes. */
const keepWords = (place: Place, log: Terminal["log"]): void => {
  if (!existsSync(place.folder)) return;
  for (const name of readdirSync(place.folder).filter((file) => file.endsWith(".log"))) {
    log(`== ${name}\n${lastLines(place.folder, name.slice(0, -".log".length))}`);
  }
};

/** Finds the cluster or starts it; what an earlier, killed command left is removed first. */
export const upProcesses = (place: Place, options: BinariesOptions): Promise<Processes> =>
  withLock(place, options, async () => {
    const { terminal } = options;
    const found = findProcesses(place);
    if (found !== null) return found;
    if (existsSync(place.folder))
      await terminal.step(`Remove the rest of an earlier run of cluster "${place.name}"`, () => remove(place));
    try {
      return describeUp(
        await terminal.step(`Start Kubernetes as processes, cluster "${place.name}"`, (step) =>
          start(place, step, options),
        ),
      );
    } catch (error) {
      keepWords(place, terminal.log);
      return await afterFailure(error, ...notRemoved(place.name), () => remove(place));
    }
  });

/** Ends every process of the cluster and deletes its files. */
export const downProcesses = (place: Place, terminal: Terminal): Promise<void> =>
  withLock(place, { terminal }, () => remove(place));

/**
 * Makes an image known to the kubelet, by files of the cluster's own: the cache may lose the image while the cluster runs.
 * Root's is copied, to where other accounts can read it.
 */
export const loadFolder = ({ images }: Processes, folder: string): void => {
  const target = imageFolder(images, readFileSync(join(folder, "ref"), "utf8"));
  if (existsSync(target)) return;
  addTree(folder, target, { copy: process.getuid?.() === 0 });
};
