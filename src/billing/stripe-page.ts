import Stripe from "stripe";
import { PaymentsError } from "./stripe-client.ts";

/** Stripe's checkout pages, each made under a key of idempotency. */

/** Reason of the `PaymentsError` when a key gives no open page any more: another key is needed. */
export const keyUsedUp = "key_used_up";
const usedUp = () => new PaymentsError("refused", "The checkout of this key is closed or failed.", keyUsedUp);

const isReplayed = (headers: Readonly<Record<string, string>> | undefined): boolean =>
  headers?.["idempotent-replayed"] === "true";
const isOurFault = ({ statusCode = 0 }: { statusCode?: number | undefined }): boolean =>
  statusCode >= 400 && statusCode < 500;

/** An open page; the same key gives the same one. Errors: those of Stripe, and PaymentsError with `keyUsedUp`. */
export async function createPage(
  stripe: Stripe,
  wanted: Stripe.Checkout.SessionCreateParams,
  idempotencyKey: string,
): Promise<Stripe.Checkout.Session & { url: string }> {
  const session = await stripe.checkout.sessions.create(wanted, { idempotencyKey }).catch((error: unknown) => {
    // Stripe also keeps an error of its own for a day under its key.
    if (error instanceof Stripe.errors.StripeError && isReplayed(error.headers) && !isOurFault(error)) throw usedUp();
    throw error;
  });
  // A repeat returns the session as it was when it was made.
  const isOpen = isReplayed(session.lastResponse.headers)
    ? (await stripe.checkout.sessions.retrieve(session.id)).status === "open"
    : session.status === "open";
  const { url } = session;
  if (url === null || !isOpen) throw usedUp();
  return { ...session, url };
}

/** Keys in a row that give no open page any more. */
const tries = 8;

/** Tries one number after the other until a key gives an open page. Throws what `open` throws. */
export async function withOpenKey<T>(first: number, open: (number: number) => Promise<T>): Promise<T> {
  for (let number = first; ; number += 1) {
    try {
      return await open(number);
    } catch (error) {
      const isUsedUp = error instanceof PaymentsError && error.reason === keyUsedUp;
      if (!isUsedUp || number === first + tries - 1) throw error;
    }
  }
}
