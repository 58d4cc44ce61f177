// The Docker engine, by its command: no other way is the same on Linux and macOS, and with every engine's own context.
import { spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { run } from "../terminal/run.ts";

const answerMs = 5_000;

/** Whether a Docker engine answers. */
export const dockerAnswers = (): Promise<boolean> =>
  run("docker", ["info", "--format", "{{.ServerVersion}}"], { timeoutMs: answerMs }).then(
    ({ stdout }) => stdout.trim() !== "",
    () => false,
  );

/** The lines that a `docker` command prints. Rejects with a CommandError. */
export const dockerLines = async (args: string[]): Promise<string[]> =>
  (await run("docker", args)).stdout.split("\n").filter(Boolean);

/** Runs two `docker` commands, the output of the first being the input of the second. Rejects with the words of both. */
export const dockerPipe = async (
  from: string[],
  to: string[],
  log: (text: string) => void,
  signal?: AbortSignal,
): Promise<void> => {
  signal?.throwIfAborted();
  log(`$ docker ${from.join(" ")} | docker ${to.join(" ")}`);
  const abort = signal === undefined ? {} : { signal };
  const source = spawn("docker", from, { stdio: ["ignore", "pipe", "pipe"], ...abort });
  const target = spawn("docker", to, { stdio: ["pipe", "pipe", "pipe"], ...abort });
  let said = "";
  for (const stream of [source.stderr, target.stdout, target.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said = (said + text).slice(-2_000);
      log(text);
    });
  }
  // Settled at once: a program that fails while the pipe is awaited must not be an unhandled rejection.
  const ends = Promise.allSettled(
    [source, target].map(
      (child) => new Promise<number | null>((resolve, reject) => child.on("error", reject).on("close", resolve)),
    ),
  );
  // A broken pipe says less than the exit code and the words of the command that broke it.
  await pipeline(source.stdout, target.stdin).catch(() => {});
  const ended = await ends;
  signal?.throwIfAborted();
  if (ended.some((one) => one.status === "rejected" || one.value !== 0)) {
    const words = said.trim().split("\n").slice(-3).join(" | ");
    throw new Error(`docker ${from[0]} | docker ${to[0]} failed: ${words}`);
  }
};
