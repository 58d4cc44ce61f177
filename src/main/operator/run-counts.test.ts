import { expect, test } from "vitest";
import { metricsText } from "../../../controllers/runtime/health.ts";
import { createRunCounts } from "./run-counts.ts";

test("runs are counted: how long they waited, what they copied, and why others failed", () => {
  const counts = createRunCounts();
  counts.started(1500);
  counts.started(-20);
  counts.ended({ failure: undefined, took: 60_000, bytes: 1000, rows: 7 });
  for (const failure of ["WrongPassword", "WrongPassword", "DiskFull"])
    counts.ended({ failure, took: 1, bytes: 5, rows: 5 });
  const text = metricsText(counts.metrics());
  for (const line of [
    "rowferry_runs_started_total 2",
    "rowferry_queue_wait_seconds_total 1.5",
    "rowferry_runs_completed_total 1",
    "rowferry_run_seconds_total 60",
    "rowferry_copied_bytes_total 1000",
    "rowferry_copied_rows_total 7",
    'rowferry_run_failures_total{reason="WrongPassword"} 2',
    'rowferry_run_failures_total{reason="DiskFull"} 1',
  ])
    expect(text.split("\n")).toContain(line);
});

test("reasons without end are counted as one", () => {
  const counts = createRunCounts();
  for (let at = 0; at < 1000; at += 1) counts.ended({ failure: `Reason${at}`, took: 1, bytes: 0, rows: 0 });
  const failures = counts.metrics().filter(({ name }) => name === "rowferry_run_failures_total");
  expect(failures).toHaveLength(201);
  expect(failures.find(({ labels }) => labels?.reason === "other")?.value).toBe(800);
});
