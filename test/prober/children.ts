import { readdirSync, readFileSync } from "node:fs";
import { memoryInCore } from "../core-files.ts";

export interface ChildProcess {
  pid: number;
  /** As /proc writes it: R, S, Z … */
  state: string;
  command: string[];
  environment: string[];
  /** What of its memory a core file would hold. */
  core: number;
}

const read = (pid: number, file: string) => readFileSync(`/proc/${pid}/${file}`, "latin1");
const words = (text: string) => text.split("\0").filter((word) => word !== "");

/** The children of a process, zombies too; one that ends while it is looked at is left out. */
export function childrenOf(parent: number): ChildProcess[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      const pid = Number(name);
      try {
        // The command's name stands in parentheses and may itself hold any character.
        const [state = "", ppid] = read(pid, "stat")
          .replace(/^.*\) /s, "")
          .split(" ");
        if (Number(ppid) !== parent) return [];
        const core = state === "Z" ? 0 : memoryInCore(pid);
        return [{ pid, state, command: words(read(pid, "cmdline")), environment: words(read(pid, "environ")), core }];
      } catch {
        return [];
      }
    });
}
