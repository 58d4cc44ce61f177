import type { MigrationState } from "../resources/migration.ts";
import type { PaymentSpec, PaymentStatus } from "../resources/payment.ts";
import type { Intent, SeenCheckout } from "./seen.ts";

/** Milliseconds after a capture in which a reset or a retry is covered by it, unless it was refunded in full. */
export const captureCovers = 7 * 24 * 3_600_000;

/** A Migration that is to run again, and what pays for it. */
export interface PaidAgain {
  payment: PaymentSpec;
  /** Of the last run. */
  state: MigrationState | undefined;
  paid: PaymentStatus | undefined;
  /** The account that pays has the Pro plan now. */
  isPro: boolean;
  /** The account's free migration is this one. */
  ownsClaim: boolean;
  /** The last run failed because its source is larger than its payment covers. */
  isOverQuote?: boolean;
  /** The present checkout as Stripe has it now; absent where it was not asked. "unknown": Stripe does not know it as this Migration's. */
  seen?: SeenCheckout | "unknown";
  now: Date;
}

/**
 * What covers the next attempt. `as-before`: what covers it already. `plan`: the plan, from now on. `hold`: a new hold is needed. `wait`: the last
 * payment is neither a hold nor closed yet. `look`: ask Stripe first. Pure.
 */
export function coverAgain(again: PaidAgain): "as-before" | "plan" | "hold" | "wait" | "look" {
  const { payment, isPro, ownsClaim, isOverQuote = false } = again;
  switch (payment.by) {
    case "plan":
      return isPro ? "as-before" : afterPlan(again);
    case "free":
      return ownsClaim && !isOverQuote ? "as-before" : isPro ? "plan" : "hold";
    case "hold":
      return coverOfHold(again);
  }
}

/** Before the plan it may have had a checkout that the operator has not closed yet: there is never a second one at which somebody could pay. */
function afterPlan({ payment, seen }: PaidAgain): ReturnType<typeof coverAgain> {
  if (payment.checkout === undefined || seen === "unknown") return "hold";
  if (seen === undefined) return "look";
  return isSettled(seen) ? "hold" : "wait";
}

function coverOfHold(again: PaidAgain): ReturnType<typeof coverAgain> {
  const { payment, paid, isPro, isOverQuote = false, seen, now } = again;
  const anew = isPro ? "plan" : "hold";
  if (payment.checkout === undefined) return anew;
  const captured = paid?.session === payment.checkout.session && paid.state === "captured" ? paid : undefined;
  const isLate = captured !== undefined && now.getTime() - Date.parse(captured.capturedAt ?? "") >= captureCovers;
  if (isLate || (captured !== undefined && isOverQuote)) return anew;
  // Also where the capture is known: a refund is known by Stripe's event alone, which may be late or lost.
  if (seen === undefined) return "look";
  if (seen === "unknown")
    return captured !== undefined && (captured.refunded ?? 0) < payment.amount ? "as-before" : anew;
  const { intent } = seen;
  if (intent?.status === "succeeded") {
    const isKept = (intent.refunded ?? 0) < intent.received && seen.isDisputed !== true;
    return isKept && !isOverQuote ? "as-before" : anew;
  }
  if (intent?.status === "requires_capture") return byLiveHold(again, intent);
  return isPro || isSettled(seen) ? anew : "wait";
}

function byLiveHold({ payment, state, isPro, isOverQuote = false, now }: PaidAgain, intent: Intent) {
  const isShown = intent.amount === payment.amount && intent.currency === payment.currency;
  const isLive = intent.captureBefore === undefined || Date.parse(intent.captureBefore) > now.getTime();
  if (!isShown || !isLive) return "wait";
  // The hold pays for the completed run.
  if (isPro && state !== "completed") return "plan";
  // It is being released.
  return isOverQuote ? "wait" : "as-before";
}

/**
 * Whether no hold can come of this checkout any more but by its page, where that is open: it is closed before there is another one. Stripe
 * cancels the intent of a page that expires; until then, the bank's answer about it can arrive.
 */
export const isSettled = ({ session, intent }: SeenCheckout): boolean =>
  session === "open" || (intent === undefined ? session === "expired" : over.has(intent.status));
const over: ReadonlySet<Intent["status"]> = new Set(["requires_payment_method", "canceled", "succeeded"]);
