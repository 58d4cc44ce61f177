import type { Migration } from "../../src/resources/migration.ts";
import type { PaymentStatus } from "../../src/resources/payment.ts";
import { dueRun, isPaid } from "../../src/resources/run.ts";

/** Milliseconds; timers and clocks bear no more. */
const longestWait = 12 * 3_600_000;

/**
 * Milliseconds until a Migration that nobody paid for is removed; zero or less: now. Undefined: never, as for one with a hold, for one that was
 * captured before, and for one that has a report. `paid`: what Stripe says now. `kept`: milliseconds that it may await payment.
 */
export function untilRemoved(
  { metadata, spec, status }: Migration,
  paid: PaymentStatus | undefined,
  kept: number | undefined,
  now: Date,
): number | undefined {
  if (kept === undefined || metadata.deletionTimestamp !== undefined || spec.payment?.by !== "hold") return undefined;
  if (status?.madeIn !== undefined) return undefined;
  const wasCaptured = (paid?.captured ?? 0) > 0 || paid?.earlier !== undefined;
  if (isPaid({ spec, status: { ...status, payment: paid } }) || wasCaptured) return undefined;
  if (dueRun({ metadata, spec, ...(status === undefined ? {} : { status }) }).why !== "present") return undefined;
  if (status?.state !== "awaiting_payment") return undefined;
  const since = Date.parse(status.queuedAt ?? metadata.creationTimestamp);
  return Math.min(since + kept - now.getTime(), longestWait);
}
