import { expect, test, vi } from "vitest";
import { createThrottle } from "./throttle.ts";

test("without a limit nothing waits", () => {
  const throttle = createThrottle(undefined, { now: () => 0, signal: new AbortController().signal });
  expect(throttle.take(1e12)).toBeUndefined();
});

test("what is above the limit waits until it is paid for, over all streams", async () => {
  vi.useFakeTimers({ now: 0 });
  try {
    const throttle = createThrottle(1000, { now: () => Date.now(), signal: new AbortController().signal });
    expect(throttle.take(250)).toBeUndefined();
    let done = 0;
    const first = throttle.take(500)?.then(() => (done = Date.now()));
    const second = throttle.take(500)?.then(() => Date.now());
    await vi.advanceTimersByTimeAsync(2000);
    await first;
    expect(done).toBe(500);
    expect(await second).toBe(1000);
  } finally {
    vi.useRealTimers();
  }
});

test("an aborted copy does not wait", async () => {
  const stop = new AbortController();
  const throttle = createThrottle(1, { now: () => 0, signal: stop.signal });
  const waiting = throttle.take(1e9);
  stop.abort();
  await waiting;
  expect(throttle.take(1e9)).toBeUndefined();
});
