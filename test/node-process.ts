import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { inherited } from "./environment.ts";
import { until } from "./operator/control-plane.ts";

/** One of the project's processes that log in JSON (operator, API, prober), as a process of its own. */
export interface NodeProcess {
  child: ChildProcess;
  /** Its line `started`, which has the ports. */
  started: Record<string, unknown>;
  /** Plain HTTP: /healthz, /readyz, /metrics. */
  health: string;
  /** What it logged. */
  lines: Record<string, unknown>[];
  /** All that it wrote, to stdout and stderr. */
  output(): string;
  /** Resolves with the exit code. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/**
 * Starts `file` in the folder `cwd`, which is its home, with this environment and little else; waits for its line `ready`.
 * Errors: that it ended, with what it wrote.
 */
export async function startNode({
  name,
  file,
  cwd,
  env,
  ready = "started",
}: {
  name: string;
  file: string;
  cwd: string;
  env: NodeJS.ProcessEnv;
  ready?: string;
}): Promise<NodeProcess> {
  const { PATH } = process.env;
  const child = spawn(process.execPath, [file], {
    cwd,
    env: { PATH, HOME: cwd, ...inherited(), ...env },
    stdio: ["ignore", "pipe", "pipe"],
  });
  // A run that is interrupted does not come to its afterAll.
  const kill = () => child.kill("SIGKILL");
  process.once("exit", kill);
  const closed = new Promise<number | null>((resolve, reject) => {
    child.once("error", reject);
    child.once("close", (code) => {
      process.removeListener("exit", kill);
      resolve(code);
    });
  });
  let written = "";
  const lines: NodeProcess["lines"] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding("utf8").on("data", (text: string) => {
      written += text;
    });
  createInterface({ input: child.stdout }).on("line", (line) => {
    lines.push(JSON.parse(line) as Record<string, unknown>);
  });
  const started = await until(
    `${name} to start`,
    () => {
      if (child.exitCode !== null || child.signalCode !== null) return { failed: true };
      return lines.some(({ msg }) => msg === ready) && lines.find(({ msg }) => msg === "started");
    },
    // Several parts of the tests at a time leave little of the machine for one.
    180_000,
  ).catch(async (error: unknown) => {
    kill();
    await closed;
    throw new Error(`${name} did not start: ${written}`, { cause: error });
  });
  if ("failed" in started) {
    await closed;
    throw new Error(`${name} ended: ${written}`);
  }
  return {
    child,
    started,
    health: `http://127.0.0.1:${started.healthPort}`,
    lines,
    output: () => written,
    stop(signal = "SIGTERM") {
      child.kill(signal);
      return closed;
    },
  };
}
