import { spawn } from "node:child_process";
import { createWriteStream, existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { endLeftovers, marked, runVariable } from "../leftovers.ts";
import type { Job } from "./plan.ts";
import { progressVariable, unfinished } from "./progress.ts";

/** Without a test that begins or ends, and without a line of output. The longest limit of one quiet test is as long. */
const quietMs = 10 * 60_000;
/** In all; also for a global setup, which may have to build Kubernetes and is quiet then. */
const longestMs = 30 * 60_000;
const root = resolve(import.meta.dirname, "../..");

export interface Ended {
  /** Null if a signal ended it. */
  exitCode: number | null;
  seconds: number;
  output: string;
  /** vitest's JSON report; undefined if it wrote none. */
  report: string | undefined;
  /** Why the runner ended it, with what had begun and not ended. */
  hung?: string;
}

export interface Surroundings {
  /** The mark of its processes: `leftovers.ts`. */
  run: string;
  stopped: AbortSignal;
  /** For reports and logs. */
  folder: string;
  /** Extra options of vitest. */
  options: readonly string[];
  env: NodeJS.ProcessEnv;
  /** Shows the output while it runs. */
  live: boolean;
}

/** Runs one job in a process of vitest to its end. */
export async function runJob(job: Job, { run, stopped, folder, options, env, live }: Surroundings): Promise<Ended> {
  const path = (suffix: string) => join(folder, `${job.name.replace(/\W/g, "-")}.${suffix}`);
  const [reportFile, logFile, progressFile] = [path("json"), path("log"), path("progress")];
  const [program = "", ...args] = marked(run, [
    process.execPath,
    join(root, "node_modules/vitest/vitest.mjs"),
    ...["run", "--project", job.part.name, "--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`],
    `--reporter=${join(import.meta.dirname, "progress.ts")}`,
    ...options,
    ...job.files.map((file) => join(root, file)),
  ]);
  const startedAt = performance.now();
  // A process group of its own: Ctrl-C in a terminal reaches this process alone, which then ends the others in order.
  const child = spawn(program, args, {
    cwd: root,
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
    env: {
      ...process.env,
      ...env,
      [runVariable]: run,
      [progressVariable]: progressFile,
      ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    },
  });
  const log = createWriteStream(logFile);
  let movedAt = startedAt;
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => {
      movedAt = performance.now();
      log.write(bytes);
      if (live) process.stdout.write(bytes);
    });

  let hung: string | undefined;
  const end = () => void endLeftovers(run, 10_000);
  let seen = 0;
  const watch = setInterval(() => {
    const now = performance.now();
    const size = existsSync(progressFile) ? statSync(progressFile).size : 0;
    if (size !== seen) [seen, movedAt] = [size, now];
    const why = overdue({ quietMs: now - movedAt, allMs: now - startedAt, begun: seen > 0 });
    if (why === undefined || hung !== undefined) return;
    const open = seen > 0 ? unfinished(readFileSync(progressFile, "utf8")).slice(0, 20) : ["its global setup"];
    hung = `${why}, in: ${open.join("; ") || job.files.join("; ")}`;
    console.error(`${job.name} ${hung}`);
    end();
  }, 1000);
  stopped.addEventListener("abort", end, { once: true });

  const exitCode = await new Promise<number | null>((done) => {
    child.once("error", () => done(null));
    child.once("exit", done);
  });
  clearInterval(watch);
  stopped.removeEventListener("abort", end);
  await drained([child.stdout, child.stderr]);
  await new Promise<void>((done) => log.end(done));
  return {
    exitCode,
    seconds: (performance.now() - startedAt) / 1000,
    output: readFileSync(logFile, "utf8"),
    report: existsSync(reportFile) ? readFileSync(reportFile, "utf8") : undefined,
    ...(hung === undefined ? {} : { hung }),
  };
}

/** Why a job has to end; undefined while it may go on. `begun`: a test file began, so its global setup is over. */
export function overdue(job: { quietMs: number; allMs: number; begun: boolean }): string | undefined {
  if (job.allMs > longestMs) return `did not end within ${longestMs / 60_000} minutes`;
  if (job.begun && job.quietMs > quietMs) return `hung: nothing began or ended for ${quietMs / 60_000} minutes`;
  return undefined;
}

/** Until what was written is read. A process that was left running holds the pipe open: it is not waited for. */
async function drained(streams: readonly (NodeJS.ReadableStream & { destroy(): void })[]): Promise<void> {
  const patience = new AbortController();
  const ends = streams.map(
    (stream) =>
      new Promise<void>((done) =>
        "readableEnded" in stream && stream.readableEnded ? done() : stream.once("close", done),
      ),
  );
  const late = new Promise<void>((done) => {
    const timer = setTimeout(done, 2000);
    patience.signal.addEventListener("abort", () => clearTimeout(timer));
  });
  await Promise.race([Promise.all(ends), late]);
  patience.abort();
  for (const stream of streams) stream.destroy();
}
