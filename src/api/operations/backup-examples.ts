import type { Backup, BackupRunView, OneRestore, OneRun, RestoreView } from "../../requests/backups/shapes.ts";

/** What the documentation shows of backups. */

const id = "5d2c7a1e-93f4-4a6b-8d0e-1f2a3b4c5d6e";
const runId = `${id}-203001310230`;

export const backupExample: Backup = {
  id,
  name: "Shop, nightly",
  status: "active",
  interval: null,
  cron: "30 2 * * *",
  time_zone: "Europe/Berlin",
  next_run_at: "2030-02-01T01:30:00.000Z",
  last_run: { id: runId, slot: "2030-01-31T02:30:00.000Z" },
  last_completed_run: { id: runId, slot: "2030-01-31T02:30:00.000Z" },
  missed: 0,
  start_deadline_seconds: 43_200,
  retention: { keep_last: null, daily: 7, weekly: 4, monthly: 12, yearly: null },
  storage: { kind: "installation", endpoint: null, region: null, bucket: null, prefix: null },
  recipients: null,
  verification: { policy: "weekly", max_age_days: 10 },
  last_verification: { run: runId, at: "2030-01-31T02:45:00.000Z", outcome: "verified" },
  deletion_policy: "keep",
  conditions: [
    {
      type: "ready",
      status: "true",
      reason: "scheduled",
      message: "The next run starts at 2030-02-01T01:30:00Z.",
      changed_at: "2030-01-01T12:00:00.000Z",
    },
  ],
  created_at: "2030-01-01T12:00:00.000Z",
};

export const createBackupExample = {
  database_url: "postgresql://reader:secret@db1.shop.internal/shop",
  name: "Shop, nightly",
  cron: "30 2 * * *",
  time_zone: "Europe/Berlin",
  retention: { daily: 7, weekly: 4, monthly: 12 },
};

export const createdBackupExample: Backup = {
  ...backupExample,
  next_run_at: null,
  last_run: null,
  last_completed_run: null,
  last_verification: null,
  conditions: [],
};

export const runExample: BackupRunView = {
  id: runId,
  backup: id,
  trigger: "schedule",
  slot: "2030-01-31T02:30:00.000Z",
  status: "completed",
  created_at: "2030-01-31T02:30:00.000Z",
  started_at: "2030-01-31T02:30:01.000Z",
  finished_at: "2030-01-31T02:34:20.000Z",
  tables: 16,
  rows: 47_271,
  queue_position: null,
  error: null,
  size: 823_000_000,
  stored: 96_400_000,
  engine: "PostgreSQL",
  server_version: "18.6",
  verification: {
    status: "verified",
    at: "2030-01-31T02:45:00.000Z",
    tables: 16,
    rows: 47_271,
    seconds: 214,
    message: null,
  },
};

export const newRunExample: BackupRunView = {
  ...runExample,
  id: `${id}-m0a1b2c3d4e5`,
  trigger: "manual",
  slot: null,
  status: "pending",
  started_at: null,
  finished_at: null,
  tables: null,
  rows: null,
  size: null,
  stored: null,
  engine: null,
  server_version: null,
  verification: { status: "not_requested", at: null, tables: null, rows: null, seconds: null, message: null },
};

const logs = [
  {
    id: "0001-0mfx3k2a1-w00",
    time: "2030-01-31T02:30:02.000Z",
    level: "info" as const,
    message: "Reading 16 tables of one snapshot.",
  },
];

export const oneRunExample: OneRun = {
  ...runExample,
  manifest_digest: "sha256:6f0b6e1f3c1e0c0c9f5d8f0a1b2c3d4e5f60718293a4b5c6d7e8f9a0b1c2d3e4",
  progress: null,
  logs,
};

export const restoreExample: RestoreView = {
  id: "9a3f0c7d-2b1e-4c8a-b5d6-7e8f90a1b2c3",
  backup: id,
  run: runId,
  allow_not_empty: false,
  convert: false,
  status: "pending",
  created_at: "2030-01-31T12:00:00.000Z",
  started_at: null,
  finished_at: null,
  tables: null,
  rows: null,
  queue_position: null,
  error: null,
};

export const oneRestoreExample: OneRestore = {
  ...restoreExample,
  status: "completed",
  started_at: "2030-01-31T12:00:01.000Z",
  finished_at: "2030-01-31T12:03:20.000Z",
  tables: 16,
  rows: 47_271,
  progress: null,
  logs: [],
};
