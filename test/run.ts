import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { failures } from "./failures.ts";
import { endLeftovers, leftovers, runVariable } from "./leftovers.ts";
import { type Tally, tally } from "./tally.ts";

/**
 * `npm test [-- part… | file…] [--vitest-option…]`: runs the parts, two at a time since much of their time is waiting for
 * servers, in this order: beside the cluster those that wait more than they compute. It ends with the line `N passed, N failed`, summed from the
 * runners' reports.
 */
const parts = [
  "cluster",
  "repository",
  "guard",
  "databases",
  "worker",
  "mcp",
  "load",
  "unit",
  "engine",
  "chaos",
  "property",
  "dev",
  "operator",
  "api",
  "fuzz",
  "prober",
  "cli",
  "chart",
  "first-hour",
];
const atOnce = 2;
/** Parts whose files are shared among several jobs, so that both cores have work to the end. */
const shards: Record<string, number> = { engine: 4, api: 2 };
const partLimitMs = 20 * 60_000;
/** Of each part's failures, which are told again at the end. */
const failureLines = 60;
const root = resolve(import.meta.dirname, "..");

interface Job {
  part: string;
  files: string[];
  /** As vitest writes it: "1/3" is the first third of the part's files. */
  shard?: string;
}

const nameOf = ({ part, shard }: Job): string => (shard === undefined ? part : `${part} ${shard}`);

function everything(): Job[] {
  return parts.flatMap((part) => {
    const count = shards[part] ?? 1;
    if (count === 1) return [{ part, files: [] }];
    return Array.from({ length: count }, (_, at) => ({ part, files: [], shard: `${at + 1}/${count}` }));
  });
}

