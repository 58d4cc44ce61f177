import { inTime } from "../engine/run/watchdog/in-time.ts";
import { createRedactor } from "../guard/redact.ts";
import { runAssess } from "./assess.ts";
import { runBackup } from "./backup/backup.ts";
import { runRestore } from "./backup/restore.ts";
import { commands, type Parsed, parseCommand } from "./command.ts";
import { runCopy } from "./copy.ts";
import { redactUrl } from "./databases.ts";
import type { CliEngine } from "./engine.ts";
import { commandFailure, exitCodes, exitMessage, Interrupted, ResultNotWritten } from "./exit.ts";
import type { Command, CommandName } from "./flags/command.ts";
import { completionHelp, completionScript, isShell, shellNames } from "./flags/completion.ts";
import { commandHelp, commandNames, generalHelp } from "./flags/help.ts";
import { messageWithFlags } from "./flags/messages.ts";
import { type CommandContext, type CommandResult, type Io, jsonText, plainText, printed } from "./io.ts";
import { whyOf } from "./report-file.ts";
import { runReset } from "./reset.ts";
import { type Colours, coloursFor } from "./terminal/colours.ts";
import { nearest } from "./terminal/nearest.ts";
import { runVerify } from "./verify.ts";
import { createVoice, type Voice } from "./voice.ts";

/** The command line: chooses the command, and says how it ended. The engine is passed in. */

/** Milliseconds that the engine may take to end in order after the first Ctrl-C. */
const orderlyMs = 4_000;

/** The engine, none of whose answers comes later than that. */
function ending(engine: CliEngine, signal: AbortSignal, deadlineMs: number): CliEngine {
  const soon = <T>(work: Promise<T>) => inTime(work, signal, deadlineMs, () => signal.reason as Error);
  return {
    async copy(request, hooks) {
      const { report, finish } = await soon(engine.copy(request, hooks));
      return { report, finish: () => soon(finish()) };
    },
    assess: (request, hooks) => soon(engine.assess(request, hooks)),
    verify: (request, hooks) => soon(engine.verify(request, hooks)),
    refuseElsewhere: (list, aborting) => soon(engine.refuseElsewhere(list, aborting)),
    reset: (request, hooks) => soon(engine.reset(request, hooks)),
    foundRuns: (target, aborting) => soon(engine.foundRuns(target, aborting)),
    async backups() {
      const backups = await engine.backups();
      return {
        ...backups,
        takeBackup: (request) => soon(backups.takeBackup(request)),
        restoreBackup: (request) => soon(backups.restoreBackup(request)),
      };
    },
  };
}

/** `signal` aborts with Interrupted. Resolves with the exit code, soon after that too; never rejects. */
export async function main(
  argv: readonly string[],
  io: Io,
  signal: AbortSignal,
  engine: CliEngine,
  deadlineMs = orderlyMs,
): Promise<number> {
  const columns = io.stdout.columns || 100;
  const [first, ...rest] = argv;
  if (first === "--version" || first === "-v" || first === "-V" || first === "version")
    return tell(`${io.version}\n`, io);
  const wanted = first === "help" ? rest[0] : first;
  const command = commands.find(({ name }) => name === wanted);
  const asked = first === "help" || argv.some((word) => word === "--help" || word === "-h");
  const colours = coloursFor(io.stdout, io.env);
  if (asked && (command !== undefined || wanted === undefined || wanted.startsWith("-") || wanted === "completion"))
    return tell(helpOf(wanted, command, columns, colours), io);
  if (wanted === "completion") return runCompletion(rest, io);
  if (command === undefined) return unknownCommand(wanted, io);
  const context: CommandContext = { io, redactor: createRedactor(), signal };
  return runCommand(command, rest, context, ending(engine, signal, deadlineMs));
}

function helpOf(wanted: string | undefined, command: Command | undefined, ...look: [number, Colours]): string {
  if (wanted === "completion") return completionHelp;
  return command === undefined ? generalHelp(...look) : commandHelp(command, ...look);
}

async function runCompletion([shell, ...more]: readonly string[], io: Io): Promise<number> {
  if (isShell(shell) && more.length === 0) return tell(completionScript(shell), io);
  io.stderr.write(`rowferry: completion takes the name of a shell: ${shellNames.join(", ")}\n`);
  return exitCodes.usage;
}

/** The words that other tools use for the same. */
const otherWords: Readonly<Record<string, string>> = {
  ...{ migrate: "copy", sync: "copy", transfer: "copy", clone: "copy" },
  ...{ check: "assess", preview: "assess", preflight: "assess", plan: "assess", estimate: "assess" },
  ...{ compare: "verify", diff: "verify", undo: "reset", rollback: "reset", clean: "reset" },
};

