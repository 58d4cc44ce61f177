import { isOverQuote } from "../../src/billing/limit.ts";
import { checkoutLasts, type Intent, type SeenCheckout } from "../../src/billing/seen.ts";
import type { Migration } from "../../src/resources/migration.ts";
import type { PaymentSpec, PaymentStatus } from "../../src/resources/payment.ts";
import { dueRun, isForCapture, isVerified } from "../../src/resources/run.ts";
import { sums } from "./sums.ts";

/**
 * What to do about one Migration's checkout and hold, from the Migration and from what Stripe says now: no clock, no randomness, no I/O.
 *
 * Invariants: money is taken only after the run was completed, once, and never more than was shown; a hold is given back when the run
 * has been failed for the time of grace, and when the Migration is deleted before it was completed; the finalizer stands until
 * nothing at Stripe is open. Each act may be done twice, or have been done by a pass whose answer was lost.
 */

export interface Observed {
  migration: Migration;
  /** What Stripe said in this pass of the checkout that the spec names. */
  seen?: SeenCheckout;
  /** Likewise of earlier checkouts that were captured. */
  earlier?: readonly SeenCheckout[];
  /** Id of the last event that Stripe sent about it. */
  hint?: string;
  /** Milliseconds that a failed run keeps its hold, so that a retry needs no person. */
  grace: number;
  /** Pages of this installation that wait for a person; 1 by default. */
  pages?: number;
}

export type Act =
  | { kind: "look"; session: string }
  | { kind: "expire"; session: string }
  | { kind: "cancel"; intent: string; why: "failed" | "deleted" | "not-as-shown" | "covered" }
  | { kind: "capture"; intent: string; amount: number };

export interface Plan {
  /** To be done first; then Stripe is asked again and all is decided anew. */
  act?: Act;
  status: PaymentStatus | undefined;
  /** Whether the Migration may not go yet. */
  finalizer: boolean;
  /** Milliseconds. */
  lookAgain?: number;
}

const second = 1000;
const minute = 60 * second;

export function decide(observed: Observed, now: Date): Plan {
  const { migration, seen, hint } = observed;
  const payment = migration.spec.payment;
  const before = migration.status?.payment;
  const checkout = payment?.checkout;
  if (payment === undefined || checkout === undefined) return { status: before, finalizer: false };
  const isTold = hint !== undefined && hint !== before?.hint;
  // A refund or a dispute comes after the end; it holds nothing up.
  if (isOver(before, checkout.session) && !isTold) return { status: before, finalizer: false };
  if (seen !== undefined && !isOwn(seen, migration))
    return { status: foreign(checkout.session, now), finalizer: false };
  if (seen === undefined) {
    const wait = untilLook(observed, payment, now);
    if (wait <= 0) return { act: { kind: "look", session: checkout.session }, status: before, finalizer: true };
    return { status: before, finalizer: true, lookAgain: wait };
  }
  const status = statusFrom(payment, before, { ...observed, seen }, now);
  const act = actOn(observed, payment, seen, now);
  if (act !== undefined) return { act, status, finalizer: true };
  if (isOver(status, checkout.session)) return { status, finalizer: false };
  const wait = untilLook({ ...observed, migration: withPayment(migration, status) }, payment, now);
  return { status, finalizer: true, lookAgain: Math.max(wait, second) };
}

/** Somebody may have written another Migration's checkout into this one: it gives no right to that hold. */
const isOwn = ({ about }: SeenCheckout, { metadata }: Migration): boolean =>
  about?.namespace === metadata.namespace && about.name === metadata.name;

const foreign = (session: string, now: Date): PaymentStatus => ({
  state: "released",
  session,
  message: "The checkout belongs to another Migration: start another one.",
  lookedAt: now.toISOString(),
});

const withPayment = (migration: Migration, payment: PaymentStatus): Migration => ({
  ...migration,
  status: { ...migration.status, payment },
});

/** Nothing of the checkout is open at Stripe any more, and nothing can become of it. */
const isOver = (status: PaymentStatus | undefined, session: string): boolean =>
  status?.session === session &&
  (status.state === "captured" || status.state === "released" || status.state === "lapsed");

/** The state of the run that the checkout pays for. */
function stateOf(migration: Migration): "deleted" | "waiting" | "running" | "completed" | "failed" {
  const state = migration.status?.state;
  // Captured first, also if it is deleted or reset before that.
  if (isForCapture(migration)) return "completed";
  if (migration.metadata.deletionTimestamp !== undefined) return isVerified(migration) ? "completed" : "deleted";
  if (dueRun(migration).why !== "present") return "waiting";
  if (state === "failed") return "failed";
  return migration.status?.job === undefined ? "waiting" : "running";
}

function actOn(observed: Observed, payment: PaymentSpec, seen: SeenCheckout, now: Date): Act | undefined {
  const { migration, grace } = observed;
  const state = stateOf(migration);
  const { intent } = seen;
  if (intent?.status === "requires_capture") {
    const cancel = (why: Extract<Act, { kind: "cancel" }>["why"]): Act => ({ kind: "cancel", intent: intent.id, why });
    if (!isAsShown(intent, payment)) return cancel("not-as-shown");
    if (state === "deleted") return cancel("deleted");
    if (payment.by !== "hold") return cancel("covered");
    if (state === "completed") return { kind: "capture", intent: intent.id, amount: payment.amount };
    if (state === "failed" && heldUntil(migration, grace) <= now.getTime()) return cancel("failed");
    return undefined;
  }
  const isWanted = payment.by === "hold" && (state === "waiting" || state === "failed" || state === "running");
  // An intent of an open session cannot be cancelled: the session is closed.
  return seen.session === "open" && !isWanted ? { kind: "expire", session: seen.id } : undefined;
}

