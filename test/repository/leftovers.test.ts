import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { join } from "node:path";
import { expect, it } from "vitest";
import { endLeftovers, leftovers, marked, runVariable } from "../leftovers.ts";

it("finds a process that a test run left, in whatever group it is, and ends it even if it ignores SIGTERM", async () => {
  const run = randomUUID();
  const script = "trap '' TERM; echo ready; while true; do sleep 0.1; done";
  const child = spawn("bash", ["-c", script], {
    detached: true,
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, [runVariable]: run },
  });
  const ended = new Promise((resolve) => child.once("exit", (_code, signal) => resolve(signal)));
  await new Promise((resolve) => child.stdout.once("data", resolve));

  expect(leftovers(run).map(({ pid }) => pid)).toContain(child.pid);
  await endLeftovers(run, 200);
  expect(await ended).toBe("SIGKILL");
  expect(leftovers(run)).toEqual([]);
});

it("finds a process that gave itself another environment, another session and, as root, namespaces of its own", async () => {
  const run = randomUUID();
  const isolated = process.getuid?.() === 0 ? ["unshare", "--mount", "--pid", "--ipc", "--fork", "--kill-child"] : [];
  const [program = "", ...args] = marked(run, [
    "env",
    "-i",
    `PATH=${process.env["PATH"]}`,
    "setsid",
    ...isolated,
    "cat",
  ]);
  const child = spawn(program, args, { stdio: ["pipe", "pipe", "ignore"] });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.stdin.write("ready");
  await new Promise((resolve) => child.stdout.once("data", resolve));

  expect(leftovers(run).map(({ command }) => command)).toContain("cat");
  expect(leftovers(`${run}-job`)).toEqual([]);
  await endLeftovers(run, 200);
  await ended;
  expect(leftovers(run)).toEqual([]);
});

it("finds what a process started that has the mark itself, as the pool of servers does", async () => {
  const run = randomUUID();
  const leftoversFile = join(import.meta.dirname, "../leftovers.ts");
  const script = `
    const { markThis } = await import(${JSON.stringify(leftoversFile)});
    markThis("${run}");
    const { spawn } = await import("node:child_process");
    const child = spawn("cat", { detached: true, env: {}, stdio: ["pipe", "pipe", "ignore"] });
    child.stdout.once("data", () => console.log("ready"));
    child.stdin.write("x");`;
  const child = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    env: { PATH: process.env["PATH"] },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.once("exit", resolve));
  await new Promise((resolve) => child.stdout.once("data", resolve));
  expect(leftovers(run).map(({ command }) => command)).toContain("cat");
  await endLeftovers(run, 200);
  await ended;
  expect(leftovers(run)).toEqual([]);
});

it("leaves the processes of other runs alone", () => {
  expect(leftovers(randomUUID())).toEqual([]);
});
