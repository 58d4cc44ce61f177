import type { MigrationState } from "../resources/migration.ts";
import type { PaymentSpec, PaymentStatus } from "../resources/payment.ts";
import type { Seen } from "./seen.ts";

/** Milliseconds after a capture in which a reset or a retry is covered by it. */
export const captureCovers = 7 * 24 * 3_600_000;

/** A Migration that is to run again, and what pays for it. */
export interface Again {
  payment: PaymentSpec;
  /** Of the last run. */
  state: MigrationState | undefined;
  paid: PaymentStatus | undefined;
  /** The account that pays has the Pro plan now. */
  isPro: boolean;
  /** The account's free migration is this one. */
  ownsClaim: boolean;
  /** The present checkout as Stripe has it now; absent where it was not asked. */
  seen?: Seen;
  now: Date;
}

/**
 * What covers the next attempt. `as-before`: what covers it already. `plan`: the plan, from now on. `hold`: a new hold is needed. `wait`: the last
 * payment is neither a hold nor closed yet. `look`: ask Stripe first. Pure.
 */
export function coverAgain(again: Again): "as-before" | "plan" | "hold" | "wait" | "look" {
  const { payment, state, isPro, ownsClaim } = again;
  switch (payment.by) {
    case "plan":
      // An uncompleted one keeps the terms that it was created under.
      return isPro || state !== "completed" ? "as-before" : "hold";
    case "free":
      return ownsClaim ? "as-before" : isPro ? "plan" : "hold";
    case "hold":
      return coverOfHold(again);
  }
}

function coverOfHold({ payment, state, paid, isPro, seen, now }: Again): ReturnType<typeof coverAgain> {
  if (payment.checkout === undefined) return isPro ? "plan" : "hold";
  if (paid?.session === payment.checkout.session && paid.state === "captured")
    return now.getTime() - Date.parse(paid.capturedAt ?? "") < captureCovers ? "as-before" : isPro ? "plan" : "hold";
  if (seen === undefined) return "look";
  const { intent } = seen;
  // Captured a moment ago.
  if (intent?.status === "succeeded") return "as-before";
  if (intent?.status === "requires_capture") {
    const isShown = intent.amount === payment.amount && intent.currency === payment.currency;
    const isLive = intent.captureBefore === undefined || Date.parse(intent.captureBefore) > now.getTime();
    if (!isShown || !isLive) return "wait";
    // The hold pays for the completed run.
    return isPro && state !== "completed" ? "plan" : "as-before";
  }
  if (isPro) return "plan";
  return seen.session === "complete" && intent?.status !== "canceled" ? "wait" : "hold";
}
