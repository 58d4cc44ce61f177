// The Docker engine, by its command: no other way is the same on Linux and macOS, and with every engine's own context.
import { spawn } from "node:child_process";
import { pipeline } from "node:stream/promises";
import { CommandError, run } from "../terminal/run.ts";

/** A Mac's Docker Desktop that just starts takes up to a minute. */
const usual = { patienceMs: 60_000, quietMs: 5_000 };

/** `silent`: Docker is installed, but its engine does not answer; `why` is its own last line. */
export type DockerState = { state: "answers" } | { state: "absent" } | { state: "silent"; why: string };

/** Asks the Docker engine whether it is there. One that takes its time is waited for, and `say` gets a line about it. */
export const dockerState = async (
  say: (line: string) => void,
  signal?: AbortSignal,
  { patienceMs, quietMs } = usual,
): Promise<DockerState> => {
  const patience = setTimeout(
    () => say(`Docker is installed but has not answered yet. Waiting up to ${patienceMs / 1000} s for it.`),
    quietMs,
  );
  try {
    const options = { timeoutMs: patienceMs, ...(signal === undefined ? {} : { signal }) };
    const { stdout, stderr } = await run("docker", ["info", "--format", "{{.ServerVersion}}"], options);
    return stdout.trim() === "" ? { state: "silent", why: lastLine(stderr) } : { state: "answers" };
  } catch (error) {
    signal?.throwIfAborted();
    if (!(error instanceof CommandError)) throw error;
    if ((error.cause as NodeJS.ErrnoException | undefined)?.code === "ENOENT") return { state: "absent" };
    const waited = `no answer within ${patienceMs / 1000} s`;
    return { state: "silent", why: lastLine(error.stderr) || (error.code === null ? waited : error.message) };
  } finally {
    clearTimeout(patience);
  }
};

const lastLine = (text: string): string => text.trim().split("\n").at(-1)?.trim() ?? "";

/** The line for the user whose installed Docker does not answer. `down`: removes the cluster that starts without it. */
export const silentLine = (why: string, down: string | null): string => {
  const [wrong, fix] = /permission denied/i.test(why)
    ? ["your account may not use it", "add your account to the group `docker`, log in again"]
    : ["its engine does not answer", "start its engine"];
  const steps = [fix, ...(down === null ? [] : [`run \`${down}\``])].join(", ");
  return `Docker is installed, but ${wrong} (${why}). The cluster starts without Docker. To use Docker, ${steps}, then run the command again.`;
};

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
    const started = ended.flatMap((one) => (one.status === "rejected" ? [(one.reason as Error).message] : []));
    const words = said.trim().split("\n").slice(-3).join(" | ") || started.join(" | ");
    throw new Error(`docker ${from[0]} | docker ${to[0]} failed: ${words}`);
  }
};
