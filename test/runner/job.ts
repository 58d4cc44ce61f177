import { spawn } from "node:child_process";
import { createWriteStream, existsSync, readFileSync, statSync } from "node:fs";
import { join, resolve } from "node:path";
import { endGroup, endLeftovers, marked, runVariable } from "../leftovers.ts";
import { makeScratch, removeScratch, scratchVariable } from "../scratch.ts";
import type { Job } from "./plan.ts";
import { allEnded, progressVariable, unfinished } from "./progress.ts";

export interface Limits {
  /** Of the global setup. */
  setupMs: number;
  /** Without a file or a test that starts or finishes, whatever is written meanwhile. No test may take longer. */
  quietMs: number;
  /** After its last test: vitest waits for ever for a process that a test has left behind with its output open. */
  endMs: number;
  /** Of the whole job. */
  allMs: number;
}

const minute = 60_000;
const usual: Limits = { setupMs: 10 * minute, quietMs: 10 * minute, endMs: 3 * minute, allMs: 30 * minute };
const root = resolve(import.meta.dirname, "../..");
/** In the run's folder: Node's compile cache. */
export const compiled = "compiled";

export interface Ended {
  /** Null if a signal ended it. */
  exitCode: number | null;
  seconds: number;
  output: string;
  /** vitest's JSON report; undefined if it wrote none. */
  report: string | undefined;
  /** Why this runner stopped it; a job that hung, with the tests that had started and not finished. */
  stopped?: string;
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
  limits?: Limits;
}

/** Runs one job in a process of vitest to its end. Never rejects for what the job does, or because the disk is full. */
export async function runJob(job: Job, surroundings: Surroundings): Promise<Ended> {
  const { run, stopped, folder, options, env, live, limits = usual } = surroundings;
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
  const scratch = makeScratch();
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
      TMPDIR: scratch,
      [scratchVariable]: "made",
      // Of the run: the hundreds of processes compile a module once. A file of another content is not taken from it.
      NODE_COMPILE_CACHE: join(folder, compiled),
      // Kubernetes' programs collect their garbage later: a fifth less of their processor time for 100 MB of the API server.
      GOGC: "400",
      ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}),
    },
  });
  let stoppedFor: string | undefined;
  let ending: Promise<unknown> | undefined;
  const end = (): void => {
    ending ??= Promise.all([endLeftovers(run, 10_000), endGroup(child.pid, 10_000)]);
  };
  const stop = (why: string): void => {
    if (stoppedFor !== undefined) return;
    stoppedFor = why;
    end();
  };
  const log = createWriteStream(logFile).on("error", (error) => stop(`its log cannot be written: ${error.message}`));
  // Also kept here: what is shown at the end does not depend on the disk.
  const written: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream.on("data", (bytes: Buffer) => {
      written.push(bytes);
      if (!log.destroyed) log.write(bytes);
      if (live) process.stdout.write(bytes);
    });

  let [seen, movedAt, progress] = [0, startedAt, ""];
  const watch = setInterval(() => {
    const now = performance.now();
    const size = existsSync(progressFile) ? statSync(progressFile).size : 0;
    if (size !== seen) [seen, movedAt, progress] = [size, now, readFileSync(progressFile, "utf8")];
    const ended = progress.endsWith(`${allEnded}\n`);
    const why = overdue({ quietMs: now - movedAt, allMs: now - startedAt, started: seen > 0, ended }, limits);
    if (why === undefined || stoppedFor !== undefined) return;
    const open = seen > 0 ? unfinished(progress).slice(0, 20) : job.files;
    stop(`${why}, in: ${open.join("; ") || "its global teardown"}`);
    console.error(`${job.name}: ${stoppedFor}`);
  }, 1000);
  stopped.addEventListener("abort", end, { once: true });
  if (stopped.aborted) end();

  const exitCode = await new Promise<number | null>((done) => {
    child.once("error", () => done(null));
    child.once("exit", done);
  });
  clearInterval(watch);
  await ending;
  stopped.removeEventListener("abort", end);
  await drained([child.stdout, child.stderr]);
  await new Promise<void>((done) => log.end(done));
  removeScratch(scratch);
  return {
    exitCode,
    seconds: (performance.now() - startedAt) / 1000,
    output: Buffer.concat(written).toString(),
    report: existsSync(reportFile) ? readFileSync(reportFile, "utf8") : undefined,
    ...(stoppedFor === undefined ? {} : { stopped: stoppedFor }),
  };
}

/** Why a job must stop; undefined while it may continue. `started`: a test file has started, so the global setup is over. */
export function overdue(
  job: { quietMs: number; allMs: number; started: boolean; ended: boolean },
  { setupMs, quietMs, endMs, allMs }: Limits = usual,
): string | undefined {
  const minutes = (milliseconds: number) => `${milliseconds / minute} minutes`;
  if (job.allMs > allMs) return `it did not finish within ${minutes(allMs)}`;
  if (!job.started) return job.allMs > setupMs ? `its global setup took more than ${minutes(setupMs)}` : undefined;
  if (job.ended && job.quietMs > endMs) return `it hung after its last test, for ${minutes(endMs)}`;
  return job.quietMs > quietMs ? `it hung: no test started or finished for ${minutes(quietMs)}` : undefined;
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
