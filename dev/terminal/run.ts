// One child process: its output to the log, its standard output back, its failure as an error that says what it said.
import { spawn } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

export type RunOptions = {
  /** Gets standard output and standard error as they come. */
  log?: (text: string) => void;
  /** Written to standard input, which is empty otherwise. */
  input?: string;
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /**
   * Ends the process and its own children by SIGTERM, then after five seconds by SIGKILL, and waits for all of them. They
   * are a process group then, which a Ctrl-C at the terminal does not reach by itself.
   */
  signal?: AbortSignal;
  /** Milliseconds; 0 or absent: no limit. */
  timeoutMs?: number;
  /** Milliseconds between SIGTERM and SIGKILL. Default: 5000. */
  graceMs?: number;
};

type CommandErrorOptions = ErrorOptions & { aborted?: boolean };

/** `code` is the exit code, or null after a signal or when the program could not be started. */
export class CommandError extends Error {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** Whether the caller's signal ended the program. */
  readonly aborted: boolean;
  constructor(
    message: string,
    code: number | null,
    stdout: string,
    stderr: string,
    { aborted = false, ...options }: CommandErrorOptions = {},
  ) {
    super(message, options);
    this.name = "CommandError";
    this.code = code;
    this.stdout = stdout;
    this.stderr = stderr;
    this.aborted = aborted;
  }
}

/** Whether an error only says that the work was aborted: it is not the cause of a failure. */
export const isStopped = (error: unknown): boolean =>
  error instanceof CommandError
    ? error.aborted
    : error instanceof Error && ["AbortError", "Stopped", "Interrupted"].includes(error.name);

const usualGraceMs = 5_000;

/** Whether a process of the group runs. One that has ended and waits for its parent to notice does not count. */
const groupRuns = (group: number): boolean => {
  try {
    process.kill(-group, 0);
  } catch {
    return false;
  }
  if (process.platform !== "linux") return true;
  return readdirSync("/proc").some((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "utf8");
      const [state, , its] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      return Number(its) === group && state !== "Z";
    } catch {
      return false;
    }
  });
};

/** Waits until no process of the group runs, and ends by SIGKILL those that still do at `until`. */
const endGroup = async (group: number, until: number): Promise<void> => {
  while (groupRuns(group)) {
    if (performance.now() > until) {
      try {
        process.kill(-group, "SIGKILL");
      } catch {
        // It has ended by itself.
      }
      return;
    }
    await sleep(20);
  }
};

/** Runs a program to its end. Rejects with a CommandError when it cannot start or ends other than with 0. */
export const run = (
  command: string,
  args: readonly string[],
  options: RunOptions = {},
): Promise<{ stdout: string; stderr: string }> =>
  new Promise((resolve, reject) => {
    options.signal?.throwIfAborted();
    options.log?.(`$ ${[command, ...args].join(" ")}`);
    const grouped = options.signal !== undefined && process.platform !== "win32";
    const child = spawn(command, args, {
      detached: grouped,
      stdio: [options.input === undefined ? "ignore" : "pipe", "pipe", "pipe"],
      ...(options.env === undefined ? {} : { env: options.env }),
      ...(options.cwd === undefined ? {} : { cwd: options.cwd }),
    });
    const out: string[] = [];
    const err: string[] = [];
    let ended: string | null = null;
    const kill = (signal: NodeJS.Signals): void => {
      if (child.pid === undefined) return;
      try {
        process.kill(grouped ? -child.pid : child.pid, signal);
      } catch {
        // It has ended by itself.
      }
    };
    let force: NodeJS.Timeout | undefined;
    let killAt = 0;
    const stop = (why: string): void => {
      ended ??= why;
      kill("SIGTERM");
      const graceMs = options.graceMs ?? usualGraceMs;
      killAt ||= performance.now() + graceMs;
      force ??= setTimeout(() => kill("SIGKILL"), graceMs);
    };
    const onAbort = (): void => stop("was interrupted");
    options.signal?.addEventListener("abort", onAbort, { once: true });
    const limit = options.timeoutMs
      ? setTimeout(() => stop(`took longer than ${options.timeoutMs} ms`), options.timeoutMs)
      : undefined;
    child.stdout?.setEncoding("utf8").on("data", (text: string) => {
      out.push(text);
      options.log?.(text);
    });
    child.stderr?.setEncoding("utf8").on("data", (text: string) => {
      err.push(text);
      options.log?.(text);
    });
    // A child that ends without reading its input is judged by its exit code, not by the broken pipe.
    child.stdin?.on("error", () => {});
    child.stdin?.end(options.input);
    const settle = (failure: string | null, code: number | null, more: CommandErrorOptions = {}): void => {
      clearTimeout(limit);
      clearTimeout(force);
      options.signal?.removeEventListener("abort", onAbort);
      const [stdout, stderr] = [out.join(""), err.join("")];
      if (failure === null) {
        resolve({ stdout, stderr });
        return;
      }
      const said = (stderr.trim() || stdout.trim()).split("\n").slice(-3).join(" | ").slice(-500);
      const name = [command, ...args.slice(0, 2)].join(" ");
      reject(new CommandError(`${name} ${failure}${said === "" ? "" : `: ${said}`}`, code, stdout, stderr, more));
    };
    child.on("error", (error) => settle("could not be started", null, { cause: error }));
    // A grandchild that holds the output open does not keep an interrupt waiting.
    child.on("exit", () => {
      if (ended === null) return;
      child.stdout?.destroy();
      child.stderr?.destroy();
    });
    child.on("close", (code, signal) => {
      if (ended !== null) {
        const failure = ended;
        const done = (): void => settle(failure, code, { aborted: options.signal?.aborted ?? false });
        // Its own end is not that of what it started.
        if (grouped && child.pid !== undefined) void endGroup(child.pid, killAt).then(done);
        else done();
      } else if (code === 0) settle(null, 0);
      else settle(code === null ? `was ended by ${signal}` : `failed with exit code ${code}`, code);
    });
  });
