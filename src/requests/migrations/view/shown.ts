import { inUnits } from "../../../billing/money.ts";
import { withoutOwnAddress } from "../../../guard/own-address.ts";
import { clean } from "../../../guard/text.ts";
import type { LogEntry, Migration, MigrationState } from "../../../resources/migration.ts";
import { optionsSchema } from "../../../resources/options.ts";
import { dueRun, isPaid } from "../../../resources/run.ts";
import { runTypeOf } from "../../../resources/run-type.ts";
import { quotedSize } from "../keys/estimate-token.ts";
import { publicId } from "../keys/id.ts";
import { marks } from "./marks.ts";
import { withoutOtherRuns } from "./other-runs.ts";
import type { MigrationListItem, One } from "./shapes.ts";

/**
 * What the API shows of a Migration: a pure function of the object. Names and sentences that came from databases have no
 * control characters any more.
 */

type Seen = Pick<Migration, "metadata" | "spec" | "status">;

/** The run that is due has not begun: what the status says is of an earlier one. */
const isComing = (migration: Seen): boolean => dueRun(migration).why !== "present";

/** The state that is coming where the spec is ahead of the status, never the old `failed`; undefined while it is being deleted. */
export function shownState(migration: Seen): MigrationState | undefined {
  if (migration.metadata.deletionTimestamp !== undefined) return undefined;
  if (isComing(migration)) return isPaid(migration) ? "pending" : "awaiting_payment";
  return migration.status?.state ?? "pending";
}

type Stamped = Pick<Migration["metadata"], "creationTimestamp" | "annotations">;

/** When it was created, to the millisecond where the API made it: its mark counts only within the second that Kubernetes stamped. */
export function createdAt({ metadata }: { metadata: Stamped }): string {
  const stamped = Date.parse(metadata.creationTimestamp);
  const marked = Date.parse(metadata.annotations?.[marks.createdAt] ?? "");
  const near = Math.abs(marked - stamped) <= clocksApart;
  return new Date(near ? marked : stamped).toISOString();
}
/** Milliseconds by which a replica's clock and the API server's may differ. */
const clocksApart = 60_000;

/** What was captured, minus what was refunded. */
function costOf({ spec, status }: Seen, currency: string): number {
  const { captured = 0, refunded = 0 } = status?.payment ?? {};
  return inUnits(captured - refunded, spec.payment?.currency ?? currency);
}

/** Of the run that waits for it. */
function dueOf(migration: Seen): number | null {
  const { payment } = migration.spec;
  if (payment === undefined || shownState(migration) !== "awaiting_payment") return null;
  return inUnits(payment.amount, payment.currency);
}

const nameOf = ({ metadata }: Seen): string => clean(metadata.annotations?.[marks.name] ?? metadata.name, 100);

export function listed(migration: Seen, currency: string): MigrationListItem {
  return {
    id: publicId(migration),
    name: nameOf(migration),
    status: shownState(migration) ?? "pending",
    type: runTypeOf(migration) ?? null,
    size: migration.status?.size ?? quotedSize(migration) ?? migration.spec.payment?.quotedSize ?? null,
    cost: costOf(migration, currency),
    amount_due: dueOf(migration),
    currency: migration.spec.payment?.currency ?? currency,
    created_at: createdAt(migration),
  };
}

/** As it was in the moment in which it was made, whatever became of it since: what create answers, also to a repeat. */
export const justMade = ({ metadata, spec }: Migration, currency: string): MigrationListItem =>
  listed({ metadata, spec: { ...spec, attempt: 1, reset: 0 } }, currency);

export function one(migration: Seen, currency: string): One {
  const { spec, status } = migration;
  const due = dueRun(migration);
  const present = due.why === "present" ? status : undefined;
  const failed = present?.state === "failed";
  return {
    ...listed(migration, currency),
    attempt: due.attempt,
    reset: due.reset,
    queue_position: present?.queuePosition ?? null,
    started_at: status?.startedAt ?? null,
    run_started_at: present?.state === "pending" ? null : (present?.runStartedAt ?? null),
    finished_at: present?.finishedAt ?? null,
    progress: progressOf(present?.progress),
    error: failed ? errorOf(migration) : null,
    report: reportOf(present?.report),
    options: optionsOf(spec),
    logs: logsOf(status?.log, migration.metadata.namespace),
  };
}

/** The API server takes more from `kubectl` than the schema does. */
function optionsOf(spec: Migration["spec"]): One["options"] {
  const parsed = optionsSchema.safeParse(spec.options ?? {});
  if (!parsed.success) return null;
  const { source_ca: _source, target_ca: _target, ...options } = parsed.data;
  return options;
}

function progressOf(progress: NonNullable<Migration["status"]>["progress"]): One["progress"] {
  if (progress === undefined) return null;
  const { phase, percent, rows, bytes, tables, etaSeconds, table, updatedAt } = progress;
  return {
    phase,
    percent,
    rows,
    bytes,
    tables,
    eta_seconds: etaSeconds ?? null,
    current: table.map((row) => ({ ...row, name: clean(row.name, 256) })),
    updated_at: updatedAt,
  };
}

function reportOf(report: NonNullable<Migration["status"]>["report"]): One["report"] {
  if (report === undefined) return null;
  const { tables, rows, reported } = report;
  return { tables, rows, reported };
}

function errorOf({ metadata, status }: Seen): One["error"] {
  const condition = status?.conditions?.find(({ type, status: holds }) => type === "Failed" && holds === "True");
  if (condition === undefined) return null;
  // A Migration that failed under an earlier version does not say: nothing is promised of it.
  const retryable = status?.retryable ?? false;
  return { code: snake(condition.reason), message: said(condition.message, 2048, metadata.namespace), retryable };
}

/** A sentence of a run, which may have a server's words in it. `own`: the namespace of who reads it. */
export const said = (message: string, most: number, own?: string): string =>
  withoutOwnAddress(withoutOtherRuns(clean(message, most), own));

/** A condition's reason (`WrongPassword`) as a code of the API (`wrong_password`). */
export const snake = (reason: string): string => reason.replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_").toLowerCase();

/** Entries in the order of the log, oldest first. */
export const logsOf = (log: readonly LogEntry[] = [], own?: string): LogEntry[] =>
  [...log]
    .sort((a, b) => (a.id < b.id ? -1 : 1))
    .map((entry) => ({ ...entry, message: said(entry.message, 1024, own) }));
