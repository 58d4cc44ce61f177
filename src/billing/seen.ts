import type { About } from "./about.ts";

/** Milliseconds for which Stripe keeps a checkout open. */
export const checkoutLasts = 24 * 3_600_000;

export const sessionStates = ["open", "complete", "expired"] as const;
export const intentStates = [
  "requires_payment_method",
  "requires_confirmation",
  "requires_action",
  "processing",
  "requires_capture",
  "canceled",
  "succeeded",
] as const;

/** What Stripe says now of a checkout, without Stripe's own types: `stripe.ts` makes it, `controllers/payment/decide.ts` reads it. */
export interface SeenCheckout {
  /** Of the session. */
  id: string;
  /** Absent: the checkout is not Rowferry's. */
  about?: About;
  session: (typeof sessionStates)[number];
  /** Absent until somebody tried to pay. */
  intent?: Intent;
  /** The charge is disputed at the bank, or was. */
  isDisputed?: true;
  /** A sentence about a payment that was declined, refunded by hand or disputed. */
  trouble?: string;
}

export interface Intent {
  id: string;
  status: (typeof intentStates)[number];
  /** In the currency's smallest unit. */
  amount: number;
  capturable: number;
  received: number;
  /** Of what was captured; made by hand in Stripe's dashboard. Nothing if absent. */
  refunded?: number;
  /** ISO 4217, upper case. */
  currency: string;
  captureBefore?: string;
  /** It was cancelled by Stripe or the bank, since nobody captured it in time. */
  lapsed: boolean;
}

/** A checkout in Stripe's list. */
export interface ListedCheckout {
  seen: SeenCheckout;
  createdAt: string;
}
