import { type Command, commands, flagsOf } from "./command.ts";

/** The help's texts, for a terminal of so many columns. */

const exits = `Exit codes: 0 done and verified, 1 failed, 2 not understood (nothing was touched), 3 source and target differ,
128 + n ended by signal n (130 after Ctrl-C).`;

export function generalHelp(columns: number): string {
  const width = Math.max(...commands.map(({ name }) => name.length));
  return `Rowferry copies a MySQL, MariaDB or PostgreSQL database into another one and verifies the copy.

Usage: rowferry COMMAND …

${commands.map(({ name, summary }) => `  ${name.padEnd(width)}  ${wrap(summary, columns, width + 4)}`).join("\n")}

A database is named by its URL, scheme://user@host:port/database?sslmode=…, with the schemes mysql, mariadb, postgres and
postgresql. Flags and examples of a command: rowferry COMMAND --help

${exits}
`;
}

export function commandHelp(command: Command, columns: number): string {
  const flags = flagsOf(command).map(({ name, value, help }) => {
    const head = `  --${name}${value === "" ? "" : ` ${value}`}`;
    return `${head}\n${" ".repeat(6)}${wrap(help, columns, 6)}`;
  });
  const examples = command.examples.map(([what, line]) => `  # ${what}\n  ${line}`);
  return `${command.summary}

Usage: rowferry ${command.name} ${command.words.join(" ")} [flags]

${wrap(command.about, columns, 0)}

Flags:
${flags.join("\n")}

Examples:
${examples.join("\n\n")}

${exits}
`;
}

/** Breaks at spaces; lines after the first begin with `indent` spaces. */
export function wrap(text: string, columns: number, indent: number): string {
  const width = Math.max(Math.min(columns, 120) - indent - 1, 30);
  const lines: string[] = [""];
  for (const word of text.split(" ")) {
    const line = lines.at(-1) ?? "";
    if (line !== "" && line.length + 1 + word.length > width) lines.push(word);
    else lines[lines.length - 1] = line === "" ? word : `${line} ${word}`;
  }
  return lines.join(`\n${" ".repeat(indent)}`);
}
