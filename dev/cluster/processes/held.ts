// A program that starts only after its number was written down, so that nothing runs that no file names.
import { type ChildProcess, spawn } from "node:child_process";

export type HeldOptions = {
  cwd: string;
  env?: NodeJS.ProcessEnv;
  uid?: number;
  gid?: number;
  /** File descriptor for both outputs. */
  output: number;
};

export type Held = {
  child: ChildProcess;
  /** Lets the program start, with empty standard input. */
  release(): void;
  /** The program never starts. */
  drop(): void;
};

// The end of standard input, also by the death of the process that holds it, ends the shell.
const script = 'read -r word && [ "$word" = go ] || exit 1; exec "$0" "$@" < /dev/null';

/** Starts a shell, in a process group of its own, that becomes the program on `release`: its number stays the same. */
export const spawnHeld = (command: readonly string[], { output, ...options }: HeldOptions): Held => {
  const child = spawn("/bin/sh", ["-c", script, ...command], {
    ...options,
    stdio: ["pipe", output, output],
    detached: true,
  });
  const { stdin } = child;
  stdin?.on("error", () => {});
  return { child, release: () => stdin?.end("go\n"), drop: () => stdin?.destroy() };
};
