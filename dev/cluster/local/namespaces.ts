// Namespaces of their own for a node's processes, whose first process is a script that waits for words.
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Writable } from "node:stream";
import type { Place } from "../place.ts";

/** The process that made the namespaces, and the way to its script. */
export type Child = { pid: number; words: Writable; ended: () => boolean };

/**
 * Starts `init.sh` of the folder as the first process of new namespaces; with `inside`, the host's number of a process, its process
 * namespace is below that one's and ends with it.
 */
export const startNamespaces = (folder: string, inside?: number): Child => {
  const out = openSync(join(folder, "log", "init.log"), "a");
  // The script does not exist yet: the shell waits for it on the first line of its standard input.
  const unshare = [
    ...["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc", "--"],
    ...["sh", "-c", 'read -r word && [ "$word" = script ] && exec sh "$0"', join(folder, "init.sh")],
  ];
  const [program = "", ...args] =
    inside === undefined ? unshare : ["nsenter", `--pid=/proc/${inside}/ns/pid`, "--", ...unshare];
  const child = spawn(program, args, { stdio: ["pipe", out, out], detached: true, cwd: "/" });
  const words = child.stdin;
  if (child.pid === undefined || words === null) throw new Error("The cluster's namespaces cannot be made: no unshare");
  words.on("error", () => {});
  child.unref();
  return { pid: child.pid, words, ended: () => child.exitCode !== null || child.signalCode !== null };
};

const lastLines = (file: string): string =>
  existsSync(file) ? [...new Set(readFileSync(file, "utf8").trim().split("\n"))].slice(-4).join(" | ") : "";

/** Throws when a component ends again and again: it will not come up by waiting longer. */
export const checkComponents = (place: Place, names: readonly string[], ended: () => boolean) => (): void => {
  const log = (name: string): string => join(place.folder, "log", `${name}.log`);
  if (ended()) throw new Error(`The cluster's first process ended: ${lastLines(log("init"))}`);
  for (const name of names) {
    const text = existsSync(log(name)) ? readFileSync(log(name), "utf8") : "";
    const ends = text.split(`rowferry: ${name} ended with`).length - 1;
    if (ends >= 8) throw new Error(`${name} does not stay up. Its last log lines: ${lastLines(log(name))}`);
  }
};

/** Writes files by their path below the place's folder. */
export const write = (place: Place, files: Record<string, string>): void => {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(place.folder, name)), { recursive: true });
    writeFileSync(join(place.folder, name), content);
  }
};

/** The first process inside, as the host numbers it: the only child of `unshare`. */
export const firstProcess = (unshare: number): number =>
  Number(readFileSync(`/proc/${unshare}/task/${unshare}/children`, "utf8").trim().split(" ")[0]);
