import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtempSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative, resolve } from "node:path";
import { expect, it } from "vitest";
import { nextStep } from "../../dev/terminal/failure.ts";
import { added } from "../first-hour/added.ts";
import { endGroup, leftovers } from "../leftovers.ts";
import { plainEnvironment } from "../mutants/vitest.ts";
import { type Choice, choose } from "../runner/choose.ts";
import { type Limits, runJob } from "../runner/job.ts";
import { type Part, parts, setupsOf } from "../runner/parts.ts";
import { until } from "../support/engine/postgres-support.ts";

/** What `npm test` reads from its command line, and what it leaves when it cannot go on. */

const quick = "test/repository/polls.test.ts";
const files = [quick, "test/cli/x.test.ts"];

it.each([
  [["cli", "--bail=1"], ["cli"], ["--bail=1"]],
  [[quick, "-t=one name"], ["repository"], ["--testNamePattern=one name"]],
  [[quick, "-t", "one name"], ["repository"], ["--testNamePattern=one name"]],
  [["--testNamePattern", "cli", "repository"], ["repository"], ["--testNamePattern=cli"]],
])("the words %j choose parts %j, and give vitest %j", (words, names, options) => {
  const choice = choose(words, files, {}) as Choice;
  expect([...new Set(choice.jobs.map(({ part }) => part.name))]).toEqual(names);
  expect(choice.options).toEqual(options);
  expect(choice.filtered).toBe(options.some((option) => option.startsWith("--testNamePattern")));
});

it("an unknown part is an error that names the parts", () => {
  const error = (() => {
    try {
      return choose(["nothing"], files, {});
    } catch (thrown) {
      return thrown;
    }
  })();
  expect(String(error)).toContain("`nothing` is neither a part nor a test file");
  expect(nextStep(error)).toContain("unit, repository,");
});

it("ends a process and what it started by their group, also where no /proc shows them", async () => {
  const script = "trap '' TERM; sleep 1000 & echo $!; while true; do wait; done";
  const child = spawn("bash", ["-c", script], { detached: true, stdio: ["ignore", "pipe", "ignore"] });
  const ended = new Promise((done) => child.once("exit", (_code, signal) => done(signal)));
  const sleeper = Number(await new Promise((done) => child.stdout.once("data", (bytes) => done(String(bytes)))));
  await endGroup(child.pid, 200);
  expect(await ended).toBe("SIGKILL");
  await until(async () => !isThere(sleeper), "the end of what it started");
  await endGroup(child.pid, 200);
  await endGroup(undefined, 200);
});

it("a job whose log cannot be written ends, and counts as failed", async () => {
  const folder = mkdtempSync(join(tmpdir(), "full-"));
  symlinkSync("/dev/full", join(folder, "full.log"));
  const job = {
    part: parts.find(({ name }) => name === "repository") as Part,
    files: [quick],
    seconds: 1,
    name: "full",
  };
  const run = randomUUID();
  const stopped = new AbortController().signal;
  const ended = await runJob(job, { run, stopped, folder, options: [], env: plainEnvironment(), live: false });
  expect(ended.stopped).toMatch(/^its log cannot be written: .*ENOSPC/);
  expect(leftovers(run)).toEqual([]);
});

