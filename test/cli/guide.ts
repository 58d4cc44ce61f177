import { chmodSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { until } from "../worker/until.ts";
import { entry, start } from "./process.ts";

/** A guide of docs/, whose commands a reader pastes one after the other. */

const pages = join(import.meta.dirname, "../../docs");

export interface Block {
  language: string;
  /** Of SQL: the server's place on the page, `old` or `new`, and the engine that alone takes it. */
  on?: string | undefined;
  engine?: string | undefined;
  text: string;
}

export const guide = (name: string): string => readFileSync(join(pages, `guide-${name}.md`), "utf8");

/** The fenced blocks, those in lists too. Throws where SQL does not say on which server it runs. */
export function blocksOf(page: string): Block[] {
  const fence =
    /(?:<!-- run: (?<on>old|new) server(?:, (?<engine>\w+))? -->\n\s*)?^(?<indent> *)```(?<language>\w+)\n(?<text>[\s\S]*?)^\k<indent>```$/gm;
  return [...page.matchAll(fence)].map(({ groups = {} }) => {
    const { language = "", on, engine, text = "", indent = "" } = groups;
    if (language === "sql" && on === undefined) throw new Error(`this SQL names no server: ${text}`);
    return { language, on, engine, text: text.replaceAll(new RegExp(`^${indent}`, "gm"), "") };
  });
}

export interface Desk {
  /** Words of the page, such as its hosts, and those of this machine. */
  replace: Readonly<Record<string, string>>;
  /** The shell command that takes SQL for the old or the new server on its standard input. */
  clients: Readonly<Record<string, string>>;
  /** Folders of the databases' programs, first those that count. */
  tools: readonly string[];
  files?: Readonly<Record<string, string>>;
}

/** The blocks as one script of bash at a terminal, where each question is answered with yes. Answers the screen and the folder. */
export async function follow(blocks: readonly Block[], desk: Desk): Promise<{ screen: string; folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), "guide-"));
  for (const [name, text] of Object.entries(desk.files ?? {})) writeFileSync(join(folder, name), text);
  const here = (text: string) =>
    Object.entries(desk.replace).reduce((all, [from, to]) => all.replaceAll(from, to), text);
  const script = blocks.map(({ language, on = "", text }) =>
    language === "sql" ? `${desk.clients[on]} <<'END_OF_SQL'\n${here(text)}END_OF_SQL` : here(text),
  );
  const [left] = /\S*(?:example\.com|…)\S*/.exec(script.join("\n")) ?? [];
  if (left !== undefined) throw new Error(`the guide has ${left}, which nothing of this machine replaces`);
  writeFileSync(join(folder, "guide.sh"), `set -euo pipefail\n${script.join("\n")}\n`);
  writeFileSync(join(folder, "rowferry"), `#!/bin/sh\nexec '${process.execPath}' '${entry}' "$@"\n`);
  chmodSync(join(folder, "rowferry"), 0o755);
  desk.tools.forEach((path, at) => {
    symlinkSync(path, join(folder, `tools${at}`));
  });
  const path = [folder, ...desk.tools.map((_, at) => join(folder, `tools${at}`)), process.env.PATH].join(":");
  const env = { TERM: "xterm", SHELL: "/bin/sh", PATH: path };
  const command = start([], { env, by: ["script", "-qec", `cd '${folder}' && bash guide.sh`, "/dev/null"] });
  const asked = () => command.stdout().split("Drop them, with all rows?").length - 1;
  let over = false;
  const ended = command.ended.finally(() => {
    over = true;
  });
  const questions = blocks.filter(({ text }) => text.includes("rowferry reset")).length;
  for (let at = 1; at <= questions && !over; at += 1) {
    await until(`question ${at}`, () => over || asked() >= at).catch((cause) => {
      throw new Error(`question ${at} is not on the screen:\n${command.stdout()}`, { cause });
    });
    if (!over) command.type("yes\r");
  }
  const { code } = await ended;
  if (code !== 0) throw new Error(`the guide ended with ${code}:\n${command.stdout()}${command.stderr()}`);
  return { screen: command.stdout(), folder };
}
