import { spawn } from "node:child_process";
import { join } from "node:path";
import { workerEnv } from "../../src/worker/protocol.ts";
import { bundled } from "../bundle.ts";
import type { PlayedOperator } from "./operator.ts";

/** The worker as a real process, as its pod starts it. */
export interface WorkerProcess {
  pid: number;
  /** Everything it wrote, to stdout and stderr. */
  output(): string;
  signal(name: NodeJS.Signals): void;
  ended: Promise<{ code: number | null; signal: NodeJS.Signals | null }>;
}

/** Path of the bundled program. */
export const entry = join(await bundled("worker"), "worker.js");

/** `program`: its path, such as `entry`. Only what is given here is in its environment, beside what `node` needs. */
export function startWorker(
  program: string,
  operator: Pick<PlayedOperator, "url" | "ca" | "tokenFile">,
  environment: Record<string, string> = {},
  flags: string[] = [],
): WorkerProcess {
  const child = spawn(process.execPath, [...flags, program], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      [workerEnv.url]: operator.url,
      [workerEnv.ca]: operator.ca,
      [workerEnv.tokenFile]: operator.tokenFile,
      ...environment,
    },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (chunk: string) => {
      output += chunk;
    });
  }
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((done, reject) => {
    child.once("error", reject);
    child.once("close", (code, signal) => done({ code, signal }));
  });
  return { pid: child.pid ?? 0, output: () => output, signal: (name) => void child.kill(name), ended };
}
