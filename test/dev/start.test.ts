import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join, resolve } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";

// A small clone of its own, and an `npm` that installs nothing but this machine's Node under the name of the real one:
// what is tested is when dev/start.mjs calls npm, and what it makes of its end.
let clone: string;
let bin: string;

const node24 = realpathSync(process.execPath);

// The Node that a user's machine has, if there is one besides the clone's own.
const machineNode = (process.env["PATH"] ?? "")
  .split(delimiter)
  .filter((folder) => !folder.includes("node_modules"))
  .map((folder) => join(folder, "node"))
  .find((path) => existsSync(path));

const npm = `#!/bin/sh
mkdir ../busy || { echo "npm error: another npm is at work here" >&2; exit 1; }
trap 'rmdir ../busy' EXIT
trap 'exit 130' INT TERM
# Last, since the tests send their signals as soon as they see it.
echo "$@" >> ../npm-calls
[ "$1" = ci ] || exit 2
rm -rf node_modules
mkdir -p node_modules/.bin
sleep "\${NPM_TAKES:-0}"
[ -z "$NPM_FAILS" ] || { echo "npm error: no such package" >&2; exit 1; }
ln -s "${node24}" node_modules/.bin/node
`;

beforeEach(() => {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-start-"));
  clone = join(folder, "clone");
  bin = join(folder, "bin");
  mkdirSync(join(clone, "dev"), { recursive: true });
  mkdirSync(bin);
  for (const file of ["start.mjs", "lock.mjs"]) {
    cpSync(resolve(import.meta.dirname, "../../dev", file), join(clone, "dev", file));
  }
  writeFileSync(join(clone, "package.json"), '{"type":"module"}');
  writeFileSync(join(clone, "package-lock.json"), '{"lockfileVersion":3,"packages":{}}');
  writeFileSync(join(bin, "npm"), npm, { mode: 0o755 });
  writeFileSync(join(clone, "hello.ts"), "const words: string[] = process.argv.slice(2); console.log(...words);\n");
  writeFileSync(join(clone, "code.ts"), "process.exitCode = 7;\n");
  writeFileSync(
    join(clone, "wait.ts"),
    `process.on("SIGTERM", () => process.exit(33)); console.log("waiting"); setInterval(() => {}, 1000);\n`,
  );
});

afterEach(() => {
  rmSync(resolve(clone, ".."), { recursive: true, force: true });
});

