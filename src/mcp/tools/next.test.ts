import { expect, test } from "vitest";
import { optionsSchema } from "../../resources/options.ts";
import { nextOf, nextOfPage, pollAfter, sinceOf } from "./next.ts";

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
  ["it waits", "pending", null, 15],
  ["nobody knows its end", "in_progress", progress(null), 15],
  ["it ends in a moment", "in_progress", progress(12), 15],
  ["it ends in ten minutes", "in_progress", progress(600), 150],
  ["it ends tomorrow", "in_progress", progress(86_400), 600],
] as const)("a model waits for as long as is sensible where %s", (_what, status, how, seconds) => {
  const [since, now] = ["2030-01-01T00:00:00.000Z", new Date("2030-01-01T00:00:20.000Z")];
  expect(pollAfter({ status, progress: how, since }, now)).toBe(seconds);
});

test.each([
  ["in_progress", 144],
  ["pending", 144],
  ["awaiting_payment", 144],
] as const)("one that stands a day in %s takes a part of the day's 200 calls", (status, most) => {
  const created = Date.parse("2030-01-01T00:00:00.000Z");
  let [calls, at] = [0, created];
  for (; at < created + 86_400_000; calls += 1) {
    const one = { status, progress: progress(null), since: new Date(created).toISOString() };
    at += 1000 * (pollAfter(one, new Date(at)) ?? 0);
  }
  expect(calls).toBeGreaterThan(100);
  expect(calls).toBeLessThanOrEqual(most + 20);
});

const at = new Date("2030-01-01T00:00:00.000Z");
const dated = { run_started_at: null, created_at: at.toISOString(), attempt: 1, reset: 0 };
const ended = { id: "m1", report: null, progress: null, cost: 0, error: null, options: null, ...dated };

test.each([
  ["a first run that waits", {}, at.toISOString()],
  ["a first run", { run_started_at: "2030-01-01T01:00:00.000Z" }, "2030-01-01T01:00:00.000Z"],
  ["a retry that waits", { attempt: 2 }, null],
  ["a reset that waits", { reset: 1 }, null],
  ["a run after a reset", { reset: 1, run_started_at: "2030-01-05T00:00:00.000Z" }, "2030-01-05T00:00:00.000Z"],
])("a model's wait counts from the present run's own times, never from an earlier run's: %s", (_what, more, since) => {
  expect(sinceOf({ ...dated, ...more })).toBe(since);
});

const completed = { id: "m1", status: "completed" } as const;
const failed = { id: "m1", status: "failed" } as const;

test.each([
  ["an empty part of a report", completed, "verification", "The list is empty."],
  [
    "the report of a failed migration",
    failed,
    "warnings",
    "There is no report: no run of this migration has completed.",
  ],
  ["an empty log", failed, "log", "The list is empty."],
] as const)("an empty page says why it is empty: %s", (_what, one, list, words) => {
  expect(nextOfPage(one, { list, next_cursor: null, isEmpty: true })).toContain(words);
});

test("a page of a list names the call for the next page, with its cursor, and the last page says that it is the last", () => {
  const next = nextOfPage(completed, { list: "log", next_cursor: "c2" });
  expect(next).toBe("For the next page call get-migration-tool with id m1, list=log and cursor=c2.");
  expect(nextOfPage(completed, { list: "log", next_cursor: null })).toContain("last page");
});

test.each([
  ["c2", "For the rest call get-migration-tool with id m1, list=not_copied and cursor=c2."],
  [null, "from `untrusted`."],
])("a copy that lost objects names the call for the rest only where there is more: cursor %s", (cursor, words) => {
  const report = { tables: 3, rows: 9, reported: 25 };
  const next = nextOf({ ...ended, status: "completed", report }, at, { takesPayments: true, cursor });
  expect(next.endsWith(words)).toBe(true);
});

test.each([
  [0, "It is completed and verified by row counts; values were not compared."],
  [1, "not compared. 1 source object was not copied or was changed:"],
  [12, "not compared. 12 source objects were not copied or were changed:"],
])("what a verified copy lacks is part of what comes next: %s objects", (reported, words) => {
  const report = { tables: 3, rows: 9, reported };
  expect(nextOf({ ...ended, status: "completed", report }, at, { takesPayments: true })).toContain(words);
});

test.each([
  [0, /compared\.$/],
  [1, /The report has 1 warning: call get-migration-tool with id m1 and list=warnings,/],
  [22, /The report has 22 warnings: call/],
])("a verified copy with %d warnings says how to read them", (warnings, words) => {
  expect(nextOf({ ...ended, status: "completed" }, at, { takesPayments: true, warnings })).toMatch(words);
});

test.each([
  ["failed", 0, true, "The failed run is not charged."],
  ["failed", 5, true, "cost is the amount of an earlier charge"],
  ["awaiting_payment", 0, true, "checkout link"],
  ["awaiting_payment", 0, false, "takes no payments any more"],
] as const)("what comes next after %s with cost %d", (status, cost, takesPayments, words) => {
  expect(nextOf({ ...ended, status, cost }, at, { takesPayments })).toContain(words);
});

test.each([
  ["a lost connection", "connection_lost", true, "call retry-migration-tool"],
  ["a wrong password", "access_denied", false, "The same run would fail again"],
  ["a source that outgrew its price", "source_over_quote", false, "prepare another migration"],
])("a model is advised to retry after a failure only where that can help: %s", (_what, code, retryable, words) => {
  const error = { code, message: "It failed.", retryable };
  const next = nextOf({ ...ended, status: "failed", error }, at, { takesPayments: true });
  expect(next).toContain(words);
  expect(next.includes("was perhaps temporary")).toBe(retryable);
});

test.each([
  ["access_denied", /pass source_url and target_url/, /call reset-migration-tool/],
  [
    "zero_date",
    /delete m1.*prepare one with that option into a new, empty database/,
    /source_url|call reset-migration-tool/,
  ],
  ["dependents_exist", /call retry-migration-tool/, /source_url|call reset-migration-tool/],
  ["duplicate_key", /call reset-migration-tool/, /source_url/],
])("after a failure only what can work is advised: %s", (code, words, not) => {
  const error = { code, message: "It failed.", retryable: false };
  const next = nextOf({ ...ended, status: "failed", error }, at, { takesPayments: true });
  expect(next).toMatch(words);
  expect(next).not.toMatch(not);
});

test("a completed copy says how it was verified, and that it dropped tables of the target", () => {
  const options = optionsSchema.parse({ verify: "checksum", drop: ["orders"] });
  const next = nextOf({ ...ended, status: "completed", options }, at, { takesPayments: true });
  expect(next).toContain("verified by row counts and by checksums of the values.");
  expect(next).toContain("options.drop names were dropped with all their rows");
});

test("the price that awaits a payment is part of what comes next", () => {
  const next = nextOf({ ...ended, status: "awaiting_payment" }, at, { takesPayments: true, amount: "5 USD" });
  expect(next).toContain("authorize the payment of 5 USD at the checkout link");
});
