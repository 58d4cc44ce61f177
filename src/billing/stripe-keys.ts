import Stripe from "stripe";
import { PaymentsError } from "./stripe-client.ts";

/**
 * Keys of idempotency. Stripe keeps its answer to a key for a day, also an internal error of its own: that key then fails for a day. So keys have
 * numbers, and a request moves to the next number only after Stripe has replayed such an error. All replicas agree on one number this way, and
 * a request that is repeated after a lost answer meets its own key.
 */

/** Reason of the `PaymentsError` for a key that cannot succeed any more. */
const keyUsedUp = "key_used_up";
export const usedUp = () =>
  new PaymentsError("unavailable", "Stripe repeats the internal error of an earlier request.", keyUsedUp);

export const isReplayed = (headers: Readonly<Record<string, string>> | undefined): boolean =>
  headers?.["idempotent-replayed"] === "true";
const isOurFault = ({ statusCode = 0 }: { statusCode?: number | undefined }): boolean =>
  statusCode >= 400 && statusCode < 500;

/** The answer. Errors: those of Stripe, and PaymentsError with `keyUsedUp` for an error of Stripe's own that it kept under the key. */
export async function unlessKept<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof Stripe.errors.StripeError && isReplayed(error.headers) && !isOurFault(error)) throw usedUp();
    throw error;
  }
}

/** Numbers in a row that may be used up: an outage of Stripe uses up one with each try. */
const tries = 50;

/** Tries one number after the other until one is not used up. Throws what `ask` throws. */
export async function withNextKey<T>(first: number, ask: (number: number) => Promise<T>): Promise<T> {
  for (let number = first; ; number += 1) {
    try {
      return await ask(number);
    } catch (error) {
      const isUsedUp = error instanceof PaymentsError && error.reason === keyUsedUp;
      if (!isUsedUp || number === first + tries - 1) throw error;
    }
  }
}
