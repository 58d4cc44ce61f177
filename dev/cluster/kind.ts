// A cluster in Docker, by kind. Its containers are its state; the folder here holds its kubeconfig alone.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { pinned } from "../image/pins.ts";
import { afterFailure } from "../terminal/failure.ts";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";
import { program } from "./binaries/index.ts";
import { dockerLines, dockerPipe } from "./docker.ts";
import { kindConfig, kindNames, nodeImage, publishedPorts } from "./kind-config.ts";
import { imagesIn } from "./local/images.ts";
import { notRemoved, type Place } from "./place.ts";
import { withLock } from "./with-lock.ts";

type KindOptions = { terminal: Terminal; signal?: AbortSignal };

type More = { network?: string; input?: string };

const kind = async (
  args: string[],
  options: KindOptions,
  log: (text: string) => void,
  { network, input }: More = {},
): Promise<string> => {
  const { signal } = options;
  const path = await program("kind", "kind", options);
  // The network that kind shares between all clusters stays when the last of them goes; one of the cluster's own can go with it.
  const env = network === undefined ? {} : { env: { ...process.env, KIND_EXPERIMENTAL_DOCKER_NETWORK: network } };
  const rest = { ...(signal === undefined ? {} : { signal }), ...(input === undefined ? {} : { input }) };
  return (await run(path, args, { log, ...env, ...rest })).stdout;
};

const exists = async (place: Place, options: KindOptions): Promise<boolean> =>
  (await kind(["get", "clusters"], options, options.terminal.log)).split("\n").includes(kindNames(place).cluster);

/** Whether an earlier `up` of this place went by kind. */
export const isKind = (place: Place): boolean => existsSync(`${place.folder}/kind`);

const remove = async (place: Place, options: KindOptions): Promise<void> => {
  const { terminal } = options;
  const { cluster, network } = kindNames(place);
  await kind(["delete", "cluster", "--name", cluster], { terminal }, terminal.log);
  const networks = await dockerLines(["network", "ls", "--filter", `name=^${network}$`, "--format", "{{.Name}}"]);
  if (networks.includes(network)) await run("docker", ["network", "rm", network], { log: terminal.log });
  rmSync(place.folder, { recursive: true, force: true });
};

/** A busy machine may keep a cluster from answering for a while, and its Migrations must not be thrown away for that. */
const patienceMs = 30_000;

/** Whether the cluster's API server answers within half a minute. Rejects when aborted. */
const answers = async (node: string, signal?: AbortSignal): Promise<boolean> => {
  const ask = ["exec", node, "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "--raw", "/readyz"];
  for (const until = performance.now() + patienceMs; ; await sleep(500, undefined, { signal })) {
    const well = await run("docker", ask, { timeoutMs: 5_000, ...(signal === undefined ? {} : { signal }) }).then(
      () => true,
      () => false,
    );
    signal?.throwIfAborted();
    if (well || performance.now() > until) return well;
  }
};

/** Finds the cluster or creates it; one whose node does not answer is made anew. */
export const upKind = (place: Place, options: KindOptions): Promise<void> => {
  const { terminal, signal } = options;
  const { cluster, node, network } = kindNames(place);
  return withLock(place, options, async () => {
    if (await exists(place, options)) {
      if (existsSync(place.kubeconfig) && (await answers(node, signal))) return;
      await terminal.step(`Remove the rest of an earlier run of cluster "${place.name}"`, () => remove(place, options));
    }
    await terminal.step(`Start Kubernetes in Docker as cluster "${place.name}"`, async (step) => {
      mkdirSync(`${place.folder}/kind`, { recursive: true });
      const create = [
        ...["create", "cluster", "--name", cluster, "--image", pinned(nodeImage), "--config", "-"],
        ...["--kubeconfig", place.kubeconfig, "--wait", "120s"],
      ];
      try {
        await kind(create, options, step.log, { network, input: kindConfig() });
      } catch (error) {
        await afterFailure(error, ...notRemoved(place.name), () => remove(place, options));
      }
    });
  });
};

/** Deletes the cluster with its containers, volumes and network. Images stay, and it says so. */
export const downKind = (place: Place, terminal: Terminal): Promise<void> =>
  withLock(place, { terminal }, async () => {
    await remove(place, { terminal });
    const ours = await dockerLines(["image", "ls", "--quiet", "--filter", "reference=rowferry.dev/*"]);
    if (ours.length > 0) terminal.line("  The images stay in Docker for the next start. To list them: docker image ls");
  });

/** Node port → port on this machine's loopback, as Docker publishes them. */
export const kindPorts = async (place: Place): Promise<Record<number, number>> =>
  publishedPorts((await dockerLines(["port", kindNames(place).node])).join("\n"));

const imagesOn = (node: string): Promise<string[]> =>
  dockerLines(["exec", node, "ctr", "--namespace", "k8s.io", "images", "list"]);

/** Loads an OCI archive into the node, unless its images are there under the same names and digests. */
export const loadIntoKind = async (place: Place, archive: string, options: KindOptions): Promise<void> => {
  const { cluster, node } = kindNames(place);
  const lines = (await imagesOn(node)).map((line) => line.split(/\s+/));
  const there = new Set(lines.map(([name, , digest]) => `${name}@${digest}`));
  if ((await imagesIn(archive)).every((one) => there.has(one))) return;
  await kind(["load", "image-archive", archive, "--name", cluster], options, options.terminal.log);
};

/**
 * Brings an image of the engine to the node, unless the node has one of that name. Not by `kind load`, which asks for every
 * platform that the image's index names; an engine with containerd's store saves that index, and one platform's content.
 */
export const copyIntoKind = async (place: Place, ref: string, { terminal, signal }: KindOptions): Promise<void> => {
  const { node } = kindNames(place);
  if ((await imagesOn(node)).some((line) => line.split(/\s+/)[0] === ref)) return;
  const [platform = ""] = await dockerLines(["version", "--format", "{{.Server.Os}}/{{.Server.Arch}}"]);
  const into = ["ctr", "--namespace", "k8s.io", "images", "import", "--platform", platform, "-"];
  await dockerPipe(["save", ref], ["exec", "--interactive", node, ...into], terminal.log, signal);
};
