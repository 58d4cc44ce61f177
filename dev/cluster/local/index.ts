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
import { closeNetwork } from "./network.ts";
import { type Addresses, addressesOf, nodeName } from "./plan.ts";
import { clusterNamespace, commandOf, endNamespace, isAlive, processesIn } from "./processes.ts";
import { readState, type State } from "./state.ts";
import { firstProcess, type Programs, start, type UpOptions } from "./up.ts";

/** A local cluster that is up. */
export type Local = { addresses: Addresses; runtime: Runtime; namespace: string };

const describeUp = (state: State): Local | null => {
  if (!state.ready || state.index === undefined || !isAlive(state.process)) return null;
  const namespace = clusterNamespace(state.process.pid);
  if (namespace === null) return null;
  const runtime = {
    init: firstProcess(state.process.pid),
    containerd: state.containerd,
    snapshotter: state.snapshotter,
  };
  return { addresses: addressesOf(state.index), runtime, namespace };
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
  const well = (): Promise<boolean> => nodeReady(api.ask, nodeName, false);
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
  const folder = join(place.folder, "log");
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const lines = readFileSync(join(folder, name), "utf8").trim().split("\n").slice(-60);
    log(`== ${name}\n${lines.join("\n")}`);
  }
};

/** Ends the cluster and removes what it left. */
export const downLocal = (place: Place, terminal: Terminal): Promise<void> =>
  withLock(place, { terminal }, () => remove(place));

/** Finds the cluster or brings it up; what an earlier, killed run left is removed first. */
export const upLocal = async (place: Place, programs: Programs, options: UpOptions): Promise<Local> => {
  const { terminal, signal } = options;
  return withLock(place, options, async () => {
    const found = findLocal(place);
    if (found !== null) {
      await untilWell(place, found, signal);
      return found;
    }
    if (existsSync(place.folder))
      await terminal.step(`Remove the rest of an earlier run of cluster "${place.name}"`, () => remove(place));
    try {
      const state = await terminal.step(`Start Kubernetes as cluster "${place.name}"`, (step) =>
        start(place, programs, step, signal),
      );
      const local = describeUp(state);
      if (local === null) throw new Error("The cluster ended just after its start");
      return local;
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
