import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { isThere, need } from "../dev/cluster/binaries/index.ts";
import { placeInMemory, placeVariable } from "../dev/databases/place.ts";
import { needPackages, type Purpose } from "../dev/debian/index.ts";
import { nextStep } from "../dev/terminal/failure.ts";
import { describe, openTerminal } from "../dev/terminal/index.ts";
import { bundlesVariable } from "./bundle.ts";
import { failures } from "./failures.ts";
import { endLeftovers, type Leftover, leftovers, markThis } from "./leftovers.ts";
import { lacking, notRun, thisMachine } from "./runner/able.ts";
import { choose } from "./runner/choose.ts";
import { testFiles, unnamed } from "./runner/files.ts";
import { untilRoom } from "./runner/idle.ts";
import { compiled, runJob } from "./runner/job.ts";
import { parts } from "./runner/parts.ts";
import { type Job, queue } from "./runner/plan.ts";
import { makePrograms } from "./runner/programs.ts";
import { isPresent, publicSamplesNotRun } from "./runner/public-samples.ts";
import { type Result, summary } from "./runner/summary.ts";
import { openPool, poolVariable } from "./servers/pool.ts";
import { belowFloor, tally } from "./tally.ts";

/**
 * `npm test`: runs the parts' files in jobs, the longest first, two at a time and the
 * cluster besides, three at a time after it (`runner/plan.ts`), and more where the processors have nothing to do (`runner/idle.ts`). It ends with the line `N passed, N failed`, summed from the reports of vitest.
 */

/** Each runs one job at a time. A job takes about 0.6 of a core; with a fourth at all times the processors were full and the cluster's tests out of time. */
const lanes = ["main", "main", "beside"] as const;
/** Jobs besides the lanes', each started only where the machine has room for it. */
const mostMore = Math.max(1, availableParallelism() - 1);
/** Of each job's failures, which are told again at the end. */
const failureLines = 60;
const root = resolve(import.meta.dirname, "..");

/** What is no process (network, mounts) of the cluster that `test/cluster/setup.ts` could not take down any more. */
function takeDown(): Promise<void> {
  const down = spawn(process.execPath, [join(root, "dev/down.ts"), "--name", "test"], { cwd: root, stdio: "inherit" });
  return new Promise((done) => {
    down.once("error", () => done());
    down.once("exit", () => done());
  });
}

/** A result that is no job's: one failure for each remark. */
const failing = (remarks: string[]): Result => ({
  ...{ name: "(all)", part: "(all)", seconds: 0, passed: 0, failed: remarks.length, remarks },
});

/** What does not end by itself in three seconds. Servers end when the process that started them has ended. */
async function remaining(run: string): Promise<Leftover[]> {
  const deadline = performance.now() + 3_000;
  for (;;) {
    const left = leftovers(run);
    if (left.length === 0 || performance.now() > deadline) return left;
    await pause(50);
  }
}

/** What the jobs need of Debian, before anything else starts. Without root the jobs that need it do not run. */
async function installPackages(jobs: readonly Job[], signal: AbortSignal): Promise<void> {
  const wanted = jobs.flatMap(({ part }): Purpose[] => (part.root ? ["roots", ...(part.packages ?? [])] : []));
  const terminal = openTerminal({ name: "test" });
  await needPackages(wanted, terminal, signal);
  terminal.close();
}

