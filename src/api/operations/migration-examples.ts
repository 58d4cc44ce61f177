import type * as z from "zod";
import type { reportSchema } from "../../engine/report/schema.ts";
import type { ConnectionResponse, EstimateView, Preflight } from "../../requests/migrations/probe/probe-shapes.ts";
import type { Acted, Created, logsSchema, MigrationListItem, One } from "../../requests/migrations/view/shapes.ts";

/** What the documentation shows of migrations. */

const id = "0f8b1d5e-6f0e-4f57-9a55-4a0c0a6d1c11";

export const pairExample = {
  source_url: "mysql://reader:secret@db1.shop.internal/shop",
  target_url: "postgresql://writer:secret@db2.shop.internal/shop",
};

const pending: MigrationListItem = {
  id,
  name: id,
  status: "pending",
  type: "conversion",
  size: null,
  cost: 0,
  amount_due: null,
  currency: "USD",
  created_at: "2030-01-31T12:00:00.000Z",
};

export const listedExample: MigrationListItem = { ...pending, status: "completed", size: 823_000_000 };

export const createdExample: Created = {
  message: "The migration has started: poll it until its status is completed or failed.",
  migration: pending,
  covered_by_plan: true,
};

export const logsExample: z.output<typeof logsSchema> = {
  data: [
    {
      id: "0001-0mfx3k2a1-c00",
      time: "2030-01-31T12:00:01.000Z",
      level: "info",
      message: "Run 1 started: Job 0f8b1d5e-6f0e-4f57-9a55-4a0c0a6d1c11-1.",
    },
  ],
  next_cursor: null,
};

export const oneExample: One = {
  ...listedExample,
  attempt: 1,
  reset: 0,
  queue_position: null,
  started_at: "2030-01-31T12:00:01.000Z",
  run_started_at: "2030-01-31T12:00:01.000Z",
  finished_at: "2030-01-31T12:03:20.000Z",
  progress: null,
  error: null,
  report: { tables: 16, rows: 47_271, reported: 0 },
  options: {
    jobs: 2,
    content: "all",
    verify: "counts",
    definers: "keep",
    zero_dates: "null",
    statement_timeout: 0,
    source_locks: "auto",
    on_object_error: "report",
    blocking_timeout: 30,
    stall_timeout: 600,
  },
  logs: logsExample.data,
};

export const reportExample: z.input<typeof reportSchema> = {
  type: "conversion",
  source: { engine: "mysql", version: "9.7.1" },
  target: { engine: "postgres", version: "18.6" },
  started_at: "2030-01-31T12:00:02.000Z",
  finished_at: "2030-01-31T12:03:20.000Z",
  size: 823_000_000,
  tables: [{ source: "shop.orders", target: "public.orders", rows: { source: 47_271, target: 47_271 } }],
  inventory: [{ kind: "table", name: "shop.orders", outcome: "converted", note: "tinyint(1) as boolean" }],
  warnings: [],
  made: [{ kind: "table", name: ["public", "orders"] }],
};

export const actedExample = (message: string): Acted => ({ message, migration: pending });

export const payableExample = (message: string): Acted => ({
  message,
  migration: { ...pending, status: "awaiting_payment", amount_due: 5 },
});

export const estimateExample: EstimateView = {
  estimate_id: "est_eyJzaXplIjo4MjMwMDAwMDB9.m3vQx1bq7o8Zr9yGm2kXc0dT5uHnLw4sPaEiVfJtRy8",
  amount: 0,
  currency: "USD",
  lines: [],
  size: 823_000_000,
  type: "conversion",
  free_eligible: false,
  covered_by_plan: true,
  expires_at: "2030-02-01T12:00:00.000Z",
};

export const preflightExample: Preflight = {
  ready: true,
  estimate: {
    ...estimateExample,
    seconds: { least: 12, most: 40 },
    basis:
      "Assumed: 97 MB/s and 8 ms per table, up to twice as fast or three times as slow. Measured: 210 MB/s from the source, 2.5 MB/s to the target, round trips of 0.4 ms (source) and 0.6 ms (target).",
  },
  free_eligible: false,
  covered_by_plan: true,
  estimate_id: estimateExample.estimate_id,
  amount: 0,
  currency: "USD",
  type: "conversion",
  size: 823_000_000,
  source: { reachable: true, engine: "MySQL", version: "9.7.1", latency_ms: 0.4, tables: 16, rows: 47_271 },
  target: {
    reachable: true,
    engine: "PostgreSQL",
    version: "18.6",
    latency_ms: 0.5,
    empty: true,
    free_space: null,
    drops: null,
  },
  reasons: [],
  findings: [],
  counts: { blockers: 0, warnings: 0, notes: 0, copied: 3, converted: 40, reported: 0, reported_kinds: {} },
};

export const connectionExample: ConnectionResponse = {
  reachable: true,
  engine: "PostgreSQL",
  version: "18.6",
  tls: true,
  latency_ms: 0.5,
  reasons: [],
};
