import { spawn } from "node:child_process";
import { join } from "node:path";
import { bundled } from "../bundle.ts";
import { inherited } from "../environment.ts";

/** The command line as a person's shell starts it. */
export interface Command {
  pid: number;
  stdout(): string;
  stderr(): string;
  signal(name: NodeJS.Signals): void;
  type(text: string): void;
  /** All of its standard input. */
  end(text: string): void;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Path of the bundled program. */
export const entry = join(await bundled("cli"), "cli.js");

export interface Start {
  env?: Record<string, string>;
  /** Program and words before the command line's own: by default Node 24 on the bundle. */
  by?: readonly string[];
}

export function start(words: readonly string[], { env = {}, by = [process.execPath, entry] }: Start = {}): Command {
  const [program = "", ...before] = by;
  const child = spawn(program, [...before, ...words], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: process.env.PATH, HOME: process.env.HOME, LANG: "C.UTF-8", ...inherited(), ...env },
  });
  const heard = { stdout: "", stderr: "" };
  for (const name of ["stdout", "stderr"] as const)
    child[name].setEncoding("utf8").on("data", (chunk: string) => {
      heard[name] += chunk;
    });
  child.stdin.on("error", () => undefined);
  return {
    pid: child.pid ?? 0,
    stdout: () => heard.stdout,
    stderr: () => heard.stderr,
    signal: (name) => void child.kill(name),
    type: (text) => void child.stdin.write(text),
    end: (text) => void child.stdin.end(text),
    ended: new Promise((done, reject) => {
      child.once("error", reject);
      child.once("close", (code, signal) => done({ code, signal }));
    }),
  };
}

export async function run(words: readonly string[], options?: Start) {
  const command = start(words, options);
  const { code } = await command.ended;
  return { code, stdout: command.stdout(), stderr: command.stderr() };
}
