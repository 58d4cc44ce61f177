import { X509Certificate } from "node:crypto";
import { isWaiting } from "../../../controllers/migration/run.ts";
import { counter, gauge, type Metric } from "../../../controllers/runtime/health.ts";
import { type Migration, type MigrationState, migrationStateSchema } from "../../resources/migration.ts";

/** The operator's own metrics, of one moment. */
export function operatorMetrics(now: {
  leading: boolean;
  migrations: Iterable<Migration>;
  queued: number;
  passes: number;
  failures: number;
  /** Milliseconds since each cache last did anything. */
  ages: Record<string, number>;
  /** PEM, by what each is for. */
  certificates: Record<string, string>;
  /** ISO time's milliseconds. */
  time: number;
}): Metric[] {
  const states = new Map<MigrationState, number>(migrationStateSchema.options.map((state) => [state, 0]));
  let oldest = now.time;
  for (const migration of now.migrations) {
    const { state = "pending", queuedAt } = migration.status ?? {};
    states.set(state, (states.get(state) ?? 0) + 1);
    if (!isWaiting(migration)) continue;
    oldest = Math.min(oldest, Date.parse(queuedAt ?? migration.metadata.creationTimestamp));
  }
  return [
    gauge("rowferry_leader", "1 while this replica leads.", now.leading ? 1 : 0),
    ...[...states].map(([state, count]) =>
      gauge("rowferry_migrations", "Migrations in the cache, by state.", count, { state }),
    ),
    gauge(
      "rowferry_queue_oldest_seconds",
      "Seconds that the run has waited that waits longest; 0: none waits.",
      (now.time - oldest) / 1000,
    ),
    gauge("rowferry_queue_length", "Keys that wait for a pass.", now.queued),
    counter("rowferry_passes_total", "Passes of the reconciler.", now.passes),
    counter("rowferry_failed_passes_total", "Passes that ended with an error.", now.failures),
    ...Object.entries(now.ages).map(([cache, age]) =>
      gauge("rowferry_cache_age_seconds", "Seconds since a cache was last in touch with the API server.", age / 1000, {
        cache,
      }),
    ),
    ...Object.entries(now.certificates).map(([certificate, pem]) =>
      gauge(
        "rowferry_certificate_expiry_timestamp_seconds",
        "When a certificate ends, in seconds since 1970.",
        Date.parse(new X509Certificate(pem).validTo) / 1000,
        { certificate },
      ),
    ),
    gauge("process_resident_memory_bytes", "Resident memory size in bytes.", process.memoryUsage.rss()),
  ];
}
