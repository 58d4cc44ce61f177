// Which parts this machine can run. Without root they are not failures, and not passed either: they are named.
import { existsSync } from "node:fs";
import type { Part } from "./parts.ts";

export interface Machine {
  platform: NodeJS.Platform;
  root: boolean;
  /** Whether it has apt. */
  debian: boolean;
}

export const thisMachine = (): Machine => ({
  platform: process.platform,
  root: process.getuid?.() === 0,
  debian: existsSync("/usr/bin/apt-get"),
});

/** What a part lacks here, in a few words; null when it can run. */
export function lacking(part: Part, { platform, root, debian }: Machine): string | null {
  if (part.root && !(platform === "linux" && root && debian)) return "root on Debian or Ubuntu";
  if (part.kubernetes && platform !== "linux") return "Linux, for Kubernetes' own programs";
  return null;
}

/** Lines for the end of a run: what each of these parts lacks. */
export const notRun = (parts: readonly Part[], machine: Machine): string[] =>
  [...new Set(parts.map((part) => lacking(part, machine)))].flatMap((needs) =>
    needs === null
      ? []
      : [
          `not run, needs ${needs}: ${parts
            .filter((part) => lacking(part, machine) === needs)
            .map(({ name }) => name)
            .join(", ")}`,
        ],
  );
