// What a cluster of processes writes down: how it is found again, and what its kubelet needs to know.
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProcessMark } from "../local/processes.ts";
import type { Place } from "../place.ts";
import type { SettledPorts } from "./kubelet/services.ts";

export type State = {
  clone: string;
  name: string;
  /** Of etcd, API server, controller manager and kubelet, in the order of their start. */
  processes: ProcessMark[];
  /** The folder of images and pods, which other accounts can enter where root runs pods as them. */
  run: string;
  /** Node port → loopback port. */
  nodePorts: Record<number, number>;
  settled: SettledPorts;
  ready: boolean;
};

export type KubeletSettings = {
  kubeconfig: string;
  server: string;
  ca: string;
  cert: string;
  key: string;
  /** Of the kubelet's own server. */
  port: number;
  nodeName: string;
  images: string;
  pods: string;
  /** The Node that pods run. */
  node: string;
  settled: SettledPorts;
  nodePorts: Record<number, number>;
  /** Where the kubelet is root's: the account that pods run as. */
  account?: { uid: number; gid: number };
};

/** Below the cluster's folder. */
export const settingsFile = "kubelet.json";

const fileOf = (place: Place): string => join(place.folder, "processes.json");

/** Whether a cluster of processes was started here, even if its state cannot be read any more. */
export const hasState = (place: Place): boolean => existsSync(fileOf(place));

/** Null where no cluster of processes was started here, and where the file cannot be read. */
export const readState = (place: Place): State | null => {
  if (!hasState(place)) return null;
  try {
    const state = JSON.parse(readFileSync(fileOf(place), "utf8")) as State | null;
    return Array.isArray(state?.processes) && typeof state.run === "string" ? state : null;
  } catch {
    return null;
  }
};

/** Writes it whole or not at all. */
export const writeState = (place: Place, state: State): void => {
  mkdirSync(place.folder, { recursive: true, mode: 0o700 });
  writeFileSync(`${fileOf(place)}.part`, JSON.stringify(state), { mode: 0o600, flush: true });
  renameSync(`${fileOf(place)}.part`, fileOf(place));
};

/** Where the image of that reference is, once it was loaded. */
export const imageFolder = (images: string, ref: string): string => join(images, ref.replaceAll(/[^\w.-]/g, "_"));
