import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { Stopped, together } from "./together.ts";

const hour = 3_600_000;

test("the values come back in the order of the tasks", async () => {
  expect(await together(undefined, [async () => 1, async () => "two"])).toEqual([1, "two"]);
});

test("the first failure aborts the others, which are awaited", async () => {
  const ended: string[] = [];
  const slow = async (signal: AbortSignal) => {
    await sleep(hour, undefined, { signal }).catch(() => {});
    ended.push((signal.reason as Error).message);
    throw signal.reason;
  };
  const fails = () => Promise.reject(new Error("no packages"));
  await expect(together(undefined, [slow, fails, slow])).rejects.toThrow("no packages");
  expect(ended).toEqual(Array(2).fill("stopped, because another step failed"));
});

test("a task learns why it was stopped", async () => {
  let reason: unknown;
  const cause = new Error("no packages");
  const slow = (signal: AbortSignal) =>
    new Promise<void>((done) => {
      signal.addEventListener("abort", () => {
        reason = signal.reason;
        done();
      });
    });
  await expect(together(undefined, [slow, () => Promise.reject(cause)])).rejects.toBe(cause);
  expect(reason).toBeInstanceOf(Stopped);
  expect((reason as Stopped).cause).toBe(cause);
});

test("an interrupt is passed on and wins over what the tasks fail with", async () => {
  const outer = new AbortController();
  const slow = (signal: AbortSignal) => sleep(hour, undefined, { signal });
  const both = together(outer.signal, [slow, slow]);
  outer.abort(new Error("interrupted by SIGINT"));
  await expect(both).rejects.toThrow("interrupted by SIGINT");
});
