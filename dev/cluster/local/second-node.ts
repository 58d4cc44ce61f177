// A second node in a cluster that is up: a container runtime, kubelet and kube-proxy in namespaces below the cluster's, with
// which they end.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Step } from "../../terminal/index.ts";
import { binariesFolder } from "../binaries/index.ts";
import type { Place } from "../place.ts";
import { answers, nodeReady, openApi, until, whileStarting } from "./api.ts";
import { openCgroups } from "./cgroups.ts";
import { copyImages, type Runtime } from "./images.ts";
import { checkComponents, firstProcess, startNamespaces, write } from "./namespaces.ts";
import { openSecondLink } from "./network.ts";
import { writeNodeCertificates } from "./pki.ts";
import { type Addresses, nodeComponents, nodeConfiguration, type ProgramFolders, secondNode } from "./plan.ts";
import { isAlive, mark, type ProcessMark } from "./processes.ts";
import { initScript } from "./script.ts";
import type { State } from "./state.ts";
import { importPause } from "./up.ts";

/** The second node's own folder and control group, inside the cluster's. */
export const secondPlace = (place: Place): Place => ({
  ...place,
  folder: join(place.folder, "node-2"),
  cgroup: `${place.cgroup}/node-2`,
});

/** Which of the first node's images the second gets, by their names; all if absent. */
export type Wanted = (image: string) => boolean;

export type SecondInput = {
  place: Place;
  addresses: Addresses;
  first: Runtime;
  folders: ProgramFolders;
  images?: Wanted | undefined;
  step: Step;
  signal?: AbortSignal | undefined;
};

/** Starts the second node and waits until it takes pods. A failure leaves no process of it. */
export const startSecond = async (input: SecondInput): Promise<ProcessMark> => {
  const { addresses, first, folders, images, step, signal } = input;
  const [place, n] = [secondPlace(input.place), secondNode(addresses)];
  const abort = signal === undefined ? {} : { signal };
  rmSync(place.folder, { recursive: true, force: true });
  for (const name of ["log", "pki", "config", "pods"]) mkdirSync(join(place.folder, name), { recursive: true });
  const child = startNamespaces(place.folder, first.init);
  const say = (word: string): void => {
    signal?.throwIfAborted();
    child.words.write(`${word}\n`);
  };
  const api = openApi(addresses.node, join(input.place.folder, "pki"));
  try {
    let init = 0;
    await until(
      whileStarting("The second node's first process did not start"),
      async () => {
        const unshare = firstProcess(child.pid);
        init = unshare === 0 ? 0 : firstProcess(unshare);
        return init !== 0;
      },
      { limitMs: 20_000, ...abort },
    );
    const process = mark(init);
    if (process === null) throw new Error("The second node's first process ended at once");
    step.note("network");
    await openSecondLink(addresses, first.init, init, step.log);
    await writeNodeCertificates(join(place.folder, "pki"), join(input.place.folder, "pki"), n, step.log);
    openCgroups(place.cgroup);
    const parts = nodeComponents(n, folders);
    write(place, {
      ...nodeConfiguration(addresses, n, folders, first.snapshotter, place.cgroup),
      "init.sh": initScript({
        ...{ folder: place.folder, binaries: binariesFolder(), ...parts },
        path: [`${folders.containerd}/usr/bin`, `${folders.containerd}/usr/sbin`],
      }),
    });
    for (const word of ["script", "network", "api"]) say(word);
    const check = checkComponents(place, ["containerd", "kube-proxy", "kubelet"], child.ended);
    const runtime: Runtime = { ...first, init };
    await importPause(place, runtime, check, step.log, signal);
    step.note("images");
    await copyImages(first, runtime, images ?? (() => true), step.log);
    say("images");
    step.note("node");
    const ready = async (): Promise<boolean> =>
      (await nodeReady(api.ask, n.name, true)) && (await answers(`http://${n.node}:10256/healthz`));
    await until(whileStarting("The second node did not take pods"), ready, { limitMs: 120_000, check, ...abort });
    say("keep");
    child.words.end();
    step.note(`node ${n.name} Ready`);
    return process;
  } catch (error) {
    child.words.destroy();
    await endedWith(child.ended);
    throw error;
  } finally {
    api.close();
  }
};

const endedWith = async (ended: () => boolean): Promise<void> => {
  for (const end = performance.now() + 15_000; !ended() && performance.now() < end; ) await sleep(20);
};

/** The second node's container runtime, if the node lives. */
export const secondRuntime = (state: State, first: Runtime): Runtime | null =>
  state.second !== undefined && isAlive(state.second) ? { ...first, init: state.second.pid } : null;

/** Ends every process of the second node at once, its containers' too, as when its power is cut. Its Node object stays. */
export const endSecond = async (second: ProcessMark): Promise<void> => {
  if (isAlive(second)) process.kill(second.pid, "SIGKILL");
  while (existsSync(`/proc/${second.pid}`) && isAlive(second)) await sleep(10);
};
