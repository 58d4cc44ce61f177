// Brings up Kubernetes' own programs in namespaces of their own, in the order in which they need each other.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Writable } from "node:stream";
import { needPackages } from "../../debian/index.ts";
import type { Step, Terminal } from "../../terminal/index.ts";
import { run } from "../../terminal/run.ts";
import { together } from "../../terminal/together.ts";
import { binariesFolder, need, platform, program } from "../binaries/index.ts";
import type { Place } from "../place.ts";
import { type Ask, nodeReady, openApi, until, whileStarting } from "./api.ts";
import { openCgroups } from "./cgroups.ts";
import { importBytes, type Runtime } from "./images.ts";
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

type Child = { pid: number; words: Writable; ended: () => boolean };

const startNamespaces = (place: Place): Child => {
  const out = openSync(join(place.folder, "log", "init.log"), "a");
  // The script does not exist yet: the shell waits for it on the first line of its standard input.
  const child = spawn(
    "unshare",
    [
      ...["--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"],
      ...["sh", "-c", 'read -r word && [ "$word" = script ] && exec sh "$0"', join(place.folder, "init.sh")],
    ],
    { stdio: ["pipe", out, out], detached: true, cwd: "/" },
  );
  const words = child.stdin;
  if (child.pid === undefined || words === null) throw new Error("The cluster's namespaces cannot be made: no unshare");
  words.on("error", () => {});
  child.unref();
  return { pid: child.pid, words, ended: () => child.exitCode !== null || child.signalCode !== null };
};

const lastLines = (file: string): string =>
  existsSync(file) ? [...new Set(readFileSync(file, "utf8").trim().split("\n"))].slice(-4).join(" | ") : "";

// A component that ends again and again will not come up by waiting longer.
const checkComponents = (place: Place, names: readonly string[], ended: () => boolean) => (): void => {
  const log = (name: string): string => join(place.folder, "log", `${name}.log`);
  if (ended()) throw new Error(`The cluster's first process ended: ${lastLines(log("init"))}`);
  for (const name of names) {
    const text = existsSync(log(name)) ? readFileSync(log(name), "utf8") : "";
    const ends = text.split(`rowferry: ${name} ended with`).length - 1;
    if (ends >= 8) throw new Error(`${name} does not stay up. Its last log lines: ${lastLines(log(name))}`);
  }
};

const write = (place: Place, files: Record<string, string>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place.folder, name)), { recursive: true });
    writeFileSync(join(place.folder, name), content);
  }
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

const answers = (url: string): Promise<boolean> =>
  fetch(url, { signal: AbortSignal.timeout(1_000) }).then(
    (response) => response.ok,
    () => false,
  );

const whole = async (ask: Ask, a: Addresses): Promise<boolean> => {
  const parts = await Promise.all([
    nodeReady(ask, nodeName, true),
    ask("/api/v1/namespaces/default/serviceaccounts/default").then((body) => body !== null),
    answers(`http://${a.node}:8181/ready`),
    answers(`http://${a.node}:10256/healthz`),
  ]);
  return parts.every(Boolean);
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
  const child = startNamespaces(place);
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
      ...{ folder: place.folder, binaries: binariesFolder(), addresses: a, ...parts },
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
    const images = (async () => {
      const socket = join(place.folder, "containerd.sock");
      await until(whileStarting("containerd did not answer"), async () => existsSync(socket), {
        limitMs: 60_000,
        check,
        ...abort,
      });
      await importBytes(runtime, pauseArchive(platform().arch === "arm64" ? "arm64" : "amd64"), step.log);
    })();
    await Promise.all([
      images,
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

/** The first process inside, as the host numbers it: the only child of `unshare`. */
export const firstProcess = (unshare: number): number =>
  Number(readFileSync(`/proc/${unshare}/task/${unshare}/children`, "utf8").trim().split(" ")[0]);
