// Progress for people and for logs: a line for each step with its time, a bar where the length is known, and the name
// of a log file when something fails. Steps may run side by side and inside each other.
import { appendFileSync, existsSync, mkdirSync, readdirSync, rmSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { cacheFolder } from "./cache.ts";
import { isStopped } from "./run.ts";
import { openScreen, type Screen } from "./screen.ts";

/** What a step's work gets: its bar, its words, and its way into the log file. */
export type Step = {
  /** Shows `done` of `total`; `unit` (for example "MB" or "rows") stands behind the numbers. */
  bar(done: number, total: number, unit?: string): void;
  /** A short note behind the step's name; it stays on the finished line. */
  note(words: string): void;
  /** Text for the log file only. Pass it as `log` to `run`. */
  log(text: string): void;
};

export type Terminal = {
  /** Runs `work`, shows its name and time, and passes on its value or error. */
  step<T>(name: string, work: (step: Step) => Promise<T>): Promise<T>;
  /** A line for the reader. */
  line(text?: string): void;
  /** Text for the log file only. */
  log(text: string): void;
  /** Path of the log file; it exists once something was written to it. */
  logFile: string;
  /** The last lines of a failed command: `✗ <name>: <cause>`, the log file's path and the next step. */
  fail(error: unknown, next: string): void;
  /** Clears what is drawn and stops the redrawing. */
  close(): void;
};

export type TerminalOptions = {
  /** Names the log file: `<cache>/logs/<name>-<time>-<pid>.log`. */
  name: string;
  /** Where lines go. Default: standard error, so that standard output stays free for results. */
  output?: NodeJS.WriteStream;
  /** Redraw in place. Default: the output is a terminal and CI is not set. */
  interactive?: boolean;
  logFile?: string;
  /** Milliseconds, any origin. */
  now?: () => number;
};

const keptLogs = 40;

const seconds = (milliseconds: number): string => {
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  return `${Math.floor(milliseconds / 60_000)} min ${Math.round((milliseconds % 60_000) / 1000)} s`;
};

/** An error's message in one line; causes follow in brackets. */
export const describe = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  return error.cause === undefined ? error.message : `${error.message} (${describe(error.cause)})`;
};

/** Deletes all but the newest logs. */
const sweepLogs = (folder: string): void => {
  const old = readdirSync(folder)
    .map((file) => join(folder, file))
    .flatMap((file) => {
      const found = statSync(file, { throwIfNoEntry: false });
      return found === undefined ? [] : [{ file, age: found.mtimeMs }];
    })
    .sort((a, b) => b.age - a.age)
    .slice(keptLogs);
  for (const { file } of old) rmSync(file, { force: true });
};

const newLogFile = (name: string): string => {
  const folder = join(cacheFolder(), "logs");
  try {
    sweepLogs(folder);
  } catch {
    // There is no folder yet. One that cannot be made or read is named by the first line that cannot be written.
  }
  const time = new Date().toISOString().replaceAll(":", "").slice(0, 17);
  return join(folder, `${name}-${time}-${process.pid}.log`);
};

/**
 * Opens the progress output of one command.
 *
 * @example
 * const terminal = openTerminal({ name: "up" });
 * const image = await terminal.step("Build the image", async (step) => {
 *   step.bar(3, 12, "files");
 *   const { stdout } = await run("buildah", ["images"], { log: step.log });
 *   return stdout;
 * });
 */
export const openTerminal = (options: TerminalOptions): Terminal => {
  const output = options.output ?? process.stderr;
  const interactive = options.interactive ?? (output.isTTY === true && !process.env["CI"]);
  const now = options.now ?? (() => performance.now());
  const logFile = options.logFile ?? newLogFile(options.name);
  const screen: Screen = openScreen({
    write: (text) => output.write(text),
    width: () => output.columns ?? 80,
    interactive,
    now,
  });
  const shown = new WeakSet<object>();
  const unseen = (error: unknown): boolean => {
    if (typeof error !== "object" || error === null) return true;
    if (shown.has(error)) return false;
    shown.add(error);
    return true;
  };

  let logged = true;
  // A full disk must not end the command in the middle of what it has to clean up.
  const log = (text: string): void => {
    if (text === "") return;
    try {
      mkdirSync(dirname(logFile), { recursive: true, mode: 0o700 });
      appendFileSync(logFile, text.endsWith("\n") ? text : `${text}\n`, { mode: 0o600 });
    } catch (error) {
      if (logged) screen.line(`  The log cannot be written: ${describe(error)}`);
      logged = false;
    }
  };

  const report = (error: unknown): void => {
    if (!unseen(error)) return;
    log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    screen.line(`  ${describe(error)}`);
  };

  const fail = (error: unknown, next: string): void => {
    if (unseen(error)) log(error instanceof Error ? (error.stack ?? error.message) : String(error));
    log("");
    screen.line("");
    screen.line(`✗ ${options.name}: ${describe(error)}`);
    if (existsSync(logFile)) screen.line(`  log:  ${logFile}`);
    screen.line(`  next: ${next}`);
  };

  const step = async <T>(name: string, work: (step: Step) => Promise<T>): Promise<T> => {
    const start = now();
    const row = screen.begin(name);
    log(`== ${name}`);
    let note = "";
    try {
      const value = await work({
        bar: (done, total, unit = "") => row.bar(done, total, unit),
        note: (words) => {
          note = words;
          row.note(words);
        },
        log,
      });
      row.end(`✓ ${name}${note === "" ? "" : `: ${note}`}  ${seconds(now() - start)}`);
      return value;
    } catch (error) {
      if (isStopped(error)) row.end(`– ${name}: stopped  ${seconds(now() - start)}`);
      else {
        row.end(`✗ ${name}  ${seconds(now() - start)}`);
        report(error);
      }
      throw error;
    }
  };

  return { step, line: (text = "") => screen.line(text), log, logFile, fail, close: () => screen.close() };
};
