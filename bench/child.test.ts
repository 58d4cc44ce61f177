import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { expect, onTestFinished, test } from "vitest";
import { runChild } from "./child.ts";

const never = new AbortController().signal;
/** Prints its own process id and that of a child, which hold the output open until they are ended. */
const hanging = ["-c", "sleep 1000 & echo $$ $! >&2; wait"];
const isThere = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
const gone = (pids: readonly number[]) => expect.poll(() => pids.filter(isThere)).toEqual([]);

test("a program's output, last words and exit code are known", async () => {
  const ended = await runChild("sh", ["-c", "cat; echo why >&2; exit 3"], { input: "told", signal: never });
  expect(ended).toMatchObject({ code: 3, output: "told", words: "why\n" });
});

test("an abort ends the program with what it started, and what watches it", async () => {
  const abort = new AbortController();
  const reason = new Error("interrupted");
  let pids: number[] = [];
  let watching = 0;
  const running = runChild(
    "sh",
    hanging,
    {
      signal: abort.signal,
      log(said) {
        pids = said.trim().split(" ").map(Number);
        abort.abort(reason);
      },
    },
    () => {
      watching++;
      return () => watching--;
    },
  );
  await expect(running).rejects.toBe(reason);
  expect(watching).toBe(0);
  expect(pids).toHaveLength(2);
  await gone(pids);
});

test("a program that cannot be started is an error, and is not watched", async () => {
  let watching = 0;
  const running = runChild("/nowhere/program", [], { signal: never }, () => {
    watching++;
    return () => watching--;
  });
  await expect(running).rejects.toMatchObject({ code: "ENOENT" });
  expect(watching).toBe(0);
});

test("a command that is interrupted while its program works ends by itself", async () => {
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url).href);
  const script = `
    import { runCommand } from ${at("../dev/terminal/command.ts")};
    import { runChild } from ${at("./child.ts")};
    import { createMemoryWatch } from ${at("./tables/memory.ts")};
    const log = (text) => console.log(text);
    await runCommand({ name: "bench", about: "", options: {} }, ({ signal }) =>
      runChild("sh", ${JSON.stringify(hanging)}, { signal, log }, createMemoryWatch().watch));
  `;
  const command = spawn(process.execPath, ["--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const closed = once(command, "close");
  onTestFinished(() => void command.kill("SIGKILL"));
  const [line] = (await once(createInterface(command.stdout), "line")) as [string];
  command.kill("SIGINT");
  expect((await closed)[0]).toBe(130);
  await gone(line.split(" ").map(Number));
});
