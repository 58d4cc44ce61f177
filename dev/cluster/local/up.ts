// Brings up Kubernetes' own programs in namespaces of their own, in the order in which they need each other.
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { needPackages } from "../../debian/index.ts";
import type { Step, Terminal } from "../../terminal/index.ts";
import { run } from "../../terminal/run.ts";
import { together } from "../../terminal/together.ts";
import { binariesFolder, need, platform, program } from "../binaries/index.ts";
import type { Place } from "../place.ts";
import { type Ask, answers, nodeReady, openApi, until, whileStarting } from "./api.ts";
import { openCgroups } from "./cgroups.ts";
import { importBytes, type Runtime } from "./images.ts";
import { checkComponents, firstProcess, startNamespaces, write } from "./namespaces.ts";
import { openNetwork } from "./network.ts";
import { needRuntime, requireLocalMachine } from "./packages.ts";
import { pauseArchive } from "./pause.ts";
import { writeCertificates } from "./pki.ts";
import {
  type Addresses,
  components,
  configuration,
  kubeconfig,
  nodeName,
  type ProgramFolders,
  type Snapshotter,
} from "./plan.ts";
import { mark } from "./processes.ts";
import { initScript } from "./script.ts";
import { type State, writeState } from "./state.ts";

export type UpOptions = { terminal: Terminal; signal?: AbortSignal };

/** What a local cluster needs on this machine: folders below the binaries, and helm's path. */
export type Programs = ProgramFolders & { helm: string };

/**
 * Gets all programs; nothing of the cluster exists after it. Throws where Kubernetes cannot run here. The first failure
 * ends it, so that nobody waits ten minutes for a build that is of no use.
 */
export const prepare = async ({ terminal, signal }: UpOptions): Promise<Programs> => {
  requireLocalMachine();
  await needPackages(["cluster"], terminal, signal);
  // Side by side: while one fetches or links, another compiles.
  const [kubernetes, containerd, coredns, helm] = await together<[string, string, string, string]>(signal, [
    (signal) => need("kubernetes", { terminal, signal }),
    (signal) => needRuntime(terminal, signal),
    (signal) => need("coredns", { terminal, signal }),
    (signal) => program("helm", "helm", { terminal, signal }),
  ]);
  return { kubernetes, containerd, coredns, helm };
};

// Whether files can be stacked on this folder's file system; where it is itself an overlay they mostly cannot.
const chooseSnapshotter = async (folder: string, log: (text: string) => void): Promise<Snapshotter> => {
  const trial = join(folder, "overlay-trial");
  const [lower, upper, work, merged] = ["lower", "upper", "work", "merged"].map((name) => join(trial, name));
  for (const one of [lower, upper, work, merged]) mkdirSync(one ?? trial, { recursive: true });
  const options = `lowerdir=${lower},upperdir=${upper},workdir=${work}`;
  const words = `mount -t overlay overlay -o '${options}' '${merged}' && touch '${merged}/file'`;
  const works = await run("unshare", ["--mount", "sh", "-c", words], { log }).then(
    () => true,
    () => false,
  );
  rmSync(trial, { recursive: true, force: true });
  return works ? "overlayfs" : "native";
};

const writeKubeconfig = (place: Place, a: Addresses): void => {
  const data = (file: string): string => readFileSync(join(place.folder, "pki", file)).toString("base64");
  const content = kubeconfig(a, `rowferry-${place.name}`, {
    ca: data("ca.crt"),
    cert: data("admin.crt"),
    key: data("admin.key"),
    data: true,
  });
  writeFileSync(place.kubeconfig, content, { mode: 0o600 });
};

const whole = async (ask: Ask, a: Addresses): Promise<boolean> => {
  const parts = await Promise.all([
    nodeReady(ask, nodeName, true),
    ask("/api/v1/namespaces/default/serviceaccounts/default").then((body) => body !== null),
    answers(`http://${a.node}:8181/ready`),
    answers(`http://${a.node}:10256/healthz`),
  ]);
  return parts.every(Boolean);
};

/** Waits for containerd in the place's folder and gives it the pods' sandbox. */
export const importPause = async (
  place: Place,
  runtime: Runtime,
  check: () => void,
  log: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> => {
  const socket = join(place.folder, "containerd.sock");
  const options = { limitMs: 60_000, check, ...(signal === undefined ? {} : { signal }) };
  await until(whileStarting("containerd did not answer"), async () => existsSync(socket), options);
  await importBytes(runtime, pauseArchive(platform().arch === "arm64" ? "arm64" : "amd64"), log);
};

/** Starts the cluster in an empty place and waits until it takes pods. On failure the caller takes it down. */
export const start = async (
  place: Place,
  folders: ProgramFolders,
  step: Step,
  signal?: AbortSignal,
): Promise<State> => {
  const abort = signal === undefined ? {} : { signal };
  for (const name of ["log", "pki", "config", "pods"]) mkdirSync(join(place.folder, name), { recursive: true });
  const child = startNamespaces(place.folder);
  const process = mark(child.pid);
  if (process === null) throw new Error("The cluster's first process ended at once");
  const state: State = {
    ...{
      clone: place.clone,
      name: place.name,
      process,
      snapshotter: "native",
      containerd: folders.containerd,
      ready: false,
    },
  };
  writeState(place, state);
  const say = (word: string): void => {
    signal?.throwIfAborted();
    child.words.write(`${word}\n`);
  };

  step.note("network");
  state.snapshotter = await chooseSnapshotter(place.folder, step.log);
  const a = await openNetwork(child.pid, step.log);
  state.index = a.index;
  writeState(place, state);
  signal?.throwIfAborted();
  await writeCertificates(join(place.folder, "pki"), a, step.log);
  openCgroups(place.cgroup);
  const parts = components(a, folders);
  write(place, {
    ...configuration(a, folders, state.snapshotter, place.cgroup),
    "init.sh": initScript({
      ...{ folder: place.folder, binaries: binariesFolder(), ...parts },
      path: [`${folders.containerd}/usr/bin`, `${folders.containerd}/usr/sbin`],
    }),
  });
  writeKubeconfig(place, a);
  say("script");
  say("network");

  step.note("API server");
  const names = [...parts.first, ...parts.afterApi, ...parts.afterImages].map((component) => component.name);
  const check = checkComponents(place, names, child.ended);
  const api = openApi(a.node, join(place.folder, "pki"));
  const runtime: Runtime = {
    init: firstProcess(child.pid),
    containerd: folders.containerd,
    snapshotter: state.snapshotter,
  };
  try {
    await Promise.all([
      importPause(place, runtime, check, step.log, signal),
      until(whileStarting("The API server did not answer"), async () => (await api.ask("/readyz")) !== null, {
        limitMs: 120_000,
        check,
        ...abort,
      }),
    ]);
    say("api");
    say("images");
    step.note("node");
    await until(whileStarting("The node did not take pods"), () => whole(api.ask, a), {
      limitMs: 120_000,
      check,
      ...abort,
    });
    say("keep");
    child.words.end();
  } finally {
    api.close();
  }
  state.ready = true;
  writeState(place, state);
  step.note(`node ${nodeName} Ready, ${state.snapshotter}`);
  return state;
};
