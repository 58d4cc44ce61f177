import { execFile } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { run } from "./process.ts";

/** The completion scripts, in the shells themselves. */
const folder = mkdtempSync(join(tmpdir(), "completion-"));
const place = join(folder, "in here");
const script = (shell: string) => join(folder, `script.${shell}`);
const execute = promisify(execFile);
const env = { PATH: process.env.PATH, HOME: folder, LANG: "C.UTF-8", TERM: "dumb" };

beforeAll(async () => {
  mkdirSync(place);
  writeFileSync(join(place, "shop report.json"), "{}");
  for (const shell of ["bash", "zsh", "fish"]) {
    const { code, stdout, stderr } = await run(["completion", shell]);
    expect(code, stderr).toBe(0);
    writeFileSync(script(shell), stdout);
  }
  // fish looks for the command before it completes its flags.
  writeFileSync(join(folder, "rowferry"), "#!/bin/sh\n");
  chmodSync(join(folder, "rowferry"), 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What bash offers for a line: it calls the function that the script names, as its own completion does. */
async function bash(line: string): Promise<string[]> {
  // bash splits at = as well.
  const words = line.split(/ |(?<==)|(?==)/);
  const quoted = words.map((word) => `'${word}'`).join(" ");
  const program = `source '${script("bash")}'
COMP_WORDS=(${quoted}); COMP_CWORD=${words.length - 1}
"$(complete -p rowferry | sed 's/.*-F \\([^ ]*\\) .*/\\1/')"
printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execute("bash", ["--norc", "-c", program], { cwd: place, env });
  return stdout.split("\n").filter((word) => word !== "");
}

async function fish(line: string): Promise<string[]> {
  const program = `source '${script("fish")}'; complete -C '${line}'`;
  const { stdout } = await execute("fish", ["--no-config", "-c", program], {
    cwd: place,
    env: { ...env, PATH: `${folder}:${env.PATH}` },
  });
  return stdout.split("\n").flatMap((row) => (row === "" ? [] : [row.split("\t")[0] ?? ""]));
}

/** What zsh offers at a terminal of its own: the list that Tab shows, or the line that it completes. */
async function zsh(line: string): Promise<string[]> {
  const program = `zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell 'PS1=; PROMPT=; unsetopt zle_bracketed_paste; autoload -U compinit; compinit -u -D; source ${script("zsh")}'
zpty -w shell 'comppostfuncs=(shown); shown() { :; }; compadd() { local -a all; builtin compadd -A all -D all "$@" 2>/dev/null; local -a found; builtin compadd -O found "$@"; print -rl -- "offer:"$^found; builtin compadd "$@"; }'
zpty -w shell 'print ready-now'
zpty -r shell heard '*ready-now*ready-now*'
zpty -w -n shell $'${line}\\t'
zpty -w -n shell $'\\C-u'
zpty -w shell 'print all-done'
zpty -r shell heard '*all-done*all-done*'
print -r -- $heard
zpty -d shell`;
  const { stdout } = await execute("zsh", ["-f", "-c", program], { cwd: place, env });
  return [...new Set([...stdout.matchAll(/offer:([^\s]+(?: [^\s]+)*)/g)].map(([, word = ""]) => word))];
}

describe.each([
  ["bash", bash],
  ["zsh", zsh],
  ["fish", fish],
] as const)("%s", (_shell, offers) => {
  it("completes commands", async () => {
    expect(await offers("rowferry c")).toEqual(expect.arrayContaining(["copy", "completion"]));
    expect(await offers("rowferry ver")).toContain("verify");
  });

  it("completes a command's own flags", async () => {
    const copy = await offers("rowferry copy --re");
    expect(copy).toContain("--report");
    expect(copy).not.toContain("--yes");
    expect(await offers("rowferry reset --y")).toContain("--yes");
  });

  it("completes the choices of a flag", async () => {
    const choices = await offers("rowferry copy --content ");
    expect(choices.toSorted()).toEqual(["all", "data", "schema"]);
    expect(await offers("rowferry verify --level ch")).toContain("checksum");
  });

  it("completes files, also with a space in their names", async () => {
    expect((await offers("rowferry copy --report sh")).map((name) => name.replaceAll("\\", ""))).toContain(
      "shop report.json",
    );
  });

  it("completes what follows help and completion", async () => {
    expect(await offers("rowferry completion z")).toContain("zsh");
    expect(await offers("rowferry help as")).toContain("assess");
  });
});

it("bash completes the choice after an = too", async () => {
  expect(await bash("rowferry copy --content=da")).toEqual(["data"]);
});