/** Which parts to run for the words of the command line; a word is a part or a test file. */
function jobs(words: readonly string[]): Job[] {
  if (words.length === 0) return everything();
  const wanted = new Map<string, string[]>();
  for (const word of words) {
    const file = relative(root, resolve(word));
    const part = parts.includes(word) ? word : (/^test\/([^/]+)\//.exec(file)?.[1] ?? "unit");
    if (!parts.includes(word) && !existsSync(resolve(word))) {
      throw new Error(`${word} is neither a test file nor one of the parts: ${parts.join(", ")}`);
    }
    wanted.set(part, [...(wanted.get(part) ?? []), ...(parts.includes(word) ? [] : [file])]);
  }
  return [...wanted].map(([part, files]) => ({ part, files }));
}

/** Runs one part to its end; its output goes to `output`, a file descriptor or this process's own. */
function runPart(
  job: Job,
  reportFile: string,
  options: string[],
  { run, stopped, output }: { run: string; stopped: AbortSignal; output: number | "inherit" },
) {
  const vitest = join(root, "node_modules/vitest/vitest.mjs");
  const reporters = ["--reporter=default", "--reporter=json", `--outputFile.json=${reportFile}`];
  // A process group of its own: Ctrl-C in a terminal reaches this process alone, which then ends the others in order.
  const child = spawn(
    process.execPath,
    [
      vitest,
      "run",
      "--project",
      job.part,
      ...(job.shard === undefined ? [] : [`--shard=${job.shard}`]),
      ...reporters,
      ...options,
      ...job.files,
    ],
    {
      cwd: root,
      stdio: ["ignore", output, output],
      detached: true,
      env: { ...process.env, [runVariable]: run, ...(process.stdout.isTTY ? { FORCE_COLOR: "1" } : {}) },
    },
  );
  return new Promise<number | null>((done) => {
    const end = () => void endLeftovers(run, 10_000);
    const limit = setTimeout(() => {
      console.error(`${nameOf(job)} did not end within ${partLimitMs / 60_000} minutes`);
      end();
    }, partLimitMs);
    stopped.addEventListener("abort", end, { once: true });
    child.once("error", () => done(null));
    child.once("exit", (code) => {
      clearTimeout(limit);
      stopped.removeEventListener("abort", end);
      done(code);
    });
  });
}

/** `failures`: what the runner said of them, empty where it stands right above. */
type Result = Tally & { part: string; seconds: number; failures?: string };

/** What is no process (network, mounts) of the cluster that `test/cluster/setup.ts` could not take down any more. */
function takeDown(): Promise<void> {
  const down = spawn(process.execPath, [join(root, "dev/down.ts"), "--name", "test"], { cwd: root, stdio: "inherit" });
  return new Promise((done) => {
    down.once("error", () => done());
    down.once("exit", () => done());
  });
}

async function main(): Promise<number> {
  const words = process.argv.slice(2);
  const options = words.filter((word) => word.startsWith("-"));
  const todo = jobs(words.filter((word) => !word.startsWith("-")));
  const filtered = options.some((option) => /^(-t|--testNamePattern)\b/.test(option));
  const alone = todo.length === 1;
  const folder = mkdtempSync(join(tmpdir(), "rowferry-reports-"));
  const stop = new AbortController();
  const run = randomUUID();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, () => stop.abort(name));

  const results: Result[] = [];
  const runNext = async (): Promise<void> => {
    const job = stop.signal.aborted ? undefined : todo.shift();
    if (job === undefined) return;
    const name = nameOf(job);
    const reportFile = join(folder, `${name.replace(/\W/g, "-")}.json`);
    const outputFile = join(folder, `${name.replace(/\W/g, "-")}.log`);
    const output = alone ? "inherit" : openSync(outputFile, "w");
    console.log(`\n── ${name}${alone ? "" : " begins"}`);
    const startedAt = performance.now();
    const exitCode = await runPart(job, reportFile, options, {
      run: `${run}-${name.replace(/\W/g, "-")}`,
      stopped: stop.signal,
      output,
    });
    if (output !== "inherit") {
      closeSync(output);
      console.log(`\n── ${name}\n${readFileSync(outputFile, "utf8")}`);
    }
    const report = existsSync(reportFile) ? readFileSync(reportFile, "utf8") : undefined;
    results.push({
      part: name,
      seconds: (performance.now() - startedAt) / 1000,
      failures: output === "inherit" ? "" : failures(readFileSync(outputFile, "utf8"), failureLines),
      ...tally(report, exitCode, filtered),
    });
    return runNext();
  };
  await Promise.all(Array.from({ length: atOnce }, runNext));
  if (stop.signal.aborted) {
    await endLeftovers(run, 10_000);
    if (results.some(({ part }) => part === "cluster")) await takeDown();
    results.push({ part: "(all)", seconds: 0, passed: 0, failed: 1, remarks: [`stopped by ${stop.signal.reason}`] });
  }
  const left = leftovers(run);
  if (left.length > 0) {
    const remarks = left.map(({ pid, command }) => `process ${pid} was left running: ${command}`);
    results.push({ part: "(all)", seconds: 0, passed: 0, failed: 1, remarks });
    await endLeftovers(run, 10_000);
  }
  return print(results, folder);
}

function print(results: Result[], folder: string): number {
  for (const { part, failures: told } of results) if (told) console.log(`\n── failures of ${part}\n${told}`);
  console.log("");
  for (const { part, seconds, passed, failed, remarks } of results) {
    const time = `${seconds.toFixed(1)} s`.padStart(9);
    console.log(`${part.padEnd(12)}${time}${String(passed).padStart(7)} passed${String(failed).padStart(5)} failed`);
    for (const remark of remarks) console.log(`  ${remark}`);
  }
  const sum = (key: "passed" | "failed") => results.reduce((total, result) => total + result[key], 0);
  if (sum("failed") === 0) rmSync(folder, { recursive: true, force: true });
  else console.log(`reports: ${folder}`);
  console.log(`${sum("passed")} passed, ${sum("failed")} failed`);
  return sum("failed") === 0 && sum("passed") > 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  console.log("0 passed, 1 failed");
  process.exitCode = 1;
}
