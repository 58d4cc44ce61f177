import { expect, test } from "vitest";
import type { Migration } from "../../src/resources/migration.ts";
import type { Report, RunOutcome } from "../../src/worker/protocol.ts";
import { afterOutcome, afterReport } from "./report.ts";

const time = "2026-01-01T00:00:00.000Z";
const entry = (message: string, at = time) => ({ time: at, level: "info" as const, message });
const report = (log: Report["log"], extra: Partial<Report> = {}): Report => ({ log, ...extra });
const migration = (status: Migration["status"]) =>
  ({ metadata: { name: "shop", namespace: "team" }, spec: {}, status: { run: 2, ...status } }) as Migration;

test("the same entries get the same ids again, and entries of an earlier pod stay", () => {
  const first = afterReport(migration({}), report([entry("a"), entry("b")]));
  expect(first.log?.map(({ id }) => id)).toEqual(
    ["0002-0mjujhts0-w00", "0002-0mjujhts0-w01"].map(() => expect.stringMatching(/^0002-[0-9a-z]{9}-w0[01]$/)),
  );
  expect(new Set(first.log?.map(({ id }) => id)).size).toBe(2);
  const again = afterReport(migration({ log: first.log }), report([entry("a"), entry("b")]));
  expect(again.log).toEqual(first.log);
  const later = afterReport(migration({ log: first.log }), report([entry("c", "2026-01-01T00:00:01.000Z")]));
  expect(later.log?.map(({ message }) => message)).toEqual(["a", "b", "c"]);
});

test("the controller's entries are never the worker's to write, and at most thirty are kept", () => {
  const own = { id: "0002-0mfx3k2a1-c00", ...entry("controller") };
  const many = Array.from({ length: 40 }, (_value, index) => entry(`m${index}`, new Date(1e12 + index).toISOString()));
  const next = afterReport(migration({ log: [own] }), report(many));
  expect(next.log).toHaveLength(30);
  expect(next.log?.some(({ message }) => message === "controller")).toBe(false);
  expect(next.log?.at(-1)?.message).toBe("m39");
});

test("a report without a size keeps the size that was known", () => {
  expect(afterReport(migration({ size: 5000, type: "transfer" }), report([]))).toMatchObject({
    size: 5000,
    type: "transfer",
    columns: { size: "5.0 kB" },
  });
});

test("what was finished never shrinks", () => {
  expect(afterReport(migration({}), report([])).finished).toBeUndefined();
  const first = afterReport(migration({}), report([], { finished: 70 }));
  expect(first.finished).toBe(70);
  expect(afterReport(migration(first), report([], { finished: 0 })).finished).toBe(70);
  expect(afterReport(migration(first), report([])).finished).toBe(70);
  expect(afterReport(migration(first), report([], { finished: 90 })).finished).toBe(90);
});

test("an outcome has no time to wait, names its run, and its report only where one is stored", () => {
  const outcome: RunOutcome = {
    report: report([], {
      progress: {
        phase: "finished",
        percent: 100,
        etaSeconds: 5,
        rows: { done: 1, total: 1 },
        bytes: { done: 1, total: 1 },
        tables: { done: 1, total: 1 },
        table: [],
        updatedAt: time,
      },
    }),
    outcome: "completed",
    reason: "Verified",
    message: "ok",
    summary: { tables: 1, rows: 2, reported: 0 },
  };
  const stored = afterOutcome(migration({}), outcome, true, new Date(time));
  expect(stored).toMatchObject({
    result: { run: 2, outcome: "completed", reason: "Verified", finishedAt: time },
    report: { configMap: "shop-2-report", tables: 1, rows: 2, reported: 0 },
    columns: { progress: "100%" },
  });
  expect(stored.columns).not.toHaveProperty("eta");
  expect(afterOutcome(migration({}), outcome, false, new Date(time)).report).toBeUndefined();
});
