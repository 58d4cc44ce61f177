import { parseArgs } from "node:util";
import { type BackupFlags, backupCommands } from "./backup/commands.ts";
import { UsageError } from "./exit.ts";
import type { Command, CommandName } from "./flags/command.ts";
import { type Flag, list, on, optionFlags, parseable, type ReadOptions, readOptions, text } from "./flags/index.ts";
import { nearest } from "./terminal/nearest.ts";
import { type ProgressMode, progressModes } from "./voice.ts";

/** The commands: what each is for, its words and flags, and how a command line is read. */

const passwordFile = (side: "source" | "target") =>
  text(
    `${side}-password-file`,
    "FILE",
    `File with the ${side}'s password: other users of the machine can see one in the URL. Without it, Rowferry reads the environment's ROWFERRY_${side.toUpperCase()}_PASSWORD, then PGPASSWORD or MYSQL_PWD, or prompts for it.`,
  );
const sourcePassword = passwordFile("source");
const targetPassword = passwordFile("target");
/** Whatever it is for. */
const report = (help: string): Flag => ({ ...list("report", "FILE", help), short: "r" });
const run = text(
  "run",
  "NAME",
  "Name of the run. The default is derived from source and target, so that the same command resumes an interrupted copy.",
);
const common = [
  on("json", "Print one JSON object on stdout at the end, and nothing else there."),
  text(
    "progress",
    progressModes.join("|"),
    "How progress is shown on stderr: bars (a terminal), lines, or events as JSON lines. Default: auto.",
  ),
];

const everyOption = optionFlags.map(({ name }) => name);
const source = "postgresql://reader@old.example.com/shop";

export const commands: readonly Command[] = [
  {
    name: "copy",
    words: ["SOURCE", "TARGET"],
    summary: "Copy a database into another one, and verify the copy.",
    about:
      "Copies schema, data, indexes, keys, sequences, views and the rest from one consistent state of SOURCE, which is only read. Existing tables in TARGET are never dropped unless --drop names them.",
    options: everyOption,
    more: [
      report(
        "Write the report: JSON, or a readable page where FILE ends in .html, or Markdown (.md). Keep the JSON to reset later.",
      ),
      list("page", "FILE", "Write the readable page, whatever FILE is called."),
      sourcePassword,
      targetPassword,
      run,
      ...common,
    ],
    examples: [
      [
        "MySQL to PostgreSQL, asking for both passwords",
        "rowferry copy mysql://reader@old.example.com/shop postgresql://shop@new.example.com/shop",
      ],
      [
        "with every value compared at the end, and a page to read",
        `rowferry copy ${source} postgresql://shop@new.example.com/shop --verify checksum --report shop.json --report shop.html`,
      ],
      [
        "some tables only, gently",
        `rowferry copy ${source} mysql://shop@new.example.com/shop --include 'sales.*' --exclude '*_log' --jobs 1 --bandwidth 20M`,
      ],
      [
        "in a script",
        `ROWFERRY_SOURCE_PASSWORD=… rowferry copy ${source} postgresql://shop@new.example.com/shop --target-password-file /run/secrets/shop --json --progress json`,
      ],
    ],
  },
  {
    name: "assess",
    words: ["SOURCE", "TARGET"],
    summary: "Check a copy before it runs: conversions, blockers and estimated time.",
    about:
      "Reads both servers and writes to neither: versions, rights, sizes, what is converted and how, blockers, warnings and notes, each with its fix. It reads catalogues, settings and statistics. For the estimate of time it also reads the first rows of the largest table, at most 8 MB in two seconds. A blocker ends it with exit code 1.",
    options: everyOption,
    more: [sourcePassword, targetPassword, run, ...common],
    examples: [
      ["before a copy", `rowferry assess ${source} mysql://shop@new.example.com/shop`],
      [
        "of what a copy with these options would do",
        `rowferry assess ${source} postgresql://shop@new.example.com/shop --content data --drop orders`,
      ],
    ],
  },
  {
    name: "verify",
    words: ["SOURCE", "TARGET"],
    summary: "Compare two databases: objects, numbers of rows, and values.",
    about:
      "Writes to neither side. Nothing should write to them meanwhile: a change between the two readings counts as a difference.",
    options: [
      "jobs",
      "include",
      "exclude",
      "schemas",
      "bandwidth",
      "zero-dates",
      "statement-timeout",
      "source-locks",
      "source-ca",
      "target-ca",
    ],
    otherHelp: {
      jobs: "Number of tables or parts of tables that are compared at the same time. Default: 2.",
      include:
        "Tables to compare, and no others: `table` or `schema.table` as the source calls them (in MySQL the schema is the database), `*` for any characters. A pattern that matches no table is refused. May be given several times. Default: all.",
      exclude:
        "Tables to leave out of the comparison, written like --include, and win over it. May be given several times. Default: none.",
      schemas:
        "Source schema (in MySQL the database) to target schema, or in MySQL to the prefix of the tables' names, as in the copy. May be given several times.",
      "zero-dates":
        "The copy's --zero-dates for MySQL's dates with a zero: `null`, `fail`, or the date that replaced them. Default: null.",
    },
    more: [
      text(
        "level",
        "counts|checksum",
        "Compare `counts` of every table's rows, or by `checksum` the values of every row. Default: checksum.",
      ),
      sourcePassword,
      targetPassword,
      ...common,
    ],
    examples: [
      ["every value", `rowferry verify ${source} postgresql://shop@new.example.com/shop`],
      [
        "the rows of some tables",
        `rowferry verify ${source} postgresql://shop@new.example.com/shop --include 'sales.*' --level counts`,
      ],
    ],
  },
  {
    name: "reset",
    words: ["TARGET"],
    summary: "Drop from a target exactly what a run made there.",
    about:
      "Lists the objects to drop and asks for confirmation. The list of an unfinished run (--run) is in the table _rowferry in TARGET, that of a completed run in its report (--report). Only objects with the recorded name and identity are dropped, and nothing that others made on them.",
    options: ["target-ca"],
    more: [
      text(
        "run",
        "NAME",
        "The unfinished run whose objects are to be dropped. Default: the only one in the target, at a terminal and without --yes.",
      ),
      report("Report as JSON of the completed run whose objects are to be dropped."),
      { ...on("yes", "Drop without a question. Needs --run or --report."), short: "y" },
      targetPassword,
      ...common,
    ],
    examples: [
      [
        "after a copy that failed; lists its objects, and asks",
        "rowferry reset postgresql://shop@new.example.com/shop",
      ],
      [
        "the same in a script",
        "rowferry reset postgresql://shop@new.example.com/shop --run cli-2f6c01c2b1d04ae8b6b0f0aa --yes",
      ],
      ["after one that was completed", "rowferry reset postgresql://shop@new.example.com/shop --report shop.json"],
    ],
  },
  ...backupCommands({ sourcePassword, targetPassword, common }),
];

