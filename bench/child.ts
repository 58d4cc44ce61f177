// One program that the bench waits for. An interrupt ends it at once, and nothing that watches it outlives it.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { text } from "node:stream/consumers";

export type ChildOptions = {
  env?: NodeJS.ProcessEnv;
  /** Written to standard input, which is empty otherwise. */
  input?: string;
  /** Gets standard error as it comes. */
  log?: (text: string) => void;
  /** Ends the program, and what it started, by SIGKILL. */
  signal: AbortSignal;
  /** After which the program is ended by SIGKILL. No limit. */
  timeoutMs?: number;
};

/** `code` is null after a signal. `words`: the end of standard error. */
export type Ended = { code: number | null; output: string; words: string; ms: number };

const mostWords = 2000;

/**
 * Runs a program to its end. `beside` begins with the program's process id and is called off when the program has ended,
 * however that was. Errors: the signal's reason, once the program has ended; that it could not be started.
 */
export const runChild = async (
  command: string,
  args: readonly string[],
  { env, input = "", log, signal, timeoutMs }: ChildOptions,
  beside: (pid: number) => () => void = () => () => undefined,
): Promise<Ended> => {
  signal.throwIfAborted();
  const begun = performance.now();
  const child = spawn(command, args, {
    stdio: ["pipe", "pipe", "pipe"],
    // A group of its own: what it started would hold its output open.
    detached: true,
    ...(env === undefined ? {} : { env }),
  });
  const stop = (): void => {
    try {
      if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
    } catch {
      // It has ended by itself.
    }
  };
  const limit = timeoutMs === undefined ? undefined : setTimeout(stop, timeoutMs);
  signal.addEventListener("abort", stop, { once: true });
  const callOff = beside(child.pid ?? 0);
  let words = "";
  child.stderr.setEncoding("utf8").on("data", (said: string) => {
    words = (words + said).slice(-mostWords);
    log?.(said);
  });
  // A program that ends without reading its input is judged by its exit code.
  child.stdin.on("error", () => undefined).end(input);
  try {
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, "close")]);
    signal.throwIfAborted();
    return { code: code as number | null, output, words, ms: performance.now() - begun };
  } finally {
    clearTimeout(limit);
    signal.removeEventListener("abort", stop);
    callOff();
  }
};