const isSum = (intent: Intent, { amount, currency }: PaymentSpec): boolean =>
  intent.amount === amount && intent.currency === currency;
const isAsShown = (intent: Intent, payment: PaymentSpec): boolean =>
  isSum(intent, payment) && intent.capturable === payment.amount;

/** When the time of grace of a failed run ends. At once where a retry cannot help. */
const heldUntil = ({ status }: Migration, grace: number): number =>
  Date.parse(status?.finishedAt ?? "") + (isOverQuote(status) ? 0 : grace);

function statusFrom(
  payment: PaymentSpec,
  before: PaymentStatus | undefined,
  { seen, earlier = [], hint }: Observed & { seen: SeenCheckout },
  now: Date,
): PaymentStatus {
  const { intent } = seen;
  const same = before?.session === seen.id;
  const at = now.toISOString();
  const common = {
    session: seen.id,
    lookedAt: at,
    ...(intent === undefined ? {} : { intent: intent.id }),
    ...(hint === undefined ? {} : { hint }),
    ...sums(before, seen, earlier),
    ...(before?.capturedAt === undefined ? {} : { capturedAt: before.capturedAt }),
  };
  switch (intent?.status) {
    case "succeeded":
      return {
        ...common,
        state: "captured",
        capturedAt: same && before?.state === "captured" ? (before.capturedAt ?? at) : at,
        ...(seen.trouble === undefined ? {} : { message: seen.trouble }),
      };
    case "requires_capture":
      if (!isAsShown(intent, payment))
        return {
          ...common,
          state: "awaiting",
          message: wrongAmount,
        };
      return {
        ...common,
        state: "authorized",
        ...(intent.captureBefore === undefined ? {} : { captureBefore: intent.captureBefore }),
      };
    case "canceled":
      return intent.lapsed
        ? {
            ...common,
            state: "lapsed",
            message: "The card's hold ended before the payment was captured. You are not charged.",
          }
        : { ...common, state: "released", message: isSum(intent, payment) ? released : wrongAmount };
    case "processing":
      // It may still become a hold.
      return { ...common, state: "awaiting", ...isProcessing };
    default:
      return seen.session === "open"
        ? { ...common, state: "awaiting", ...(seen.trouble === undefined ? {} : { message: seen.trouble }) }
        : { ...common, state: "released", message: "The checkout closed without a payment." };
  }
}

const isProcessing = {
  reason: "PaymentProcessing",
  message: "Stripe is processing the payment.",
} as const;
const released = "The card's hold was released. You are not charged.";
const wrongAmount =
  "The card was authorized for another amount or currency than the price, so the hold was released. You are not charged.";

/** Milliseconds until Stripe is to be asked, zero or less: now. Events shorten the wait; without any, a hold is seen by this alone. */
function untilLook({ migration, hint, grace, pages = 1 }: Observed, payment: PaymentSpec, now: Date): number {
  const before = migration.status?.payment;
  const checkout = payment.checkout;
  if (before === undefined || before.session !== checkout?.session) return 0;
  if (hint !== undefined && hint !== before.hint) return 0;
  const state = stateOf(migration);
  const looked = Date.parse(before.lookedAt);
  // A clock was wrong.
  if (looked > now.getTime()) return 0;
  if (before.state === "authorized") {
    if (state === "completed" || state === "deleted" || payment.by !== "hold") return 0;
    const times = [looked + 10 * minute, Date.parse(before.captureBefore ?? "") + second];
    if (state === "failed") times.push(heldUntil(migration, grace));
    const due = times.filter((time) => !Number.isNaN(time) && time > looked);
    return Math.min(...due) - now.getTime();
  }
  // Nobody waits for the payment: what is open is closed at once, and only a payment that is being processed must be waited for.
  const isWanted = state !== "completed" && state !== "deleted" && payment.by === "hold";
  if (!isWanted && before.reason !== isProcessing.reason) return 0;
  const deleted = Date.parse(migration.metadata.deletionTimestamp ?? "") || 0;
  const opened = Math.max(deleted, Date.parse(checkout.expiresAt) - checkoutLasts);
  const rarer = Math.min(10 * minute, Math.max(5 * second, Math.floor((looked - opened) / 90)));
  const closed = Date.parse(checkout.expiresAt) + second;
  // A payment that is being processed; it may take days.
  if (!isWanted || looked >= closed) return looked + rarer - now.getTime();
  // A person may be at the page until it closes.
  const often = Math.min(rarer, Math.max(longestAtPage, pages * perPage));
  return Math.min(looked + often, closed) - now.getTime();
}

/** Milliseconds between two looks at an open page: a hold is found in time for the run to start within 20 seconds. */
const longestAtPage = 15 * second;
/** Milliseconds for each open page: the looks at all of them leave most of Stripe's rate limit of 100 requests a second. */
const perPage = 100;
