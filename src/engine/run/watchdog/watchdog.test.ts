import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { statementKind } from "./diagnose.ts";
import { createWatchdog, type Diagnosis } from "./watchdog.ts";

const idle: Diagnosis = { working: false, mark: "same", causes: [] };

function watch(answers: (() => Promise<Diagnosis>)[], stallTimeout?: number) {
  const state = { moved: 0, failures: [] as Error[], asked: 0 };
  const watchdog = createWatchdog({
    progress: () => state.moved,
    diagnose: answers.map((answer) => () => {
      state.asked++;
      return answer();
    }),
    stallTimeout,
    fail: (error) => state.failures.push(error),
    now: () => Date.now(),
  });
  return { state, watchdog };
}

describe("the watchdog", () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("ends a run that has moved nothing for the given time, with the likeliest cause first", async () => {
    const { state } = watch(
      [
        async () => ({ ...idle, causes: [{ kind: "client", words: "the source waits for us" }] }),
        async () => ({ ...idle, causes: [{ kind: "lock", words: "the target waits for bob" }] }),
      ],
      60,
    );
    await vi.advanceTimersByTimeAsync(59_000);
    expect(state.failures).toEqual([]);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(state.failures).toMatchObject([{ code: "stalled", retryable: true }]);
    expect(state.failures[0]?.message).toMatch(/nothing has moved for \d+ s: the target waits for bob\. /);
  });

  it("asks nobody as long as something moves", async () => {
    const { state } = watch([async () => idle], 60);
    for (let at = 0; at < 200; at++) {
      state.moved++;
      await vi.advanceTimersByTimeAsync(5_000);
    }
    expect(state).toMatchObject({ failures: [], asked: 0 });
  });

  it("counts what a server does for the run, and what its counters say, as progress", async () => {
    let count = 0;
    const { state } = watch([async () => ({ ...idle, mark: String(++count) })], 60);
    const { state: working } = watch([async () => ({ ...idle, working: true })], 60);
    await vi.advanceTimersByTimeAsync(600_000);
    expect([state.failures, working.failures]).toEqual([[], []]);
  });

  it("says so when a server does not answer, and that a full disk needs a person", async () => {
    const { state } = watch([() => Promise.reject(new Error("no answer"))], 10);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(state.failures[0]?.message).toContain("a server does not answer: no answer");
    const { state: full } = watch([async () => ({ ...idle, causes: [{ kind: "disk", words: "no room" }] })], 10);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(full.failures).toMatchObject([{ retryable: false }]);
  });

  it("never ends a run for whom 0 was given, or that was stopped", async () => {
    const { state } = watch([async () => idle], 0);
    const { state: ended, watchdog } = watch([async () => idle], 10);
    watchdog.stop();
    await vi.advanceTimersByTimeAsync(10_000_000);
    expect([state.failures, ended.failures]).toEqual([[], []]);
  });
});

describe("the kind of a statement", () => {
  it.each([
    ["UPDATE people SET name = 'secret'", "UPDATE"],
    ["  alter table x add y int", "ALTER TABLE"],
    ["SET LOCAL a = 'x'; SET LOCAL b = off;\nCREATE UNIQUE INDEX i ON t (x)", "CREATE INDEX"],
    ["'secret'", "an unknown statement"],
    [null, "an unknown statement"],
  ])("is told of %j without its values", (query, kind) => {
    expect(statementKind(query)).toBe(kind);
  });
});
