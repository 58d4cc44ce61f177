// What every command of `dev/` does alike: progress, an end by Ctrl-C that cleans up, an exit code.
import { constants } from "node:os";
import { CleanupFailed, nextStep } from "./failure.ts";
import { describe, openTerminal, type Terminal } from "./index.ts";
import { commandOf, type Line, type Options, readLine, type Usage } from "./options.ts";
import { isStopped } from "./run.ts";

/** The reason of an abort by a signal. */
export class Interrupted extends Error {
  readonly exitCode: number;
  constructor(signal: NodeJS.Signals) {
    super(`interrupted by ${signal}`);
    this.name = "Interrupted";
    this.exitCode = 128 + constants.signals[signal];
  }
}

export type Command = {
  terminal: Terminal;
  /** Aborts at the first SIGINT, SIGTERM or SIGHUP; later ones change nothing, so that cleaning up can end. */
  signal: AbortSignal;
};

/** What to do after a failure that does not say so itself. */
const tryAgain = (command: string): string =>
  `Read the log, fix the cause, and run \`${command}\` again. What is already downloaded or built is kept.`;

/**
 * Reads the command line and runs a command's work; `--help` prints the usage alone. The exit code is the number that `work`
 * returns, 0 without one; 1 after an error, whose cause, log file and next step are the last lines; 128 + n after signal n.
 */
export const runCommand = async <O extends Options>(
  usage: Usage<O>,
  work: (command: Command & Line<O>) => Promise<number | undefined>,
): Promise<void> => {
  const terminal = openTerminal({ name: usage.name });
  const abort = new AbortController();
  const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (!abort.signal.aborted) terminal.line(`  ${signal}: cleaning up`);
    abort.abort(new Interrupted(signal));
  };
  for (const signal of signals) process.on(signal, onSignal);
  try {
    const line = readLine(usage);
    if (typeof line === "string") console.log(line);
    else process.exitCode = (await work({ terminal, signal: abort.signal, ...line })) ?? 0;
  } catch (error) {
    const reason: unknown = abort.signal.reason;
    if (!abort.signal.aborted || error instanceof CleanupFailed)
      terminal.fail(error, nextStep(error) ?? tryAgain(commandOf(usage)));
    else if (!isStopped(error)) terminal.log(describe(error));
    process.exitCode = reason instanceof Interrupted ? reason.exitCode : 1;
  } finally {
    terminal.close();
    for (const signal of signals) process.off(signal, onSignal);
  }
};
