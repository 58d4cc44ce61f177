import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { openTerminal } from "./index.ts";
import { CommandError, run } from "./run.ts";
import { together } from "./together.ts";

const node = process.execPath;

test("input goes in, output comes back, and both outputs reach the log", async () => {
  const log: string[] = [];
  const words = "process.stdin.pipe(process.stdout); console.error('careful')";
  const { stdout, stderr } = await run(node, ["-e", words], { input: "rows", log: (text) => log.push(text) });
  expect({ stdout, stderr }).toEqual({ stdout: "rows", stderr: "careful\n" });
  expect(log.join("")).toContain("rows");
  expect(log.join("")).toContain("careful");
});

test("a failure says what the program said, and with which code it ended", async () => {
  const failure = await run(node, ["-e", "console.error('no such table'); process.exit(3)"]).catch((error) => error);
  expect(failure).toBeInstanceOf(CommandError);
  expect(failure).toMatchObject({ code: 3, message: expect.stringContaining("no such table") });
  await expect(run("/nowhere/program", [])).rejects.toMatchObject({ code: null, message: /could not be started/ });
});

test("an abort ends the program and what it started", async () => {
  const abort = new AbortController();
  let child = 0;
  const words = `const c = require("child_process").spawn("sleep", ["60"]); console.log(c.pid); setInterval(() => {}, 1000)`;
  const log = (text: string): void => {
    if (!/^\d+\n$/.test(text)) return;
    child = Number(text);
    abort.abort();
  };
  await expect(run(node, ["-e", words], { signal: abort.signal, log })).rejects.toThrow("was interrupted");
  await expect.poll(() => alive(child)).toBe(false);
});

const alive = (pid: number): boolean => {
  try {
    return !readFileSync(`/proc/${pid}/stat`, "utf8").includes(") Z ");
  } catch {
    return false;
  }
};

test("a program that takes too long is ended", async () => {
  await expect(run("sleep", ["60"], { timeoutMs: 50 })).rejects.toThrow("took longer than 50 ms");
});

const screenOf = (folder: string) => {
  let text = "";
  const add = (more: string): boolean => {
    text += more;
    return true;
  };
  const output = { isTTY: false, columns: 80, write: add };
  const logFile = join(folder, "log");
  const terminal = openTerminal({
    name: "test",
    output: output as unknown as NodeJS.WriteStream,
    logFile,
    now: () => 0,
  });
  return { terminal, logFile, shown: () => text };
};

test("a failed step is shown once, and the last lines repeat the cause, the log and the next step", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-terminal-"));
  const { terminal, logFile, shown } = screenOf(folder);
  const failing = terminal.step("outer", () => terminal.step("inner", () => Promise.reject(new Error("it broke"))));
  terminal.fail(await failing.catch((error: unknown) => error), "Fix it.");
  expect(shown()).toBe(
    `✗ inner  0.0 s\n  it broke\n✗ outer  0.0 s\n\n✗ test: it broke\n  log:  ${logFile}\n  next: Fix it.\n`,
  );
  expect(readFileSync(logFile, "utf8")).toContain("it broke");
  rmSync(folder, { recursive: true });
});

test("a step that was only stopped is not shown as the failure", async () => {
  const folder = mkdtempSync(join(tmpdir(), "rowferry-terminal-"));
  const { terminal, shown } = screenOf(folder);
  const build = (signal: AbortSignal) => terminal.step("build", () => run("sleep", ["60"], { signal }));
  const install = () => terminal.step("install", () => Promise.reject(new Error("no packages")));
  await expect(together(undefined, [build, install])).rejects.toThrow("no packages");
  expect(shown()).toBe("✗ install  0.0 s\n  no packages\n– build: stopped  0.0 s\n");
  rmSync(folder, { recursive: true });
});

test("a log on a full disk is named once and ends nothing", async () => {
  let shown = "";
  const write = (text: string): boolean => {
    shown += text;
    return true;
  };
  const output = { isTTY: false, columns: 80, write } as unknown as NodeJS.WriteStream;
  const terminal = openTerminal({ name: "test", output, logFile: "/dev/full", now: () => 0 });
  const { stdout } = await terminal.step("work", (step) => run("echo", ["done"], { log: step.log }));
  expect(stdout).toBe("done\n");
  expect(shown.match(/The log cannot be written: ENOSPC/g)).toHaveLength(1);
  expect(shown).toContain("✓ work");
});

test("an abort ends grandchildren that ignore SIGTERM, also when their parent has ended", async () => {
  const abort = new AbortController();
  let grandchild = 0;
  // The leader ends at SIGTERM; what it started goes on until SIGKILL.
  const words = `const c = require("child_process").spawn("sh", ["-c", "trap '' TERM; echo $$; while :; do sleep 0.1; done"],
      { stdio: ["ignore", "inherit", "inherit"] }); setInterval(() => {}, 1000)`;
  const log = (text: string): void => {
    if (!/^\d+\n$/.test(text)) return;
    grandchild = Number(text);
    abort.abort();
  };
  await expect(run(node, ["-e", words], { signal: abort.signal, log, graceMs: 200 })).rejects.toThrow(
    "was interrupted",
  );
  expect(grandchild).toBeGreaterThan(1);
  await expect.poll(() => alive(grandchild)).toBe(false);
});
