import { spawn } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { isAlive, mark } from "../local/processes.ts";
import { startDaemon } from "./daemon.ts";
import { spawnHeld } from "./held.ts";

// Each starts programs, on a machine that may be busy.
vi.setConfig({ testTimeout: 30_000 });

let folder: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "rowferry-held-"));
});

afterEach(() => rmSync(folder, { recursive: true, force: true }));

const open = (): number => openSync(join(folder, "log"), "a");
const said = (): string => readFileSync(join(folder, "log"), "utf8");

test("the program runs under the number that was written down, with its words as they are", async () => {
  const output = open();
  const { child, release } = spawnHeld(["/bin/sh", "-c", 'echo $$ "$1" "$2"', "sh", "a  b", "$c"], {
    cwd: folder,
    output,
  });
  closeSync(output);
  expect(mark(child.pid ?? 0)?.pid).toBe(child.pid);
  release();
  await expect.poll(said).toBe(`${child.pid} a  b $c\n`);
});

test("a program that was dropped never runs", async () => {
  const output = open();
  const { child, drop } = spawnHeld(["/bin/sh", "-c", "echo runs"], { cwd: folder, output });
  closeSync(output);
  drop();
  await new Promise((done) => child.once("exit", done));
  expect(said()).toBe("");
});

test("a program whose starter is killed before it was written down never runs", async () => {
  const words = `import { openSync } from "node:fs";
    import { spawnHeld } from ${JSON.stringify(join(import.meta.dirname, "held.ts"))};
    const held = spawnHeld(["/bin/sh", "-c", "echo runs"], { cwd: ".", output: openSync("log", "a") });
    console.log(held.child.pid);
    process.kill(process.pid, "SIGKILL");`;
  const starter = spawn(process.execPath, ["--input-type=module-typescript", "-e", words], { cwd: folder });
  let pid = "";
  starter.stdout.setEncoding("utf8").on("data", (text: string) => {
    pid += text;
  });
  await new Promise((done) => starter.once("close", done));
  expect(Number(pid)).toBeGreaterThan(1);
  await expect.poll(() => mark(Number(pid))).toBeNull();
  expect(said()).toBe("");
});

test("a daemon that cannot be written down is ended", async () => {
  let pid = 0;
  const full = (): void => {
    throw new Error("ENOSPC: no space left on device");
  };
  const started = startDaemon(folder, { name: "one", program: "/bin/sh", args: ["-c", "echo runs"] }, (found) => {
    pid = found.pid;
    full();
  });
  await expect(started).rejects.toThrow("no space left");
  await expect.poll(() => mark(pid)).toBeNull();
  expect(readFileSync(join(folder, "one.log"), "utf8")).toBe("");
});

test("a daemon is written down before it runs", async () => {
  const found = await startDaemon(
    folder,
    { name: "one", program: "/bin/sh", args: ["-c", "echo $$; sleep 60"] },
    () => {
      expect(readFileSync(join(folder, "one.log"), "utf8")).toBe("");
    },
  );
  await expect.poll(() => readFileSync(join(folder, "one.log"), "utf8")).toBe(`${found.pid}\n`);
  process.kill(-found.pid, "SIGKILL");
  await expect.poll(() => isAlive(found)).toBe(false);
});
