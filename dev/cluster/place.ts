import { createHash } from "node:crypto";
import { realpathSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cacheFolder } from "../terminal/cache.ts";

/** Where one named cluster of one clone keeps what it needs. */
export type Place = {
  name: string;
  /** The clone's folder, links resolved. */
  clone: string;
  /** `<name>-<8 digits of the clone's hash>`: distinct for every name and clone. */
  id: string;
  folder: string;
  kubeconfig: string;
  /** Control group of a local cluster; no other cluster on this machine has it. */
  cgroup: string;
};

const here = realpathSync(fileURLToPath(new URL("../..", import.meta.url)));

const short = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 8);

/** Where a user's own cluster keeps what this machine has to remember of it. */
export const contextFolder = (kubeconfig: string, context: string): string =>
  join(cacheFolder(), "contexts", short(`${kubeconfig}\0${context}`));

/** A cluster's name: lower-case letters, digits and dashes, at most 20. Throws on any other. */
export const placeOf = (name: string, clone: string = here): Place => {
  if (!/^[a-z0-9]([a-z0-9-]{0,18}[a-z0-9])?$/.test(name)) {
    throw new Error(`"${name}" cannot name a cluster: use at most 20 lower-case letters, digits and dashes`);
  }
  const id = `${name}-${short(clone)}`;
  const folder = join(cacheFolder(), "clusters", id);
  return {
    name,
    clone,
    id,
    folder,
    kubeconfig: join(folder, "kubeconfig"),
    cgroup: `rowferry-${name}-${short(folder)}`,
  };
};

/** The command that removes the cluster of that name. */
export const downCommand = (name: string): string => `npm run down${name === "dev" ? "" : ` -- --name ${name}`}`;

/** What is left when a cluster could not be removed, and the next step. */
export const notRemoved = (name: string): [what: string, next: string] => [
  `Cluster "${name}" was not removed`,
  `Fix the cause, then run \`${downCommand(name)}\`.`,
];
