import type { Metric } from "../../controllers/runtime/health.ts";

/** The operator's own metrics, of one moment. */
export function operatorMetrics(now: {
  leading: boolean;
  migrations: number;
  queued: number;
  passes: number;
  failures: number;
}): Metric[] {
  const gauge = (name: string, help: string, value: number): Metric => ({ name, help, type: "gauge", value });
  const counter = (name: string, help: string, value: number): Metric => ({ name, help, type: "counter", value });
  return [
    gauge("rowferry_leader", "1 while this replica leads.", now.leading ? 1 : 0),
    gauge("rowferry_migrations", "Migrations in the cache.", now.migrations),
    gauge("rowferry_queue_length", "Keys that wait for a pass.", now.queued),
    counter("rowferry_passes_total", "Passes of the reconciler.", now.passes),
    counter("rowferry_failed_passes_total", "Passes that ended with an error.", now.failures),
    gauge("process_resident_memory_bytes", "Resident memory size in bytes.", process.memoryUsage.rss()),
  ];
}
