import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Place } from "../place.ts";
import type { Snapshotter } from "./plan.ts";
import type { ProcessMark } from "./processes.ts";

/** What is known of a local cluster between commands. `ready` is set once everything answered. */
export type State = {
  clone: string;
  name: string;
  process: ProcessMark;
  /** The first process of the second node, once that is Ready. */
  second?: ProcessMark;
  /** Absent until the network is up. */
  index?: number;
  snapshotter: Snapshotter;
  containerd: string;
  ready: boolean;
};

const file = (place: Place): string => join(place.folder, "state.json");

/** The saved state, or null where there is none that can be read. */
export const readState = (place: Place): State | null => {
  if (!existsSync(file(place))) return null;
  try {
    return JSON.parse(readFileSync(file(place), "utf8")) as State;
  } catch {
    return null;
  }
};

export const writeState = (place: Place, state: State): void => {
  mkdirSync(place.folder, { recursive: true });
  writeFileSync(`${file(place)}.part`, JSON.stringify(state, null, 2));
  renameSync(`${file(place)}.part`, file(place));
};