function unknownCommand(word: string | undefined, { stderr }: Io): number {
  const meant =
    word === undefined
      ? undefined
      : ((Object.hasOwn(otherWords, word) ? otherWords[word] : undefined) ?? nearest(word, commandNames));
  const what = word === undefined ? "a command is missing" : `unknown command ${JSON.stringify(word.slice(0, 40))}`;
  const help = meant === undefined ? `; the commands are ${commandNames.join(", ")}` : `; did you mean ${meant}?`;
  stderr.write(`rowferry: ${plainText(what)}${help}\nMore: rowferry --help\n`);
  return exitCodes.usage;
}

async function tell(text: string, { stdout, stderr }: Io): Promise<number> {
  try {
    await printed(stdout, text);
    return exitCodes.done;
  } catch (error) {
    if (gone(error)) return exitCodes.done;
    stderr.write(`rowferry: stdout cannot be written: ${whyOf(error)}\n`);
    return exitCodes.failed;
  }
}

/** A person's pager that was left: no fault. */
const gone = (error: unknown) => (error as NodeJS.ErrnoException).code === "EPIPE";

/** The code stands at the end of the first line: lines that follow it are a list. */
const withCode = (words: string, code: string) => words.replace(/(?=\n {2}\S)|$/, () => code);

async function runCommand(
  command: Command,
  argv: readonly string[],
  context: CommandContext,
  engine: CliEngine,
): Promise<number> {
  const { io, redactor, signal } = context;
  const json = argv.includes("--json");
  // What is given on the command line is secret before it is understood: an error may repeat it.
  for (const word of argv) if (word.includes("://")) redactUrl(word, redactor);
  let voice: Voice = createVoice("auto", context);
  const jsonOf = (body: object) => jsonText({ command: command.name, ...body });
  let written = false;
  signal.addEventListener("abort", () => voice.ending(), { once: true });
  try {
    const parsed = parseCommand(command, argv);
    voice = createVoice(parsed.progress, context);
    const done = await runs[command.name](parsed, context, voice, engine);
    const { body, text, outcome = "done", exitCode = exitCodes.done, finish } = done;
    voice.still();
    if (signal.aborted) voice.log("info", tooLate);
    const { green, red } = coloursFor(io.stdout, io.env);
    const shown = firstLine(plainText(text), exitCode === exitCodes.done ? green : red);
    await printed(io.stdout, json ? jsonOf({ outcome, ...body }) : shown).catch((error: unknown) => {
      if (json || !gone(error)) throw unprinted(command, error);
    });
    written = true;
    await finish?.();
    return exitCode;
  } catch (thrown) {
    // Whatever an interrupted copy ended with, the person's Ctrl-C is why.
    const interrupted = signal.aborted && signal.reason instanceof Interrupted && !(thrown instanceof ResultNotWritten);
    const error = interrupted ? signal.reason : thrown;
    const { exitCode, code, retryable, ...failure } = commandFailure(error);
    voice.still();
    const message =
      (interrupted && stoppedMessage(command, voice, written)) || redactor.clean(messageWithFlags(failure.message));
    const { run, shown: laidOut } = thrown as { run?: string; shown?: string };
    const told = !interrupted && laidOut !== undefined ? redactor.clean(laidOut) : message;
    const shown = `rowferry: ${withCode(told, exitMessage(exitCode, code))}`;
    voice.failed(shown, { code, message, retryable });
    if (exitCode === exitCodes.usage && code === "usage") io.stderr.write(`More: rowferry ${command.name} --help\n`);
    const body = error instanceof ResultNotWritten ? error.body : undefined;
    if (!written && (json || body !== undefined)) {
      const outcome = exitCode === exitCodes.different ? "different" : "failed";
      const answer = { outcome, ...(run === undefined ? {} : { run }), ...body, error: { code, message, retryable } };
      // What cannot be printed either is said on stderr, above.
      await printed(io.stdout, jsonOf(answer)).catch(() => undefined);
    }
    return exitCode;
  }
}

const tooLate = "It had finished before it could stop: its result is complete.";

/** Says what became of the work that Ctrl-C stopped. Returns words for the error, where it was stopped after its result was told. */
function stoppedMessage({ stopped }: Command, voice: Voice, written: boolean): string | undefined {
  if (written) return onlyFinish;
  if (stopped !== undefined) voice.log("info", stopped);
  return undefined;
}

const onlyFinish =
  "the copy is complete and verified; only the removal of the table _rowferry from the target was stopped: the same command removes it without copying";

/** The verdict is in the first line. */
const firstLine = (text: string, paint: (words: string) => string) => text.replace(/^.+/, paint);

function unprinted({ name }: Command, error: unknown): ResultNotWritten {
  const [done, again] =
    name === "copy"
      ? ["the copy is complete and verified", "; the same command prints it again without copying"]
      : [`rowferry ${name} is done`, ""];
  return new ResultNotWritten(`${done}, but its result could not be printed on stdout: ${whyOf(error)}${again}`);
}

type Run = (parsed: Parsed, context: CommandContext, voice: Voice, engine: CliEngine) => Promise<CommandResult>;
const runs: Record<CommandName, Run> = {
  copy: runCopy,
  assess: runAssess,
  verify: runVerify,
  reset: runReset,
  backup: runBackup,
  restore: runRestore,
};
