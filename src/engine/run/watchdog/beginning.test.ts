import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Endpoint } from "../../contract/index.ts";
import { watchBeginning } from "./beginning.ts";
import { awaited, noteReply, withoutReplyListener, withReplyListener } from "./replies.ts";

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
    noteReply();
  };
  await withReplyListener(copying.heard, async () => {
    for (let question = 0; question < 5; question++) {
      vi.advanceTimersByTime(9_000);
      await withReplyListener(dropping.heard, ask);
    }
    vi.advanceTimersByTime(9_000);
    await withoutReplyListener(ask);
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

test("a server that works on the answer gives it new time, one that does not has none", async () => {
  const endpoint = { engine: "mysql" } as Endpoint;
  let isAtWork = true;
  let asked = 0;
  const beginning = watchBeginning(never, 10, async (waiting) => {
    asked++;
    expect(waiting).toEqual([{ role: "source", endpoint, id: 7 }]);
    return isAtWork;
  });
  const forever = new Promise<void>(() => undefined);
  void beginning.hear(() => awaited({ role: "source", endpoint, id: 7 }, () => forever));
  await vi.advanceTimersByTimeAsync(60_000);
  expect(asked).toBeGreaterThan(10);
  expect(beginning.signal.aborted).toBe(false);
  isAtWork = false;
  await vi.advanceTimersByTimeAsync(13_000);
  expect(beginning.signal.reason).toMatchObject({ code: "stalled" });
});

test("nobody is asked while no session waits, and a look that fails is no sign of life", async () => {
  let asked = 0;
  const idle = watchBeginning(never, 10, async () => {
    asked++;
    return true;
  });
  await vi.advanceTimersByTimeAsync(10_000);
  expect([asked, idle.signal.aborted]).toEqual([0, true]);
  const failing = watchBeginning(never, 10, () => Promise.reject(new Error("refused")));
  const one = { role: "target" as const, endpoint: { engine: "postgres" } as Endpoint, id: 1 };
  void failing.hear(() => awaited(one, () => new Promise<void>(() => undefined)));
  await vi.advanceTimersByTimeAsync(10_000);
  expect(failing.signal.aborted).toBe(true);
});
