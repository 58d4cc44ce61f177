import { commands, flagsOf } from "../command.ts";
import type { Command } from "./command.ts";
import { commandNames, helpFlag, otherCommands } from "./help.ts";
import type { Flag } from "./index.ts";

/** Completion scripts of the shells: commands, flags, the choices of a flag, and files where a flag takes one. */

const shells = ["bash", "zsh", "fish"] as const;
type Shell = (typeof shells)[number];
export const isShell = (word: string | undefined): word is Shell => shells.some((shell) => shell === word);
export const shellNames: readonly string[] = shells;

export const completionHelp = `Usage: rowferry completion SHELL

Prints the completion script of ${shellNames.join(", ")}.

  source <(rowferry completion bash)    this shell; zsh: source <(rowferry completion zsh)
  rowferry completion fish | source     fish

docs/cli.md has the files that load it in every shell.
`;

export function completionScript(shell: Shell): string {
  return { bash, zsh, fish }[shell]();
}

const summaries: readonly (readonly [name: string, summary: string])[] = [
  ...commands.map(({ name, summary }) => [name, summary] as const),
  ...otherCommands.map(([name, , summary]) => [name, summary] as const),
];
const allFlags = (command: Command) => [...flagsOf(command), { ...helpFlag, help: "Show the help." }];

/** `null|fail|DATE` → `null` and `fail`. */
const choices = ({ value }: Flag): string[] =>
  value.includes("|") ? value.split("|").filter((word) => word !== word.toUpperCase()) : [];
const takesFile = ({ value }: Flag) => value === "FILE" || value === "FOLDER";
/** The first sentence, without what a shell would read. */
const brief = ({ help }: Flag) => (help.split(/[.:;] /)[0] ?? "").replace(/[`'"[\]\\$:]/g, "").replace(/\.$/, "");
const written = ({ name, short }: Flag) => (short === undefined ? [`--${name}`] : [`-${short}`, `--${name}`]);
/** The words after `help` and `completion`. */
const wordsAfter = [
  ["completion", shells],
  ["help", commands.map(({ name }) => name)],
] as const;

function bash(): string {
  const values = commands.flatMap((command) =>
    flagsOf(command)
      .filter(({ kind }) => kind !== "switch")
      .map((flag) => {
        const pattern = written(flag)
          .map((word) => `${command.name}:${word}`)
          .join("|");
        const words = choices(flag).join(" ");
        const give = takesFile(flag) ? "_rowferry_files" : words === "" ? ":" : `_rowferry_words "${words}"`;
        return `    ${pattern}) ${give}; return ;;`;
      }),
  );
  const flags = commands.map(
    (command) => `    ${command.name}) _rowferry_words "${allFlags(command).flatMap(written).join(" ")}" ;;`,
  );
  return `# Completion of rowferry for bash. For this shell: source <(rowferry completion bash)
# For every shell: rowferry completion bash > ~/.local/share/bash-completion/completions/rowferry
_rowferry_words() { COMPREPLY=($(compgen -W "$1" -- "$current")); }
_rowferry_files() {
  local IFS=$'\\n'
  compopt -o filenames 2>/dev/null
  COMPREPLY=($(compgen -f -- "$current"))
}
_rowferry() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]} command=\${COMP_WORDS[1]}
  COMPREPLY=()
  # --flag=value is three words to bash.
  if [ "$current" = "=" ]; then current=; elif [ "$previous" = "=" ]; then previous=\${COMP_WORDS[COMP_CWORD - 2]}; fi
  if [ "$COMP_CWORD" -eq 1 ]; then _rowferry_words "${commandNames.join(" ")} --help --version"; return; fi
  case $command:$previous in
${values.join("\n")}
  esac
  case $command in
${flags.join("\n")}
${wordsAfter.map(([name, words]) => `    ${name}) [ "$COMP_CWORD" -eq 2 ] && _rowferry_words "${words.join(" ")}" ;;`).join("\n")}
  esac
}
complete -F _rowferry rowferry
`;
}

function zsh(): string {
  const spec = (flag: Flag) => {
    const { name, short, kind, value } = flag;
    const repeat = kind === "list" || kind === "map" ? "*" : "";
    const words = choices(flag).join(" ");
    const give = takesFile(flag) ? "_files" : words === "" ? " " : `(${words})`;
    const after = `[${brief(flag)}]${kind === "switch" ? "" : `:${value.replace(/[:|=]/g, " ")}:${give}`}`;
    return (short === undefined ? [`--${name}`] : [`--${name}`, `-${short}`]).map(
      (word) => `'${repeat}${word}${after}'`,
    );
  };
  const cases = commands.map((command) => {
    const words = command.words.map((word, at) => `'${at + 1}:${word}: '`);
    return `    ${command.name}) _arguments ${[...words, ...allFlags(command).flatMap(spec)].join(" \\\n      ")} ;;`;
  });
  return `#compdef rowferry
# Completion of rowferry for zsh. For this shell: source <(rowferry completion zsh)
# For every shell: rowferry completion zsh > a file _rowferry in a folder of $fpath
_rowferry() {
  local -a commands
  commands=(
${summaries.map(([name, summary]) => `    '${name}:${summary.replace(/[':]/g, "")}'`).join("\n")}
  )
  if (( CURRENT == 2 )); then
    _describe -t commands command commands
    return
  fi
  shift words
  (( CURRENT-- ))
  case $words[1] in
${cases.join("\n")}
${wordsAfter.map(([name, words]) => `    ${name}) _arguments '1:word:(${words.join(" ")})' ;;`).join("\n")}
  esac
}
if [ "\${funcstack[1]}" = "_rowferry" ]; then _rowferry "$@"; else compdef _rowferry rowferry; fi
`;
}

function fish(): string {
  const lines = commands.flatMap((command) =>
    allFlags(command).map((flag) => {
      const { name, short, kind } = flag;
      const words = choices(flag).join(" ");
      const take = kind === "switch" ? "" : takesFile(flag) ? " -r -F" : words === "" ? " -x" : ` -x -a '${words}'`;
      return `complete -c rowferry -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${short === undefined ? "" : ` -s ${short}`}${take} -d '${brief(flag)}'`;
    }),
  );
  return `# Completion of rowferry for fish. For this shell: rowferry completion fish | source
# For every shell: rowferry completion fish > ~/.config/fish/completions/rowferry.fish
complete -c rowferry -f
${summaries.map(([name, summary]) => `complete -c rowferry -n __fish_use_subcommand -a ${name} -d '${summary.replace(/'/g, "")}'`).join("\n")}
${wordsAfter.map(([name, words]) => `complete -c rowferry -n '__fish_seen_subcommand_from ${name}' -a '${words.join(" ")}'`).join("\n")}
${lines.join("\n")}
`;
}
