import { expect, test } from "vitest";
import { nextOf, pollAfter } from "./migrations.ts";

const progress = (eta_seconds: number | null) => ({
  phase: "copying" as const,
  percent: 10,
  rows: { done: 1, total: 10 },
  bytes: { done: 1, total: 10 },
  tables: { done: 0, total: 1 },
  eta_seconds,
  current: [],
  updated_at: "2030-01-01T00:00:00.000Z",
});

test.each([
  ["it has ended well", "completed", null, null],
  ["it has failed", "failed", null, null],
  ["a human must act", "awaiting_payment", null, 60],
  ["it waits", "pending", null, 10],
  ["nobody knows its end", "in_progress", progress(null), 10],
  ["it ends in a moment", "in_progress", progress(12), 10],
  ["it ends in ten minutes", "in_progress", progress(600), 150],
  ["it ends tomorrow", "in_progress", progress(86_400), 600],
] as const)("a model waits for as long as is sensible where %s", (_what, status, how, seconds) => {
  const [created_at, now] = ["2030-01-01T00:00:00.000Z", new Date("2030-01-01T00:00:20.000Z")];
  expect(pollAfter({ status, progress: how, started_at: null, created_at }, now)).toBe(seconds);
});

test.each([
  ["in_progress", 144],
  ["pending", 144],
  ["awaiting_payment", 144],
] as const)("one that stands a day in %s takes a part of the day's 200 calls", (status, most) => {
  const created = Date.parse("2030-01-01T00:00:00.000Z");
  let [calls, at] = [0, created];
  for (; at < created + 86_400_000; calls += 1) {
    const one = { status, progress: progress(null), started_at: null, created_at: new Date(created).toISOString() };
    at += 1000 * (pollAfter(one, new Date(at)) ?? 0);
  }
  expect(calls).toBeGreaterThan(100);
  expect(calls).toBeLessThanOrEqual(most + 20);
});

const at = new Date("2030-01-01T00:00:00.000Z");
const ended = { report: null, progress: null, started_at: null, created_at: at.toISOString(), cost: 0, error: null };

test.each([
  [0, "It is completed and verified."],
  [1, "It is completed and verified. 1 source object was not copied or changed"],
  [12, "It is completed and verified. 12 source objects were not copied or changed"],
])("what a verified copy lacks is part of what comes next: %s objects", (reported, words) => {
  const report = { tables: 3, rows: 9, reported };
  expect(nextOf({ ...ended, status: "completed", report }, at, true)).toContain(words);
});

test.each([
  ["failed", 0, true, "It is not charged."],
  ["failed", 5, true, "cost is the amount of an earlier charge"],
  ["awaiting_payment", 0, true, "checkout link"],
  ["awaiting_payment", 0, false, "takes no payments any more"],
] as const)("what comes next after %s with cost %d", (status, cost, takesPayments, words) => {
  expect(nextOf({ ...ended, status, cost }, at, takesPayments)).toContain(words);
});

test.each([
  ["a lost connection", "connection_lost", true, "call retry-migration-tool"],
  ["a wrong password", "access_denied", false, "The same run would fail again"],
  ["a source that outgrew its price", "source_over_quote", false, "prepare another migration"],
])("a model is advised to retry after a failure only where that can help: %s", (_what, code, retryable, words) => {
  const error = { code, message: "It failed.", retryable };
  const next = nextOf({ ...ended, status: "failed", error }, at, true);
  expect(next).toContain(words);
  expect(next.includes("may have passed by itself")).toBe(retryable);
});
