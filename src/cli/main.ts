import type { Assessment, AssessRequest } from "../engine/assess.ts";
import type { Copied, CopyHooks, CopyRequest } from "../engine/contract.ts";
import type { VerifyHooks, VerifyReport, VerifyRequest } from "../engine/verify.ts";
import { createRedactor } from "../guard/redact.ts";
import { runAssess } from "./assess.ts";
import { type Command, commands, type Parsed, parseCommand } from "./command.ts";
import { runCopy } from "./copy.ts";
import { learnUrl } from "./databases.ts";
import { exitCodes, failureOf, Interrupted } from "./exit.ts";
import { commandHelp, generalHelp } from "./help.ts";
import { type Context, type Io, jsonText, plainText } from "./io.ts";
import { runReset } from "./reset.ts";
import { runVerify } from "./verify.ts";
import { createVoice, type Voice } from "./voice.ts";

/** The command line: chooses the command, and says how it ended. The engine is passed in. */

export interface Engine {
  assess(request: AssessRequest, hooks: Pick<CopyHooks, "signal" | "log">): Promise<Assessment>;
  copy(request: CopyRequest, hooks: CopyHooks): Promise<Copied>;
  verify(request: VerifyRequest, hooks: VerifyHooks): Promise<VerifyReport>;
}

/** What a command answers when it went well, or found differences. */
export interface Answer {
  /** For `--json`, beside `outcome` and `command`. */
  body: object;
  /** For a person, on stdout. */
  text: string;
  /** `done`, where it is left out, and 0. */
  outcome?: string;
  exitCode?: number;
}

/** `signal` aborts with Interrupted. Resolves with the exit code; never rejects. */
export async function main(argv: readonly string[], io: Io, signal: AbortSignal, engine: Engine): Promise<number> {
  const columns = io.stdout.columns ?? 100;
  const [first, ...rest] = argv;
  if (first === "--version" || first === "-v" || first === "version") {
    io.stdout.write(`${io.version}\n`);
    return exitCodes.done;
  }
  const wanted = first === "help" ? rest[0] : first;
  const command = commands.find(({ name }) => name === wanted);
  const asked = first === "help" || argv.some((word) => word === "--help" || word === "-h");
  if (asked && (command !== undefined || wanted === undefined || wanted.startsWith("-"))) {
    io.stdout.write(command === undefined ? generalHelp(columns) : commandHelp(command, columns));
    return exitCodes.done;
  }
  const context: Context = { io, redactor: createRedactor(), signal };
  if (command === undefined) {
    const words =
      wanted === undefined ? "say what to do" : `there is no command ${JSON.stringify(wanted.slice(0, 40))}`;
    const names = commands.map(({ name }) => name).join(", ");
    io.stderr.write(`rowferry: ${plainText(words)}: ${names}; rowferry --help says more\n`);
    return exitCodes.usage;
  }
  return runCommand(command, rest, context, engine);
}

async function runCommand(
  command: Command,
  argv: readonly string[],
  context: Context,
  engine: Engine,
): Promise<number> {
  const { io, redactor, signal } = context;
  const json = argv.includes("--json");
  // What is given on the command line is secret before it is understood: an error may repeat it.
  for (const word of argv) if (word.includes("://")) learnUrl(word, redactor);
  let voice: Voice = createVoice("auto", context);
  const print = (body: object) => io.stdout.write(jsonText({ command: command.name, ...body }));
  try {
    const parsed = parseCommand(command, argv);
    voice = createVoice(parsed.progress, context);
    const {
      body,
      text,
      outcome = "done",
      exitCode = exitCodes.done,
    } = await perform(command, parsed, {
      context,
      voice,
      engine,
    });
    voice.still();
    if (json) print({ outcome, ...body });
    else io.stdout.write(plainText(text));
    return exitCode;
  } catch (thrown) {
    // Whatever an interrupted copy ended with, the person's Ctrl-C is why.
    const error = signal.aborted && signal.reason instanceof Interrupted ? signal.reason : thrown;
    const { exitCode, code, retryable, ...failure } = failureOf(error);
    const message = redactor.clean(failure.message);
    voice.still();
    const { run } = thrown as { run?: string };
    io.stderr.write(`rowferry: ${plainText(message)}${exitCode === exitCodes.usage ? "" : ` (${code})`}\n`);
    if (exitCode === exitCodes.usage && code === "usage")
      io.stderr.write(`rowferry ${command.name} --help says more\n`);
    if (json) {
      const outcome = exitCode === exitCodes.different ? "different" : "failed";
      print({ outcome, ...(run === undefined ? {} : { run }), error: { code, message, retryable } });
    }
    return exitCode;
  }
}

interface Parts {
  context: Context;
  voice: Voice;
  engine: Engine;
}

function perform({ name }: Command, parsed: Parsed, { context, voice, engine }: Parts): Promise<Answer> {
  switch (name) {
    case "copy":
      return runCopy(parsed, context, voice, engine.copy);
    case "verify":
      return runVerify(parsed, context, voice, engine.verify);
    case "reset":
      return runReset(parsed, context, voice);
    case "assess":
      return runAssess(parsed, context, voice, engine.assess);
  }
}
