import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { bundleProgram, type Program } from "../../dev/program.ts";
import type { CopyRequest } from "../../src/engine/contract/index.ts";
import type { Said } from "./engine-process.ts";

export interface Worker {
  kill(): void;
  /** `killed`: it ended without a word. `hung`: it had to be ended after two minutes. */
  ended: Promise<{ said: Said | "killed" | "hung"; ms: number; log: string }>;
}

const patienceMs = 120_000;

/** The engine's process. */
export const bundleWorker = (): Promise<Program> => bundleProgram(join(import.meta.dirname, "engine-process.ts"));

const last = (answer: string): Said | undefined => {
  const line = answer.trim().split("\n").at(-1);
  return line === undefined || line === "" ? undefined : (JSON.parse(line) as Said);
};

/** Starts a copy in a process of its own, that ends with this one. `tools`: the folder of pg_dump. */
export function startWorker(program: string, request: CopyRequest, tools: string): Worker {
  const begun = performance.now();
  const child = spawn("setpriv", ["--pdeathsig", "KILL", process.execPath, program], {
    stdio: ["pipe", "pipe", "pipe"],
    env: { ...process.env, ROWFERRY_PG_BIN: tools },
  });
  child.stdin.on("error", () => undefined);
  // One that ends without reading it is judged by its exit code, not by the broken pipe.
  child.stdin.on("error", () => {}).end(JSON.stringify(request));
  let hung = false;
  const overdue = setTimeout(() => {
    hung = true;
    child.kill("SIGKILL");
  }, patienceMs);
  const ended = Promise.all([text(child.stdout), text(child.stderr), once(child, "close")]).then(([answer, log]) => {
    clearTimeout(overdue);
    const said = hung ? "hung" : (last(answer) ?? "killed");
    return { said, ms: performance.now() - begun, log } as const;
  });
  return { kill: () => child.kill("SIGKILL"), ended };
}
