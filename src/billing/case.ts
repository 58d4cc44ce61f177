import { type PriceLine, type PriceList, priceOf, type RunType } from "./prices.ts";

/** Which of the billing model's three cases a create falls under (interface.md, section 1), and what it costs. */
export interface Terms {
  /** `nobody`: the installation charges nothing for it: it has no Stripe key, or the price is 0. */
  by: "nobody" | "plan" | "free" | "hold";
  /** What is charged if the run is completed, in the currency's smallest unit; 0 but for a hold. */
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
  /** The arithmetic of the amount. */
  lines: readonly PriceLine[];
}

/** Bytes: an account's first migration is free if its source is smaller. */
export const freeUnder = 1_000_000_000;

export interface Situation {
  currency: string;
  /** Absent: billing is off. */
  prices?: PriceList;
  plan: "free" | "pro";
  /** The account's free first migration has not been used, and no other one has it reserved. */
  freeIsOpen: boolean;
  type: RunType;
  /** Bytes of the source, as measured. */
  size: number;
}

export function termsOf({ currency, prices, plan, freeIsOpen, type, size }: Situation): Terms {
  const nothing = { amount: 0, currency, lines: [] };
  if (prices === undefined) return { by: "nobody", ...nothing };
  if (plan === "pro") return { by: "plan", ...nothing };
  const price = priceOf(prices, currency, type, size);
  if (price.amount === 0) return { by: "nobody", ...nothing };
  if (freeIsOpen && size < freeUnder) return { by: "free", ...nothing };
  return { by: "hold", currency, ...price };
}

/** Whether a create would not be charged. */
export const isCovered = ({ by }: Terms): boolean => by !== "hold";

/** What was shown to the caller, as far as it binds what is charged. */
interface ShownPayment {
  amount: number;
  currency: string;
}

/**
 * The terms as they hold for a create that shows an earlier quote: never dearer than the quote. Undefined where the quote was of
 * nothing to pay and there is something now, so that the caller must ask anew.
 */
export function heldTo(now: Terms, shown: ShownPayment | undefined): Terms | undefined {
  if (shown === undefined || now.by !== "hold") return now;
  if (shown.currency !== now.currency || shown.amount === 0) return undefined;
  if (shown.amount >= now.amount) return now;
  return { ...now, amount: shown.amount, lines: [{ text: "as quoted", amount: shown.amount }] };
}

/** Bytes that a source may have when the worker measures it again, before anything is written: a tenth more than it was quoted for. */
export const mostAgain = (quoted: number): number => Math.floor(quoted * 1.1);
