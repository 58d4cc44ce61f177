import { counter, type Metric } from "../../../controllers/runtime/health.ts";

/** What a process counts of runs while it leads, since it started. */
interface RunCounts {
  /** Milliseconds that it waited for its Job. */
  started(waited: number): void;
  ended(run: EndedRun): void;
  metrics(): Metric[];
}

interface EndedRun {
  /** The reason of a run that failed; undefined: it was completed. */
  failure: string | undefined;
  /** Milliseconds since the first run's Job was made. */
  took: number;
  bytes: number;
  rows: number;
}

/** Reasons are named by code, so that there are few; what is beyond goes to `other`. */
const mostReasons = 200;

export function createRunCounts(): RunCounts {
  const failures = new Map<string, number>();
  const sums = { started: 0, waited: 0, completed: 0, took: 0, bytes: 0, rows: 0 };
  return {
    started(waited) {
      sums.started += 1;
      sums.waited += Math.max(0, waited) / 1000;
    },
    ended({ failure, took, bytes, rows }) {
      if (failure !== undefined) {
        const reason = failures.has(failure) || failures.size < mostReasons ? failure : "other";
        failures.set(reason, (failures.get(reason) ?? 0) + 1);
        return;
      }
      sums.completed += 1;
      sums.took += Math.max(0, took) / 1000;
      sums.bytes += bytes;
      sums.rows += rows;
    },
    metrics() {
      return [
        counter("rowferry_runs_started_total", "Runs of Migrations that were given a Job.", sums.started),
        counter("rowferry_queue_wait_seconds_total", "Seconds that those runs waited before.", sums.waited),
        counter("rowferry_runs_completed_total", "Runs that were completed.", sums.completed),
        counter("rowferry_run_seconds_total", "Seconds that the completed ones took.", sums.took),
        counter("rowferry_copied_bytes_total", "Bytes of the sources of completed runs.", sums.bytes),
        counter("rowferry_copied_rows_total", "Rows that completed runs copied.", sums.rows),
        ...[...failures].map(([reason, value]) =>
          counter("rowferry_run_failures_total", "Runs that failed, by the condition's reason.", value, { reason }),
        ),
      ];
    },
  };
}
