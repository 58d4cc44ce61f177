/** Above this size even one index is worth the server's own workers. */
const parallelBytes = 4 * 1024 ** 3;

/**
 * Statements that go before a CREATE INDEX in its transaction. The streams are the parallelism that was asked for: where a
 * table of `bytes` has as many `builds` as there are, the server starts no workers of its own beside them.
 */
export function indexSettings({ bytes, builds, jobs }: { bytes: number; builds: number; jobs: number }): string {
  const memory = `SELECT pg_catalog.set_config('maintenance_work_mem', '128MB', true)
    WHERE pg_catalog.pg_size_bytes(pg_catalog.current_setting('maintenance_work_mem')) < 134217728;\n`;
  const alone = builds >= jobs && bytes < parallelBytes;
  return alone ? `${memory}SET LOCAL max_parallel_maintenance_workers = 0;\n` : memory;
}
