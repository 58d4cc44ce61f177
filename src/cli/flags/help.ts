import { commands, flagsOf } from "../command.ts";
import { type Colours, noColours } from "../terminal/colours.ts";
import type { Command } from "./command.ts";
import { type Flag, on } from "./index.ts";

/** The help's texts, for a terminal of so many columns. */

const exits = `0: done and verified; 1: failed; 2: wrong command line, nothing changed; 3: source and target differ; 128 + n: stopped by signal n (130: Ctrl-C)`;

/** Flags by what they are for, in the help's order. A test holds that each flag of each command has a group. */
export const flagGroups: readonly (readonly [title: string, names: readonly string[]])[] = [
  ["Selection", ["include", "exclude", "schemas", "content"]],
  ["Existing tables in the target", ["drop"]],
  ["Conversion", ["types", "zero-dates", "definers", "on-object-error"]],
  ["Verification", ["verify", "level"]],
  ["Speed and load", ["jobs", "bandwidth", "source-locks", "statement-timeout", "blocking-timeout", "stall-timeout"]],
  ["Connection", ["source-password-file", "target-password-file", "source-ca", "target-ca"]],
  [
    "Keys and contents of a backup",
    [
      "recipient",
      "recipients-file",
      "make-key",
      "identity",
      "manifest-digest",
      "checksums",
      "replace-unfinished",
      "allow-not-empty",
    ],
  ],
  ["Bucket", ["endpoint", "region", "endpoint-ca"]],
  ["Run", ["run", "yes"]],
  ["Output", ["report", "page", "json", "progress"]],
];

/** The words of the command line that are no commands on a database. */
export const otherCommands: readonly (readonly [name: string, words: string, summary: string])[] = [
  ["completion", "bash|zsh|fish", "Print the completion script of a shell."],
  ["help", "[COMMAND]", "Show the help, or that of a command."],
  ["version", "", "Print the version."],
];

export const commandNames: readonly string[] = [
  ...commands.map(({ name }) => name),
  ...otherCommands.map(([name]) => name),
];

export function generalHelp(columns: number, { bold, cyan }: Colours = noColours): string {
  const width = Math.max(...commandNames.map(({ length }) => length));
  const line = (name: string, summary: string) => `  ${cyan(name.padEnd(width))}  ${wrap(summary, columns, width + 4)}`;
  return `${wrap("Rowferry copies a MySQL, MariaDB or PostgreSQL database into another one and verifies the copy.", columns, 0)}

${bold("Usage:")} rowferry COMMAND [flags]

${bold("Commands:")}
${commands.map(({ name, summary }) => line(name, summary)).join("\n")}

${bold("Other commands:")}
${otherCommands.map(([name, words, summary]) => line(name, words === "" ? summary : `${summary} Usage: rowferry ${name} ${words}`)).join("\n")}

${bold("Connection URLs:")}
  ${wrap("scheme://user@host:port/database?sslmode=…, with the scheme mysql, mariadb, postgres or postgresql. Leave the password out: Rowferry asks for it, or reads it from ROWFERRY_SOURCE_PASSWORD and ROWFERRY_TARGET_PASSWORD.", columns, 2)}

${bold("Exit codes:")}
  ${wrap(exits, columns, 2)}

${wrap("Flags and examples of a command: rowferry COMMAND --help", columns, 0)}
`;
}

export function commandHelp(command: Command, columns: number, colours: Colours = noColours): string {
  const { bold, dim } = colours;
  const examples = command.examples.map(([what, line]) => `  ${dim(`# ${what}`)}\n  ${line}`);
  return `${wrap(command.summary, columns, 0)}

${bold("Usage:")} rowferry ${command.name} ${command.words.join(" ")} [flags]

${wrap(command.about, columns, 0)}

${groupsOf(command)
  .map(([title, flags]) => `${bold(`${title}:`)}\n${flags.map((flag) => flagLines(flag, columns, colours)).join("\n")}`)
  .join("\n\n")}

${bold("Examples:")}
${examples.join("\n\n")}

${bold("Exit codes:")}
  ${wrap(exits, columns, 2)}
`;
}

export const helpFlag: Flag = { ...on("help", "Show this help."), short: "h" };

export function groupsOf(command: Command): [title: string, flags: Flag[]][] {
  const flags = [...flagsOf(command), helpFlag];
  return flagGroups
    .map(([title, names]): [string, Flag[]] => {
      const own = title === "Output" ? [...names, helpFlag.name] : names;
      return [title, own.flatMap((name) => flags.filter((flag) => flag.name === name))];
    })
    .filter(([, own]) => own.length > 0);
}

function flagLines({ name, short, value, help }: Flag, columns: number, { cyan }: Colours): string {
  const head = `${short === undefined ? "    " : `${cyan(`-${short}`)}, `}${cyan(`--${name}`)}`;
  return `  ${head}${value === "" ? "" : ` ${value}`}\n${" ".repeat(10)}${wrap(help, columns, 10)}`;
}

/** Breaks at spaces; lines after the first begin with `indent` spaces. */
function wrap(text: string, columns: number, indent: number): string {
  const width = Math.max(Math.min(columns, 120) - indent - 1, 30);
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