/** A job of one file outside of the repository, whose vitest has this config. */
async function outside(config: string, test: string, limits: Limits) {
  const folder = mkdtempSync(join(tmpdir(), "hung-"));
  symlinkSync(resolve("node_modules"), join(folder, "node_modules"));
  writeFileSync(join(folder, "vitest.config.mjs"), `export default { test: { name: "repository", ${config} } };`);
  writeFileSync(
    join(folder, "setup.mjs"),
    `import { mkdtempSync } from "node:fs"; import { tmpdir } from "node:os"; import { join } from "node:path";
    mkdtempSync(join(tmpdir(), "left-"));
    export default () => new Promise(() => setInterval(console.log, 20, 'alive'));`,
  );
  writeFileSync(
    join(folder, "teardown.mjs"),
    "export const teardown = () => new Promise(() => setInterval(() => {}, 20));",
  );
  writeFileSync(join(folder, "a.test.mjs"), `import { expect, it } from "vitest";\n${test}`);
  const options = ["--root", folder, "--config", join(folder, "vitest.config.mjs")];
  const job = { part: parts[1] as Part, files: [relative(resolve("."), join(folder, "a.test.mjs"))], seconds: 1 };
  const run = randomUUID();
  const surroundings = { run, stopped: new AbortController().signal, folder, options, env: {}, live: false, limits };
  const before = readdirSync(tmpdir());
  const ended = await runJob({ ...job, name: "hung" }, surroundings);
  expect(leftovers(run)).toEqual([]);
  expect(added(before, readdirSync(tmpdir()))).toEqual([]);
  return ended;
}
const long = 600_000;

it("a job whose tests make no progress ends and names them, however much they write", async () => {
  const test = `it("passes", () => expect(1).toBe(1));\nit("hangs", () => new Promise(() => setInterval(console.log, 20, 'alive')));`;
  const ended = await outside("testTimeout: 600_000", test, {
    setupMs: long,
    quietMs: 3_000,
    endMs: long,
    allMs: long,
  });
  expect(ended.stopped).toMatch(
    /^it hung: no test started or finished for 0.05 minutes, in: file .*a.test.mjs; test hangs$/,
  );
  expect(ended.output.match(/alive$/gm)?.length).toBeGreaterThan(20);
});

it("a job whose global setup does not end is stopped, and what it made in the folder of temporary files is removed", async () => {
  const ended = await outside('globalSetup: ["./setup.mjs"]', "", {
    setupMs: 3_000,
    quietMs: long,
    endMs: long,
    allMs: long,
  });
  expect(ended.stopped).toMatch(/^its global setup took more than 0.05 minutes, in: .*a.test.mjs$/);
});

it("a job that hangs after its last test is stopped soon, and its results are kept", async () => {
  const limits = { setupMs: long, quietMs: long, endMs: 3_000, allMs: long };
  const ended = await outside(
    'teardownTimeout: 600_000, globalSetup: ["./teardown.mjs"]',
    'it("passes", () => expect(1).toBe(1));',
    limits,
  );
  expect(ended.stopped).toMatch(/^it hung after its last test, for 0.05 minutes, in: its global teardown$/);
  expect(JSON.parse(ended.report ?? "{}")).toMatchObject({ numPassedTests: 1 });
});

it("the global setup of every part works in the run's folder of temporary files", () => {
  const setups = parts.map(setupsOf);
  expect(setups).toContainEqual(["test/scratch.ts", "test/api/setup.ts"]);
  expect(setups.filter(([first]) => first !== "test/scratch.ts")).toEqual([]);
});

it("a run whose output nobody reads any more ends its jobs and fails", async () => {
  const mark = `ROWFERRY_MARK=${randomUUID()}`;
  const child = spawn(process.execPath, ["test/run.ts", "test/repository/docs.test.ts"], {
    cwd: resolve(import.meta.dirname, "../.."),
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...plainEnvironment(), [mark.slice(0, 13)]: mark.slice(14) },
  });
  const ended = new Promise((done) => child.once("exit", (code, signal) => done(code ?? signal)));
  const job = () => processesWith(mark).filter(({ command }) => command.includes("vitest.mjs"));
  await until(async () => job().length > 0, "the job to run");
  child.stdout.destroy();
  child.stderr.destroy();
  expect(await ended).toBe(1);
  expect(processesWith(mark)).toEqual([]);
});

function isThere(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

const read = (path: string): string => {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
};
const processesWith = (mark: string) =>
  readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && read(`/proc/${name}/environ`).split("\0").includes(mark))
    .map((pid) => ({ pid, command: read(`/proc/${pid}/cmdline`).split("\0").join(" ") }));