async function main(): Promise<number> {
  const files = testFiles(root);
  const choice = choose(process.argv.slice(2), files);
  if (typeof choice === "string") {
    console.log(choice);
    return 0;
  }
  const { options, filtered } = choice;
  const machine = thisMachine();
  const jobs = choice.jobs.filter(({ part }) => lacking(part, machine) === null);
  const complete = choice.complete.filter((part) => lacking(part, machine) === null);
  const unable = [...new Set(choice.jobs.map(({ part }) => part))].filter((part) => lacking(part, machine) !== null);
  const live = jobs.length === 1;
  const folder = mkdtempSync(join(tmpdir(), "rowferry-reports-"));
  const stop = new AbortController();
  const run = randomUUID();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stop.abort(name));
  // A full disk, or an output that nobody reads any more: the jobs have process groups of their own and must end, too.
  const onError = (error: Error) => stop.abort(describe(error));
  for (const stream of [process.stdout, process.stderr]) stream.on("error", onError);
  process.on("uncaughtException", onError);

  await installPackages(jobs, stop.signal);
  markThis(run);
  const results: Result[] = unnamed(files).map((file) => failing([`no part of test/runner/parts.ts runs ${file}`]));
  const todo = queue(jobs);
  const socket = join(folder, "servers");
  const place = placeInMemory();
  if (place !== undefined) process.env[placeVariable] ??= place;
  const servers = await openPool(socket);
  const bundles = join(folder, "bundles");
  const env = { [poolVariable]: socket, [bundlesVariable]: bundles };
  const terminal = openTerminal({ name: "test", interactive: false });
  const programs = makePrograms(
    jobs.map(({ part }) => part),
    { isThere, make: (name, signal) => need(name, { terminal, signal }), stopped: stop.signal },
  );
  const runLane = async (lane: (typeof lanes)[number]): Promise<void> => {
    const job = stop.signal.aborted ? undefined : todo.next(lane, programs.ready);
    if (job === undefined) return;
    if (job === "wait") await programs.change();
    else await play(job);
    return runLane(lane);
  };
  const play = async (job: Job): Promise<void> => {
    const lacks = programs.lacking(job.part);
    const name = { name: job.name, part: job.part.name };
    results.push(lacks === undefined ? await played(job) : { ...failing([lacks]), ...name });
  };
  const runMore = async (): Promise<void> => {
    const running = new Set<Promise<unknown>>();
    const over = () => stop.signal.aborted || todo.isEmpty("main");
    while (await untilRoom(over, () => running.size < mostMore)) {
      const job = todo.next("main", programs.ready);
      if (job === undefined || job === "wait") continue;
      const one: Promise<unknown> = play(job).finally(() => running.delete(one));
      running.add(one);
    }
    await Promise.all(running);
  };
  const played = async (job: Job): Promise<Result> => {
    console.log(`\n── ${job.name}${live ? "" : ": started"}`);
    const id = `${run}-${job.name.replace(/\W/g, "-")}`;
    const ended = await runJob(job, { run: id, stopped: stop.signal, folder, options, env, live });
    if (!live) console.log(`\n── ${job.name}\n${ended.output}`);
    const counted = tally(ended.report, ended.exitCode, { filtered, expected: job.files });
    if (ended.stopped !== undefined) {
      counted.failed = Math.max(1, counted.failed);
      counted.remarks.push(ended.stopped);
    }
    return {
      name: job.name,
      part: job.part.name,
      seconds: ended.seconds,
      failures: live ? "" : failures(ended.output, failureLines),
      ...counted,
    };
  };
  const startedAt = performance.now();
  try {
    await Promise.all([...lanes.map(runLane), runMore()].map((lane) => lane.catch(onError)));
  } finally {
    await programs.end;
    terminal.close();
    await servers.close();
  }
  const seconds = (performance.now() - startedAt) / 1000;
  const { started, lent } = servers.counts();
  if (lent > 0) console.log(`\n${started} database servers were started and lent ${lent} times`);

  if (stop.signal.aborted) {
    await endLeftovers(run, 10_000);
    if (results.some(({ part }) => part === "cluster")) await takeDown();
    results.push(failing([`stopped: ${stop.signal.reason}`]));
  } else {
    for (const part of complete) {
      const own = results.filter((result) => result.part === part.name);
      const ran = own.reduce((sum, { passed, failed }) => sum + passed + failed, 0);
      const below = belowFloor(part, ran);
      if (below.failed > 0) results.push({ name: part.name, part: part.name, seconds: 0, ...below });
    }
  }
  const left = await remaining(run);
  if (left.length > 0) {
    results.push(failing(left.map(({ pid, command }) => `process ${pid} was left running: ${command}`)));
    await endLeftovers(run, 10_000);
  }
  for (const made of [join(folder, compiled), bundles]) rmSync(made, { recursive: true, force: true });
  const { text, passed, failed } = summary(results, seconds, folder);
  if (failed === 0) rmSync(folder, { recursive: true, force: true });
  if (choice.everything && !parts.every(isPresent)) console.log(publicSamplesNotRun);
  for (const line of notRun(unable, machine)) console.log(line);
  console.log(text);
  return failed === 0 && passed > 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(`✗ test: ${describe(error)}`);
  const next = nextStep(error);
  if (next !== undefined) console.error(`  next: ${next}`);
  console.log("0 passed, 1 failed");
  process.exitCode = 1;
}
