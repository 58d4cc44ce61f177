// Starts a command of this clone: `node dev/start.mjs <script.ts> [arguments]`. It runs on a fresh clone under Node 20
// with built-in modules alone, makes node_modules current with package-lock.json, and hands over to Node 24 in there.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { lock } from "./lock.mjs";

const clone = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const modules = join(clone, "node_modules");
const bin = join(modules, ".bin");
const node = join(bin, process.platform === "win32" ? "node.exe" : "node");
// Written after a whole `npm ci` and removed before one: an interrupted install has none.
const marker = join(modules, ".rowferry-lock-hash");
const logFile = join(clone, ".rowferry", "npm-ci.log");
// The number of the npm that is at work: it outlives a command that was killed.
const pidFile = join(clone, ".rowferry", "npm-ci.pid");
const heirMs = 120_000;

const signals = ["SIGINT", "SIGTERM", "SIGHUP"];

class Interrupted extends Error {
  constructor(signal) {
    super(`interrupted by ${signal}`);
    this.exitCode = 128 + constants.signals[signal];
  }
}

/** An error for the person at the terminal. */
class Failure extends Error {
  constructor(message, next) {
    super(message);
    this.next = next;
  }
}

/** npm's own errors of the last install, or its last line. */
const npmErrors = () => {
  const lines = readFileSync(logFile, "utf8").trim().split("\n");
  const errors = lines.filter((line) => /^npm (error|ERR!) (?!A complete log)/.test(line));
  return (errors.length > 0 ? errors.slice(0, 3) : lines.slice(-1)).join(" | ");
};

const wanted = () => {
  const hash = createHash("sha256").update(readFileSync(join(clone, "package-lock.json")));
  return hash.update(`${process.platform} ${process.arch}`).digest("hex");
};

const packagesIn = (file) =>
  Object.entries(JSON.parse(readFileSync(file, "utf8")).packages).filter(([path]) => path !== "");

// npm's own record of a finished install. It leaves out what is optional and for other machines.
const installedByHand = () => {
  const record = join(modules, ".package-lock.json");
  if (!existsSync(record)) return false;
  const installed = new Map(packagesIn(record));
  const locked = packagesIn(join(clone, "package-lock.json"));
  const same = locked.filter(
    ([path, { integrity }]) => installed.has(path) && installed.get(path).integrity === integrity,
  );
  const missing = locked.filter(([path, { optional }]) => !optional && !installed.has(path));
  return missing.length === 0 && same.length === installed.size;
};

const current = () => {
  if (!existsSync(node)) return false;
  if (existsSync(marker) && readFileSync(marker, "utf8") === wanted()) return true;
  if (!installedByHand()) return false;
  try {
    writeFileSync(marker, wanted());
  } catch {
    // The packages are another account's, or on a read-only disk: it costs only that they are compared each time.
  }
  return true;
};

/** Runs a program to its end, passing this process's signals to it; its exit code, or 128 + n after signal n. */
const run = (command, args, options) =>
  new Promise((done, fail) => {
    const child = spawn(command, args, options);
    options.onStart?.(child.pid);
    const pass = (signal) => child.kill(signal);
    for (const signal of signals) process.on(signal, pass);
    const settle = (finish) => {
      for (const signal of signals) process.off(signal, pass);
      finish();
    };
    child.on("error", (error) => settle(() => fail(error)));
    child.on("close", (code, signal) => settle(() => done(code ?? 128 + constants.signals[signal])));
  });

const alive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const untilHeirEnds = async () => {
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, "utf8")) : 0;
  for (const limit = Date.now() + heirMs; pid > 0 && alive(pid) && Date.now() < limit; ) {
    await new Promise((done) => setTimeout(done, 100));
  }
};

const install = async () => {
  await untilHeirEnds();
  const start = Date.now();
  process.stderr.write("… Install packages (npm ci)\n");
  mkdirSync(dirname(logFile), { recursive: true });
  const log = openSync(logFile, "w");
  let interrupted = null;
  const note = (signal) => {
    interrupted = signal;
  };
  for (const signal of signals) process.on(signal, note);
  try {
    const hash = wanted();
    rmSync(marker, { force: true });
    const npm = process.platform === "win32" ? "npm.cmd" : "npm";
    const code = await run(npm, ["ci", "--no-audit", "--no-fund"], {
      cwd: clone,
      stdio: ["ignore", log, log],
      onStart: (pid) => writeFileSync(pidFile, `${pid ?? 0}`),
    });
    if (interrupted !== null) throw new Interrupted(interrupted);
    if (code !== 0) {
      const next = "Check the network and npm's settings, then run the command again.";
      throw new Failure(`npm ci failed with exit code ${code}: ${npmErrors()}`, next);
    }
    const check = spawnSync(node, ["--version"], { encoding: "utf8" });
    if (check.status !== 0) {
      throw new Failure(
        `${node} does not run: ${check.error?.message ?? check.stderr}`,
        "Node 24 needs glibc 2.28 or newer on x64 or arm64. Use such a machine, or a container of node:24.",
      );
    }
    writeFileSync(marker, hash);
  } finally {
    for (const signal of signals) process.off(signal, note);
    closeSync(log);
    rmSync(pidFile, { force: true });
  }
  process.stderr.write(`✓ Install packages  ${((Date.now() - start) / 1000).toFixed(1)} s\n`);
};

const makeCurrent = async () => {
  if (current()) return;
  const release = await lock(`npm ci in ${clone}`, {
    onWait: () => process.stderr.write("  Waiting for another command that installs packages here\n"),
  });
  try {
    if (!current()) await install();
  } finally {
    await release();
  }
};

const main = async ([script, ...args]) => {
  if (script === undefined) throw new Error("Usage: node dev/start.mjs <script.ts> [arguments]");
  await makeCurrent();
  const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` };
  return run(node, [resolve(clone, script), ...args], { stdio: "inherit", env });
};

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const more = error instanceof Failure ? `\n  log:  ${logFile}\n  next: ${error.next}` : "";
  process.stderr.write(`${more === "" ? "" : "✗ "}${error.message}${more}\n`);
  process.exitCode = error.exitCode ?? 1;
}
