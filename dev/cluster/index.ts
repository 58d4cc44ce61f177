// A Kubernetes to work with, by one of three ways behind one interface.
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { delimiter, join } from "node:path";
import { failure } from "../terminal/failure.ts";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";
import { type BinariesOptions, binariesFolder } from "./binaries/index.ts";
import type { Cluster, ClusterKind, Common } from "./cluster.ts";
import { dockerState, silentLine } from "./docker.ts";
import { copyIntoKind, downKind, isKind, kindPorts, loadIntoKind, upKind } from "./kind.ts";
import { findHelm, findKubectl } from "./kubectl.ts";
import { loadArchive } from "./local/images.ts";
import { downLocal, findLocal, restartApiServer, upLocal } from "./local/index.ts";
import { isLocalMachine, requireLocalMachine } from "./local/packages.ts";
import { prepare } from "./local/up.ts";
import { passwordsIn } from "./passwords.ts";
import { contextFolder, downCommand, type Place, placeOf } from "./place.ts";
import { openProcesses } from "./processes/cluster.ts";
import { downProcesses, findProcesses, isProcesses } from "./processes/index.ts";

export type { Cluster, ClusterKind, LoadableImage } from "./cluster.ts";

export type OpenOptions = {
  /** Default "dev". Clusters of other names, and of other clones, live side by side. */
  name?: string;
  useCurrentContext?: boolean;
  /** 2: with a second node, also where the cluster is up (local clusters only). As many as there are if absent. */
  nodes?: 1 | 2 | undefined;
  /** Which of the first node's images a second node gets at its start, by their names; all if absent. */
  secondImages?: ((image: string) => boolean) | undefined;
  /** Takes this way instead of the first that works here. */
  kind?: ClusterKind;
  /** The command that opens the cluster also removes it. */
  temporary?: boolean;
  terminal: Terminal;
  signal?: AbortSignal;
};

const withKubectl = (kubeconfig: string, kubectlProgram: string, helm: string, terminal: Terminal): Common => ({
  kubeconfig,
  kubectlProgram,
  helm,
  kubectl: async (args, options = {}) =>
    (await run(kubectlProgram, ["--kubeconfig", kubeconfig, ...args], { log: terminal.log, ...options })).stdout,
});

const onlyLocal = (): Promise<void> =>
  Promise.reject(new Error("Only the API server of a local cluster (without Docker) can be restarted"));

/** The one file that the user's kubectl reads: KUBECONFIG, or the one in the home folder. Throws if it is not there. */
const usersKubeconfig = (): string => {
  const [path = "", ...others] = (process.env["KUBECONFIG"] || join(homedir(), ".kube", "config"))
    .split(delimiter)
    .filter(Boolean);
  if (others.length > 0) throw failure("KUBECONFIG names several files.", "Set it to the one file to use.");
  if (!existsSync(path))
    throw failure(`--use-current-context: ${path} does not exist.`, "Set KUBECONFIG to your kubeconfig file.");
  return path;
};

const openCurrentContext = async (name: string, options: BinariesOptions): Promise<Cluster> => {
  const kubeconfig = usersKubeconfig();
  const common = withKubectl(kubeconfig, await findKubectl(options), await findHelm(options), options.terminal);
  const context = await options.terminal.step("Use the current context", async (step) => {
    const found = (await common.kubectl(["config", "current-context"])).trim();
    await common.kubectl(["get", "--raw", "/readyz"], { timeoutMs: 15_000 });
    step.note(found);
    return found;
  });
  return {
    ...common,
    kind: "current-context",
    name,
    passwords: passwordsIn(contextFolder(kubeconfig, context)),
    hostReachesPods: false,
    nodePorts: null,
    loadImage: () => {
      const words = "Images cannot be loaded into the current context's cluster";
      return Promise.reject(failure(words, "Push the images to a registry that the cluster can reach."));
    },
    down: async () => {},
    restartApiServer: onlyLocal,
  };
};

const openKind = async (place: Place, options: BinariesOptions): Promise<Cluster> => {
  const [kubectlProgram, helm] = [await findKubectl(options), await findHelm(options)];
  await upKind(place, options);
  return {
    ...withKubectl(place.kubeconfig, kubectlProgram, helm, options.terminal),
    kind: "kind",
    name: place.name,
    hostReachesPods: false,
    nodePorts: await kindPorts(place),
    passwords: passwordsIn(place.folder),
    loadImage: (image) =>
      "docker" in image ? copyIntoKind(place, image.docker, options) : loadIntoKind(place, image.archive, options),
    down: () => downKind(place, options.terminal),
    restartApiServer: onlyLocal,
  };
};

type LocalOptions = BinariesOptions & Pick<OpenOptions, "nodes" | "secondImages">;

