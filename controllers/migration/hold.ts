import type { Migration } from "../../src/resources/migration.ts";
import { dueRun } from "../../src/resources/run.ts";
import { withLog } from "../jobs/conclude.ts";
import type { StateReason } from "../jobs/observed.ts";
import type { Plan } from "./plan.ts";

/** Messages about a card's hold, for the person who pays. Pure. */

/** Bytes a second, lower than most copies reach: for a run whose duration nobody has estimated yet. */
const slow = 5_000_000;
/** Milliseconds that a capture and a wrong estimate may take. */
const margin = 3_600_000;

/** Why a Migration awaits payment: usually a person has not paid yet, else the operator's key has a fault. */
export function awaitedPayment(migration: Migration): StateReason {
  const { reason, message } = migration.status?.payment ?? {};
  if (reason !== undefined && message !== undefined) return { reason, message };
  return { reason: "AwaitingPayment", message: awaitingMessage(migration) };
}

function awaitingMessage({ spec, status }: Migration): string {
  const usual = "A person authorizes the payment at the checkout link; the run starts by itself then.";
  const paid = status?.payment;
  if (paid === undefined || paid.session !== spec.payment?.checkout?.session) return usual;
  switch (paid.state) {
    case "lapsed":
      return `The card's hold ended before the run started. ${anew}`;
    case "released":
      return `${paid.message ?? "The hold was released."} ${anew}`;
    default:
      return paid.message === undefined ? usual : `${paid.message} ${usual}`;
  }
}
const anew =
  "Open a new checkout (POST /api/migrations/{id}/checkout) and authorize it; the run starts by itself then.";

/** The plan with a log entry and an event where a payment did not succeed, or the hold may end before the run, or has. Each is logged once for a run. */
export function withHoldNews(migration: Migration, plan: Plan, now: Date): Plan {
  const news = newsOf(migration, plan, now);
  if (news === undefined) return plan;
  const run = plan.status.run ?? 1;
  const message = `Run ${run}: ${news.note}`;
  const before = plan.status.log ?? [];
  if (before.some((entry) => entry.message === message)) return plan;
  const log = withLog({ log: before }, run, [{ level: "warning", message }], now);
  return {
    ...plan,
    status: { ...plan.status, ...(log === undefined ? {} : { log }) },
    events: [...plan.events, { type: "Warning", ...news }],
  };
}

function newsOf(migration: Migration, { status }: Plan, now: Date): { reason: string; note: string } | undefined {
  const { spec } = migration;
  const paid = migration.status?.payment;
  if (spec.payment?.by !== "hold" || paid?.session !== spec.payment.checkout?.session) return undefined;
  if (status.state === "awaiting_payment") {
    // A fault of the key is told by its reason.
    const isNews = paid?.message !== undefined && paid.reason === undefined;
    return isNews ? { reason: "AwaitingPayment", note: awaitingMessage(migration) } : undefined;
  }
  if (status.job === undefined || dueRun(migration).run !== status.run) return undefined;
  if (paid?.state === "lapsed" && status.state !== "failed")
    return {
      reason: "HoldEnded",
      note:
        status.state === "completed"
          ? "The card's hold ended before the payment was captured. You are not charged."
          : "The card's hold ended. The run continues, and you are not charged.",
    };
  const starts = migration.status?.job?.uid !== status.job.uid;
  if (paid?.state !== "authorized" || paid.captureBefore === undefined || !starts) return undefined;
  const end = now.getTime() + secondsOf(migration) * 1000 + margin;
  if (end <= Date.parse(paid.captureBefore)) return undefined;
  return {
    reason: "HoldMayEnd",
    note: `The card's hold ends at ${paid.captureBefore}; this copy may take longer. If the hold ends first, you are not charged.`,
  };
}

/** The longest that the copy may take, by an assessment of an earlier run, or by the size of the source. */
function secondsOf({ spec, status }: Migration): number {
  const size = status?.size ?? spec.payment?.quotedSize ?? 0;
  const rate = Math.min(slow, spec.options?.bandwidth ?? slow);
  return status?.assessment?.estimate.seconds.most ?? size / rate;
}