/** Every flag of a command, the copy's options first. */
export const flagsOf = ({ options, otherHelp = {}, more }: Command): Flag[] => [
  ...optionFlags
    .filter(({ name }) => options.includes(name))
    .map((flag) => ({ ...flag, help: otherHelp[flag.name] ?? flag.help })),
  ...more,
];

interface Given extends BackupFlags {
  json?: boolean;
  yes?: boolean;
  report?: string[];
  page?: string[];
  run?: string;
  level?: string;
  "source-password-file"?: string;
  "target-password-file"?: string;
}

export interface Parsed extends ReadOptions {
  words: readonly string[];
  flags: Given;
  progress: ProgressMode;
}

/** Reads the words after the command's name. Errors: UsageError that names what is wrong. */
export function parseCommand(command: Command, argv: readonly string[]): Parsed {
  const flags = flagsOf(command);
  let read: { values: Record<string, unknown>; positionals: string[] };
  try {
    read = parseArgs({ args: [...argv], options: parseable(flags), allowPositionals: true });
  } catch (error) {
    throw new UsageError(unknown(error as Error, command, flags));
  }
  const { values, positionals } = read;
  if (positionals.length !== command.words.length) {
    const missing = command.words[positionals.length];
    const count = missing === undefined ? `; ${positionals.length} words were given` : `; ${missing} is missing`;
    throw new UsageError(
      `${command.name} takes ${command.words.join(" and ")}, ${command.takes ?? urlsOf(command)}${positionals.length === 0 ? "" : count}`,
    );
  }
  const progress = values.progress ?? "auto";
  if (!progressModes.includes(progress as ProgressMode))
    throw new UsageError(`--progress is one of ${progressModes.join(", ")}`);
  return { words: positionals, flags: values as Given, progress: progress as ProgressMode, ...readOptions(values) };
}

const urlsOf = ({ words }: Command) =>
  `${words.length === 1 ? "a URL" : "two URLs"} such as mysql://user@host/database`;

function unknown(error: Error, { name: command }: Command, flags: readonly Flag[]): string {
  const name = /^Unknown option '--?([^']*)'/.exec(error.message)?.[1];
  const without = /^Option '(?:-\w, )?--([^' ]*) <value>' argument missing/.exec(error.message)?.[1];
  const flag = flags.find((one) => one.name === without);
  if (flag !== undefined) return `--${flag.name} needs a value: --${flag.name} ${flag.value}`;
  // The rest of Node's words, as of a value that a switch does not take.
  if (name === undefined) return (error.message.split(". ")[0] ?? "").replace(/^./, (letter) => letter.toLowerCase());
  const names = flags.map((flag) => flag.name);
  const near = otherNames[command]?.[name] ?? nearest(name.replaceAll("_", "-"), names);
  const written = `${name.length === 1 ? "-" : "--"}${name}`;
  return `${command} has no flag ${written}${near === undefined ? "" : `; did you mean --${near}?`}`;
}

/** Flags that somebody may know from another command or an earlier version. */
const otherNames: Partial<Record<CommandName, Readonly<Record<string, string>>>> = { verify: { verify: "level" } };