const openLocal = async (place: Place, options: LocalOptions): Promise<Cluster> => {
  // Before the cluster: an interrupt while a program is made must not leave a cluster behind.
  const programs = await prepare(options);
  const local = await upLocal(place, programs, options);
  const kubectlProgram = join(binariesFolder(), programs.kubernetes, "kubectl");
  return {
    ...withKubectl(place.kubeconfig, kubectlProgram, programs.helm, options.terminal),
    kind: "local",
    name: place.name,
    hostReachesPods: true,
    nodePorts: null,
    passwords: passwordsIn(place.folder),
    loadImage: async (image) => {
      if ("docker" in image) throw new Error(`${image.docker} is in Docker, and this cluster is not`);
      // The second node may have been started or ended since.
      const { runtime, second } = findLocal(place) ?? local;
      for (const one of second === null ? [runtime] : [runtime, second])
        await loadArchive(one, image.archive, options.terminal.log);
    },
    down: () => downLocal(place, options.terminal),
    restartApiServer: () => restartApiServer(place, local),
  };
};

/**
 * How `openCluster` gets a cluster: the current context when asked for; the way that it was brought up in; kind where a Docker
 * engine answers; else Kubernetes' own programs on this machine: in namespaces of their own for root on Debian or Ubuntu,
 * as ordinary processes elsewhere.
 */
export const clusterKind = async (options: OpenOptions): Promise<ClusterKind> => {
  if (options.useCurrentContext === true) return "current-context";
  const place = placeOf(options.name ?? "dev");
  const kind = options.kind ?? wayOf(place) ?? (await byDocker(options));
  if (kind === "local") requireLocalMachine();
  return kind ?? (isLocalMachine() ? "local" : "processes");
};

const byDocker = async ({ name = "dev", temporary, terminal, signal }: OpenOptions): Promise<"kind" | undefined> => {
  const found = await dockerState((line) => terminal.line(line), signal);
  if (found.state === "silent") terminal.line(silentLine(found.why, temporary ? null : downCommand(name)));
  return found.state === "answers" ? "kind" : undefined;
};

/** The way in which an earlier command brought up the cluster at this place. */
const wayOf = (place: Place): "kind" | "processes" | "local" | undefined => {
  if (isKind(place)) return "kind";
  if (isProcesses(place)) return "processes";
  return findLocal(place) === null ? undefined : "local";
};

const openers: Record<ClusterKind, (name: string, options: LocalOptions) => Promise<Cluster>> = {
  "current-context": openCurrentContext,
  kind: (name, options) => openKind(placeOf(name), options),
  local: (name, options) => openLocal(placeOf(name), options),
  processes: async (name, options) => {
    const [place, helm] = [placeOf(name), await findHelm(options)];
    return openProcesses(place, options, (kubectl) => withKubectl(place.kubeconfig, kubectl, helm, options.terminal));
  },
};

/** `clusterKind`; throws where the cluster is up in another way. */
const sameWay = async (options: OpenOptions): Promise<ClusterKind> => {
  const kind = await clusterKind(options);
  const name = options.name ?? "dev";
  const there = kind === "current-context" ? undefined : wayOf(placeOf(name));
  if (there !== undefined && there !== kind)
    throw failure(`Cluster "${name}" already runs (${there}).`, `Run \`${downCommand(name)}\` first.`);
  return kind;
};

/** Finds the cluster or brings it up. A failure or an abort leaves nothing of it running. */
export const openCluster = async (options: OpenOptions): Promise<Cluster> => {
  const { terminal, signal, name = "dev", nodes, secondImages } = options;
  const kind = await sameWay(options);
  if (nodes === 2 && kind !== "local")
    throw failure(
      `A second node is not possible here (${kind}).`,
      "Leave out --nodes, or run the command as root on Debian or Ubuntu without Docker.",
    );
  return openers[kind](name, { terminal, nodes, secondImages, ...(signal === undefined ? {} : { signal }) });
};

/** Whether this clone has anything of a cluster of that name. */
export const hasCluster = (name: string): boolean => existsSync(placeOf(name).folder);

/** Takes a named cluster down, however it was brought up and in whatever state it is. */
export const closeCluster = async (name: string, terminal: Terminal): Promise<void> => {
  const place = placeOf(name);
  if (!hasCluster(name)) return;
  if (isKind(place)) await downKind(place, terminal);
  else if (isProcesses(place)) await downProcesses(place, terminal);
  else await downLocal(place, terminal);
};

/** The kubeconfig of a named cluster of this clone that is up, or null. */
export const findKubeconfig = async (name: string): Promise<string | null> => {
  const place = placeOf(name);
  if (isKind(place)) return existsSync(place.kubeconfig) ? place.kubeconfig : null;
  return findLocal(place) === null && findProcesses(place) === null ? null : place.kubeconfig;
};
