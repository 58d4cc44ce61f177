import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { answered, hearAnswers, unheard } from "./answers.ts";
import { watchBeginning } from "./beginning.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const never = new AbortController().signal;

test("silence ends it, and what is heard gives it new time", () => {
  const beginning = watchBeginning(never, 10);
  vi.advanceTimersByTime(9_000);
  beginning.heard();
  vi.advanceTimersByTime(9_000);
  expect(beginning.signal.aborted).toBe(false);
  vi.advanceTimersByTime(1_000);
  expect(beginning.signal.reason).toMatchObject({ code: "stalled", retryable: true });
  expect(beginning.explain(new Error("cut"))).toBe(beginning.signal.reason);
});

test("each answer to what is asked gives it new time, but none to the watchdog's own questions", async () => {
  const [copying, dropping] = [watchBeginning(never, 10), watchBeginning(never, 10)];
  const other = watchBeginning(never, 10);
  const ask = async () => {
    await Promise.resolve();
    answered();
  };
  await hearAnswers(copying.heard, async () => {
    for (let question = 0; question < 5; question++) {
      vi.advanceTimersByTime(9_000);
      await hearAnswers(dropping.heard, ask);
    }
    vi.advanceTimersByTime(9_000);
    await unheard(ask);
    expect([copying, dropping, other].map(({ signal }) => signal.aborted)).toEqual([false, false, true]);
    vi.advanceTimersByTime(1_000);
  });
  expect([copying, dropping].map(({ signal }) => signal.aborted)).toEqual([true, true]);
});

test("it has no end once others watch, nor without a limit", () => {
  const over = watchBeginning(never, 10);
  over.over();
  over.heard();
  const unlimited = watchBeginning(never, 0);
  vi.advanceTimersByTime(10_000_000);
  expect([over.signal.aborted, unlimited.signal.aborted]).toEqual([false, false]);
});

test("an error of its own, and a stop that was asked for, are told as they are", () => {
  const stop = new AbortController();
  const beginning = watchBeginning(stop.signal, 10);
  const failed = new Error("failed");
  expect(beginning.explain(failed)).toBe(failed);
  stop.abort(new Error("stopped"));
  vi.advanceTimersByTime(20_000);
  expect(beginning.signal.reason).toMatchObject({ message: "stopped" });
  expect(beginning.explain(failed)).toBe(failed);
});
