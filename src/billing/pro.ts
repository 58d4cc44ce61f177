import * as z from "zod";
import { smallestIn, smallestStep } from "./money.ts";

/** Pro: its price, and the subscriptions that Stripe has for one customer. Without Stripe's own types. */

/** Chart value `billing.pro`: a recurring price of Stripe's dashboard, or an amount in units of the currency. */
export const proPriceSchema = z.union([
  z.strictObject({
    price: z.string().regex(/^price_\w+$/, { error: "must be the id of a price at Stripe: `price_…`" }),
  }),
  z.strictObject({ amount: z.number().positive().max(1_000_000), interval: z.enum(["day", "week", "month", "year"]) }),
]);
export type ProPrice = z.output<typeof proPriceSchema>;

/** The amount in the currency's smallest unit, in steps that Stripe accepts, rounded down. */
export const proAmount = (amount: number, currency: string): number => {
  const step = smallestStep(currency);
  // A decimal such as 0.29 is not exact in binary.
  return Math.floor(Math.round(amount * smallestIn(currency) * 1000) / 1000 / step) * step;
};

export const subscriptionStates = [
  "active",
  "trialing",
  "past_due",
  "unpaid",
  "paused",
  "incomplete",
  "incomplete_expired",
  "canceled",
] as const;

/** A subscription as Stripe returned it. Times are ISO 8601. */
export interface Subscription {
  id: string;
  status: (typeof subscriptionStates)[number];
  created: string;
  /** Of the period that is paid, or whose payment is due. */
  periodStart: string;
  periodEnd: string;
  /** It ends then. */
  endsAt?: string;
}

/** Nothing more is charged, and it cannot become active again. */
export const isEnded = ({ status }: Pick<Subscription, "status">): boolean =>
  status === "canceled" || status === "incomplete_expired";
