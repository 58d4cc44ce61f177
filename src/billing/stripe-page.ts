import type Stripe from "stripe";
import { isReplayed, unlessKept, usedUp } from "./stripe-keys.ts";

/** An open checkout page; the same key gives the same one. Errors: those of Stripe, and PaymentsError with `keyUsedUp`. */
export async function createPage(
  stripe: Stripe,
  wanted: Stripe.Checkout.SessionCreateParams,
  idempotencyKey: string,
): Promise<Stripe.Checkout.Session & { url: string }> {
  const session = await unlessKept(stripe.checkout.sessions.create(wanted, { idempotencyKey }));
  // A repeat returns the session as it was when it was made.
  const isOpen = isReplayed(session.lastResponse.headers)
    ? (await stripe.checkout.sessions.retrieve(session.id)).status === "open"
    : session.status === "open";
  const { url } = session;
  if (url === null || !isOpen) throw usedUp();
  return { ...session, url };
}
