// A cluster in Docker, by kind. Its containers are its state; the folder here holds its kubeconfig alone.
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { lock } from "../lock.mjs";
import type { Terminal } from "../terminal/index.ts";
import { run } from "../terminal/run.ts";
import { program } from "./binaries/index.ts";
import { kubernetesVersion } from "./binaries/tools.ts";
import { imagesIn } from "./local/images.ts";
import type { Place } from "./place.ts";

type KindOptions = { terminal: Terminal; signal?: AbortSignal };

/** kind's own cluster name, and the name of the one node's container. */
export const kindNames = (place: Place): { cluster: string; node: string } => {
  const cluster = `rowferry-${place.id}`;
  return { cluster, node: `${cluster}-control-plane` };
};

const image = `kindest/node:v${kubernetesVersion.replace(/\.\d+$/, ".0")}`;

const kind = async (args: string[], options: KindOptions, log: (text: string) => void): Promise<string> => {
  const { terminal, signal } = options;
  const path = await program("kind", "kind", options);
  return (await run(path, args, { log: log ?? terminal.log, ...(signal === undefined ? {} : { signal }) })).stdout;
};

const exists = async (place: Place, options: KindOptions): Promise<boolean> =>
  (await kind(["get", "clusters"], options, options.terminal.log)).split("\n").includes(kindNames(place).cluster);

/** Whether an earlier `up` of this place went by kind. */
export const isKind = (place: Place): boolean => existsSync(`${place.folder}/kind`);

const remove = async (place: Place, options: KindOptions): Promise<void> => {
  const { terminal } = options;
  await kind(["delete", "cluster", "--name", kindNames(place).cluster], { terminal }, terminal.log);
  rmSync(place.folder, { recursive: true, force: true });
};

/** Finds the cluster or creates it; one whose node does not answer is made anew. */
export const upKind = async (place: Place, options: KindOptions): Promise<void> => {
  const { terminal, signal } = options;
  const release = await lock(place.folder, signal === undefined ? {} : { signal });
  const { cluster, node } = kindNames(place);
  try {
    if (await exists(place, options)) {
      const well = await run(
        "docker",
        ["exec", node, "kubectl", "--kubeconfig=/etc/kubernetes/admin.conf", "get", "--raw", "/readyz"],
        {
          timeoutMs: 5_000,
        },
      ).then(
        () => true,
        () => false,
      );
      if (well && existsSync(place.kubeconfig)) return;
      await terminal.step(`Remove the rest of an earlier run of cluster "${place.name}"`, () => remove(place, options));
    }
    await terminal.step(`Start Kubernetes in Docker as cluster "${place.name}"`, async (step) => {
      mkdirSync(`${place.folder}/kind`, { recursive: true });
      const create = [
        "create",
        "cluster",
        "--name",
        cluster,
        "--image",
        image,
        "--kubeconfig",
        place.kubeconfig,
        "--wait",
        "120s",
      ];
      try {
        await kind(create, options, step.log);
      } catch (error) {
        await remove(place, options);
        throw error;
      }
    });
  } finally {
    await release();
  }
};

/** Deletes the cluster with its containers. */
export const downKind = async (place: Place, terminal: Terminal): Promise<void> => {
  const release = await lock(place.folder);
  try {
    await remove(place, { terminal });
  } finally {
    await release();
  }
};

/** Loads an OCI archive into the node, unless its images are there under the same names and digests. */
export const loadIntoKind = async (place: Place, archive: string, options: KindOptions): Promise<void> => {
  const { cluster, node } = kindNames(place);
  const listed = await run("docker", ["exec", node, "ctr", "--namespace", "k8s.io", "images", "list"], {});
  const there = new Set(
    listed.stdout
      .split("\n")
      .map((line) => line.split(/\s+/))
      .map(([name, , digest]) => `${name}@${digest}`),
  );
  if ((await imagesIn(archive)).every((one) => there.has(one))) return;
  await kind(["load", "image-archive", archive, "--name", cluster], options, options.terminal.log);
};