const env = (extra: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv => ({
  ...process.env,
  PATH: `${bin}:${process.env["PATH"]}`,
  ...extra,
});

const start = (args: string[], extra?: NodeJS.ProcessEnv, as: { node?: string; uid?: number } = {}) => {
  const { node = machineNode ?? node24, ...account } = as;
  const child = spawn(node, ["dev/start.mjs", ...args], { cwd: clone, env: env(extra), ...account });
  let output = "";
  const add = (data: Buffer): void => {
    output += data.toString();
  };
  child.stdout.on("data", add);
  child.stderr.on("data", add);
  const ended = new Promise<{ code: number | null; output: string }>((done, fail) =>
    child.on("error", fail).on("close", (code) => done({ code, output })),
  );
  const says = async (words: string): Promise<void> => {
    for (const until = Date.now() + 10_000; !output.includes(words); ) {
      if (Date.now() > until) throw new Error(`It never said "${words}": ${output}`);
      await new Promise((done) => setTimeout(done, 10));
    }
  };
  return { child, ended, says };
};

const calls = (): number => {
  const file = resolve(clone, "../npm-calls");
  return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").length : 0;
};

test("packages are installed on the first run alone, and again when the lock file changed", async () => {
  expect(await start(["hello.ts", "a", "b c"]).ended).toMatchObject({
    code: 0,
    output: expect.stringContaining("a b c\n"),
  });
  expect(calls()).toBe(1);
  expect(await start(["hello.ts"]).ended).toEqual({ code: 0, output: "\n" });
  expect(calls()).toBe(1);
  writeFileSync(join(clone, "package-lock.json"), '{"lockfileVersion":3,"packages":{"":{}}}');
  await start(["hello.ts"]).ended;
  expect(calls()).toBe(2);
});

test("packages that another account installed by hand are used as they are", async () => {
  const node = join(clone, "node_modules/.bin/node");
  mkdirSync(resolve(node, ".."), { recursive: true });
  cpSync(node24, node);
  writeFileSync(join(clone, "node_modules/.package-lock.json"), '{"packages":{}}');
  for (const folder of [tmpdir(), resolve(clone, "..")]) chmodSync(folder, 0o711);
  const nobody = 65_534;
  expect(await start(["hello.ts", "hello"], {}, { node, uid: nobody }).ended).toEqual({ code: 0, output: "hello\n" });
  expect(calls()).toBe(0);
});

test("two commands at once on a fresh clone install once", async () => {
  const both = await Promise.all([1, 2].map((n) => start(["hello.ts", `${n}`], { NPM_TAKES: "0.5" }).ended));
  expect(both.map(({ code }) => code)).toEqual([0, 0]);
  expect(calls()).toBe(1);
});

test("an install that failed ends with its cause, its log and the next step, and the next run tries again", async () => {
  const failed = await start(["hello.ts"], { NPM_FAILS: "yes" }).ended;
  expect(failed.code).toBe(1);
  const lines = failed.output.trim().split("\n").slice(-3);
  expect(lines[0]).toBe("✗ npm ci failed with exit code 1: npm error: no such package");
  expect(lines[2]).toMatch(/^ {2}next: .*run the command again\.$/);
  const [, log = ""] = /^ {2}log: {2}(\S+)$/.exec(lines[1] ?? "") ?? [];
  expect(readFileSync(log, "utf8")).toContain("no such package");
  expect((await start(["hello.ts", "now"]).ended).output).toContain("now\n");
  expect(calls()).toBe(2);
});

test("an install that was interrupted or killed is noticed", async () => {
  for (const signal of ["SIGINT", "SIGKILL"] as const) {
    const first = start(["hello.ts"], { NPM_TAKES: "1" });
    await first.says("Install packages");
    while (calls() === 0) await new Promise((done) => setTimeout(done, 10));
    first.child.kill(signal);
    const { code } = await first.ended;
    expect(code).toBe(signal === "SIGINT" ? 130 : null);
    const before = calls();
    expect((await start(["hello.ts", "whole"]).ended).output).toContain("whole\n");
    expect(calls()).toBe(before + 1);
    rmSync(join(clone, "node_modules"), { recursive: true });
    rmSync(resolve(clone, "../npm-calls"));
  }
});

test("the exit code and signals pass through", async () => {
  expect((await start(["code.ts"]).ended).code).toBe(7);
  const waiting = start(["wait.ts"]);
  await waiting.says("waiting");
  waiting.child.kill("SIGTERM");
  expect((await waiting.ended).code).toBe(33);
});

test("a node_modules that npm install made and that fits the lock file is taken as it is", async () => {
  const packages = { "node_modules/a": { version: "1.0.0", integrity: "sha512-a" } };
  const optional = { version: "1.0.0", optional: true };
  const other = { "node_modules/mac": { ...optional, integrity: "sha512-m" }, "node_modules/arm": optional };
  writeFileSync(join(clone, "package-lock.json"), JSON.stringify({ packages: { "": {}, ...packages, ...other } }));
  mkdirSync(join(clone, "node_modules", ".bin"), { recursive: true });
  spawnSync("ln", ["-s", node24, join(clone, "node_modules", ".bin", "node")]);
  writeFileSync(join(clone, "node_modules", ".package-lock.json"), JSON.stringify({ packages }));
  expect((await start(["hello.ts", "here"]).ended).output).toBe("here\n");
  expect(calls()).toBe(0);
});

test("npm ci takes this clone's lock file", { timeout: 120_000 }, () => {
  for (const file of ["package.json", "package-lock.json", ".npmrc"]) {
    cpSync(resolve(import.meta.dirname, "../..", file), join(clone, file));
  }
  const { status, stderr } = spawnSync("npm", ["ci", "--dry-run", "--no-audit"], { cwd: clone, encoding: "utf8" });
  expect(status, stderr).toBe(0);
});
