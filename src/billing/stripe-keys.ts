import Stripe from "stripe";
import { PaymentsError } from "./stripe-client.ts";

/**
 * Keys of idempotency. Stripe keeps what it answered for a day under its key, also an error of its own: the same key then fails for a day. So keys
 * are numbered, and a request moves to the next number only where Stripe itself says that the last one is used up. All replicas so agree on one
 * number, and a request that is repeated since its answer was lost still meets its own key.
 */

/** Reason of the `PaymentsError` when a key is of no more use: the next number is needed. */
export const keyUsedUp = "key_used_up";
export const usedUp = () =>
  new PaymentsError("unavailable", "Stripe keeps an earlier failure under this request's key.", keyUsedUp);

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

/** Numbers in a row that may be used up. */
const tries = 8;

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
