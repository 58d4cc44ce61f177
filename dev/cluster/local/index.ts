// A cluster of Kubernetes' own programs on this machine, without Docker: brought up, found again, taken down.
import { existsSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterFailure, failure } from "../../terminal/failure.ts";
import type { Terminal } from "../../terminal/index.ts";
import { downCommand, notRemoved, type Place } from "../place.ts";
import { withLock } from "../with-lock.ts";
import { nodeReady, openApi, until } from "./api.ts";
import { closeCgroups } from "./cgroups.ts";
import type { Runtime } from "./images.ts";
import { firstProcess } from "./namespaces.ts";
import { closeNetwork } from "./network.ts";
import { type Addresses, addressesOf, nodeName, secondNodeName } from "./plan.ts";
import { clusterNamespace, commandOf, endNamespace, isAlive, processesIn } from "./processes.ts";
import { endSecond, secondPlace, secondRuntime, startSecond, type Wanted } from "./second-node.ts";
import { readState, type State, writeState } from "./state.ts";
import { type Programs, start, type UpOptions } from "./up.ts";

/** A local cluster that is up. */
export type Local = { addresses: Addresses; runtime: Runtime; second: Runtime | null; namespace: string };

const describeUp = (state: State): Local | null => {
  if (!state.ready || state.index === undefined || !isAlive(state.process)) return null;
  const namespace = clusterNamespace(state.process.pid);
  if (namespace === null) return null;
  const runtime = {
    init: firstProcess(state.process.pid),
    containerd: state.containerd,
    snapshotter: state.snapshotter,
  };
  return { addresses: addressesOf(state.index), runtime, second: secondRuntime(state, runtime), namespace };
};

/** The cluster, if its processes live, whatever state its node is in; null otherwise. */
export const findLocal = (place: Place): Local | null => {
  const state = readState(place);
  return state === null ? null : describeUp(state);
};

/** A busy machine may keep a cluster from answering for a while, and what is in it is not ours to throw away. */
const patienceMs = 30_000;

/** Rejects when a cluster that lives does not answer, or its node is not Ready, for long. */
const untilWell = async (place: Place, local: Local, signal: AbortSignal | undefined): Promise<void> => {
  const api = openApi(local.addresses.node, join(place.folder, "pki"));
  const nodes = local.second === null ? [nodeName] : [nodeName, secondNodeName];
  const well = async (): Promise<boolean> =>
    (await Promise.all(nodes.map((node) => nodeReady(api.ask, node, false)))).every(Boolean);
  try {
    const words = { what: "Its node was not Ready", next: "" };
    await until(words, well, { limitMs: patienceMs, ...(signal === undefined ? {} : { signal }) });
  } catch (error) {
    signal?.throwIfAborted();
    throw failure(
      `Cluster "${place.name}" is running but not healthy`,
      `Inspect it with \`npm run kubectl -- --name ${place.name} describe node\`, or remove it with \`${downCommand(place.name)}\`. ` +
        `Its programs log to ${join(place.folder, "log")}.`,
      { cause: error },
    );
  } finally {
    api.close();
  }
};

const remove = async (place: Place): Promise<void> => {
  const state = readState(place);
  // The link's number is this cluster's as long as its processes live; later it may be another's.
  if (state !== null && isAlive(state.process)) {
    if (state.index !== undefined) await closeNetwork(addressesOf(state.index));
    await endNamespace(state.process);
  }
  await closeCgroups(place.cgroup);
  rmSync(place.folder, { recursive: true, force: true, maxRetries: 5 });
};

// The components' last words go to the command's log before their folder goes.
const keepWords = (place: Place, log: (text: string) => void): void => {
  for (const folder of [place, secondPlace(place)].map((one) => join(one.folder, "log"))) {
    if (!existsSync(folder)) continue;
    for (const name of readdirSync(folder)) {
      const lines = readFileSync(join(folder, name), "utf8").trim().split("\n").slice(-60);
      log(`== ${name}\n${lines.join("\n")}`);
    }
  }
};

/** Ends the cluster and removes what it left. */
export const downLocal = (place: Place, terminal: Terminal): Promise<void> =>
  withLock(place, { terminal }, () => remove(place));

type NodeOptions = UpOptions & {
  /** 2 adds the second node where it is not there. */
  nodes?: 1 | 2 | undefined;
  /** Which images the second node gets of those that the first has, by their names; all if absent. */
  secondImages?: Wanted | undefined;
};

/** Adds the second node, unless it lives. */
const withSecond = async (place: Place, programs: Programs, options: NodeOptions): Promise<Local> => {
  const [state, local] = [readState(place), findLocal(place)];
  if (state === null || local === null) throw new Error("The cluster ended just after its start");
  if (options.nodes !== 2 || local.second !== null) return local;
  const { terminal, signal, secondImages: images } = options;
  const { addresses, runtime: first } = local;
  const second = await terminal.step(`Start node ${secondNodeName}`, (step) =>
    startSecond({ place, addresses, first, folders: programs, images, step, signal }),
  );
  writeState(place, { ...state, second });
  return { ...local, second: secondRuntime({ ...state, second }, first) };
};

/** Ends the second node's processes at once, as when its power is cut; its Node object and its pods' stay in the API. */
export const cutSecondNode = async (place: Place): Promise<void> => {
  const second = readState(place)?.second;
  if (second !== undefined) await endSecond(second);
};

/** Finds the cluster or brings it up; what an earlier, killed run left is removed first. */
export const upLocal = async (place: Place, programs: Programs, options: NodeOptions): Promise<Local> => {
  const { terminal, signal } = options;
  return withLock(place, options, async () => {
    const found = findLocal(place);
    if (found !== null) {
      await untilWell(place, found, signal);
      return withSecond(place, programs, options).catch((error: unknown) => {
        keepWords(secondPlace(place), terminal.log);
        throw error;
      });
    }
    if (existsSync(place.folder))
      await terminal.step(`Remove the rest of an earlier run of cluster "${place.name}"`, () => remove(place));
    try {
      await terminal.step(`Start Kubernetes as cluster "${place.name}"`, (step) =>
        start(place, programs, step, signal),
      );
      return await withSecond(place, programs, options);
    } catch (error) {
      keepWords(place, terminal.log);
      return await afterFailure(error, ...notRemoved(place.name), () => remove(place));
    }
  });
};

/** Kills the API server, which is started again at once, and waits until it answers and the node is ready. */
export const restartApiServer = async (place: Place, local: Local): Promise<void> => {
  const servers = (): number[] =>
    processesIn(local.namespace).filter((pid) => commandOf(pid)[0]?.endsWith("/kube-apiserver"));
  const old = servers();
  for (const pid of old) process.kill(pid, "SIGKILL");
  while (servers().some((pid) => old.includes(pid))) await sleep(10);
  const api = openApi(local.addresses.node, join(place.folder, "pki"));
  try {
    const words = {
      what: "The API server did not answer again",
      next: `Read kube-apiserver.log in ${join(place.folder, "log")}, or start anew: \`${downCommand(place.name)}\`.`,
    };
    await until(words, async () => (await api.ask("/readyz")) !== null, { limitMs: 60_000 });
  } finally {
    api.close();
  }
};
