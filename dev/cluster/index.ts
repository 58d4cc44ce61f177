// A Kubernetes to work with, by one of three ways behind one interface.
import { join } from "node:path";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";
import { binariesFolder, need, program } from "./binaries/index.ts";
import { loadArchive } from "./local/images.ts";
import { downLocal, type Local, restartApiServer, upLocal } from "./local/index.ts";
import { type Place, placeOf } from "./place.ts";

export type ClusterKind = "current-context" | "kind" | "local";

export type Cluster = {
  kind: ClusterKind;
  name: string;
  /** Path of a kubeconfig whose current context is this cluster. */
  kubeconfig: string;
  /** Path of kubectl, for commands that must keep their own output or live long. */
  kubectlProgram: string;
  /** Runs kubectl against the cluster; its standard output. Rejects with a CommandError. */
  kubectl(args: string[], options?: { input?: string; timeoutMs?: number }): Promise<string>;
  /** Brings the images of an OCI archive to the node; those that are there already cost nothing. */
  loadImage(archivePath: string): Promise<void>;
  /** Takes the cluster down. A cluster that was only used (current-context) stays. */
  down(): Promise<void>;
  /** Path of helm 3. */
  helm: string;
  /** Whether this machine reaches pods and services by their addresses. */
  hostReachesPods: boolean;
  /** Kills the API server and waits until its successor answers (local clusters only). */
  restartApiServer(): Promise<void>;
};

export type OpenOptions = {
  /** Default "dev". Clusters of other names, and of other clones, live side by side. */
  name?: string;
  useCurrentContext?: boolean;
  /** Takes this way instead of the first that works here. */
  kind?: "kind" | "local";
  terminal: Terminal;
  signal?: AbortSignal;
};

const local = async (place: Place, found: Local, options: OpenOptions): Promise<Cluster> => {
  const { terminal, signal } = options;
  const abort = signal === undefined ? {} : { signal };
  const kubectlProgram = join(binariesFolder(), await need("kubernetes", { terminal, ...abort }), "kubectl");
  const helm = await program("helm", "helm", { terminal, ...abort });
  return {
    kind: "local",
    name: place.name,
    kubeconfig: place.kubeconfig,
    kubectlProgram,
    kubectl: async (args, more = {}) =>
      (await run(kubectlProgram, [`--kubeconfig=${place.kubeconfig}`, ...args], { log: terminal.log, ...more })).stdout,
    loadImage: async (archive) => {
      await loadArchive(found.runtime, archive, terminal.log);
    },
    down: async () => {
      await downLocal(place);
    },
    helm,
    hostReachesPods: true,
    restartApiServer: () => restartApiServer(place, found),
  };
};

/** Finds the cluster or brings it up: KUBECONFIG when asked for; kind where Docker runs; else on this machine itself. */
export const openCluster = async (options: OpenOptions): Promise<Cluster> => {
  const place = placeOf(options.name ?? "dev");
  return local(place, await upLocal(place, options), options);
};
