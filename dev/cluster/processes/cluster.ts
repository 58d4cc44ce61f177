// A cluster of processes behind the interface of all clusters.
import { join } from "node:path";
import { failure } from "../../terminal/failure.ts";
import { type BinariesOptions, program } from "../binaries/index.ts";
import type { Cluster, Common } from "../cluster.ts";
import { passwordsIn } from "../passwords.ts";
import type { Place } from "../place.ts";
import { downProcesses, loadFolder, type Processes, upProcesses } from "./index.ts";

const renderer = join(import.meta.dirname, "post-render.mjs");

/** Names of Services are not resolved here: manifests that hold them get the loopback ports instead. */
const rendering = ({ settled }: Processes): string[] => {
  const pairs = Object.entries(settled).map(([name, port]) => {
    const [namespace, service, at] = name.split(/[/:]/);
    return `https://${service}.${namespace}.svc:${at}=https://localhost:${port}`;
  });
  return [`--post-renderer=${process.execPath}`, ...[renderer, ...pairs].map((word) => `--post-renderer-args=${word}`)];
};

/** Finds the cluster or starts it. `withKubectl`: what every cluster has, by the kubectl at that path. */
export const openProcesses = async (
  place: Place,
  options: BinariesOptions,
  withKubectl: (kubectl: string) => Common,
): Promise<Cluster> => {
  const kubectl = await program("kubernetes", "kubectl", options);
  const processes = await upProcesses(place, options);
  return {
    ...withKubectl(kubectl),
    kind: "processes",
    name: place.name,
    hostReachesPods: false,
    nodePorts: processes.nodePorts,
    passwords: passwordsIn(place.folder),
    helmArguments: rendering(processes),
    loadImage: async (image) => {
      if ("docker" in image) throw new Error(`${image.docker} is in Docker, and this cluster is not`);
      loadFolder(processes, image.archive);
    },
    down: () => downProcesses(place, options.terminal),
    restartApiServer: () =>
      Promise.reject(failure("The API server of a cluster of processes is not started again.", "Use a local cluster.")),
  };
};
