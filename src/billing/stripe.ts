import Stripe from "stripe";
import { aboutOf } from "./about.ts";
import { type Intent, intentStates, type ListedCheckout, type SeenCheckout, sessionStates } from "./seen.ts";
import { dated, isMissing, PaymentsError, type StripeClient } from "./stripe-client.ts";
import { unlessKept, withNextKey } from "./stripe-keys.ts";
import { createPage } from "./stripe-page.ts";

/**
 * The only way to a payment: Stripe's own SDK, bent to what Rowferry asks of it. Its errors come out as `PaymentsError`. Amounts are in
 * the currency's smallest unit. Repeating any of these with the same key changes nothing more.
 */
export interface Payments {
  /** A page at which a person authorises a hold; the money is taken by `capture` alone. */
  openCheckout(wanted: CheckoutWanted): Promise<Checkout>;
  /** What is so now; undefined where Stripe knows no such session. */
  look(session: string): Promise<SeenCheckout | undefined>;
  /** This installation's checkouts that were made since then, the newest first. */
  list(since: Date, installation: string): AsyncIterable<ListedCheckout>;
  /** Closes an open page. Closed or used already: nothing happens. */
  expire(session: string): Promise<void>;
  /** Gives a hold back. Given back or captured already: nothing happens. An error that Stripe keeps under the key does not repeat. */
  cancel(intent: string, key: string): Promise<void>;
  /** Takes so much of a hold. Taken already: nothing happens. Errors as of `cancel`. */
  capture(intent: string, amount: number, key: string): Promise<void>;
}

interface CheckoutWanted {
  /** Of idempotency: the same key gives the same page. */
  key: string;
  amount: number;
  /** ISO 4217, upper case. */
  currency: string;
  /** What the person reads at the page. */
  description: string;
  /** Kept at Stripe, so that a hold without its Migration is found again. */
  metadata: Record<string, string>;
  /** Pages to which the person comes back. */
  doneUrl: string;
  cancelledUrl: string;
}

export interface Checkout {
  session: string;
  url: string;
  expiresAt: string;
}

export function createPayments(client: StripeClient): Payments {
  const { stripe, call: worded } = client;
  return {
    openCheckout: (wanted) => worded(() => openCheckout(stripe, wanted)),
    look: (session) => worded(() => look(stripe, session)),
    list: (since, installation) => list(client, since, installation),
    expire: (session) => worded(() => unless(isOver, stripe.checkout.sessions.expire(session))),
    cancel: (intent, key) =>
      worded(() => atIntent(key, (idempotencyKey) => stripe.paymentIntents.cancel(intent, {}, { idempotencyKey }))),
    capture: (intent, amount, key) =>
      worded(() =>
        atIntent(key, (idempotencyKey) =>
          stripe.paymentIntents.capture(intent, { amount_to_capture: amount }, { idempotencyKey }),
        ),
      ),
  };
}

async function openCheckout(stripe: Stripe, wanted: CheckoutWanted): Promise<Checkout> {
  const session = await createPage(
    stripe,
    {
      mode: "payment",
      // Other methods cannot hold an amount, and a converted one is not the amount that was shown.
      allowed_payment_method_types: ["card"],
      adaptive_pricing: { enabled: false },
      line_items: [
        {
          quantity: 1,
          price_data: {
            currency: wanted.currency.toLowerCase(),
            unit_amount: wanted.amount,
            product_data: { name: wanted.description },
          },
        },
      ],
      payment_intent_data: {
        capture_method: "manual",
        description: wanted.description,
        metadata: wanted.metadata,
      },
      metadata: wanted.metadata,
      success_url: wanted.doneUrl,
      cancel_url: wanted.cancelledUrl,
    },
    wanted.key,
  );
  return { session: session.id, url: session.url, expiresAt: dated(session.expires_at) };
}

/** Where Stripe names a state that this version of Rowferry does not know, nothing is done until a look tells one that it does. */
function known<T extends string>(states: readonly T[], state: string | null): T {
  const found = states.find((one) => one === state);
  if (found === undefined) throw new PaymentsError("unavailable", "Stripe names a state that is not known here.");
  return found;
}

async function look(stripe: Stripe, id: string): Promise<SeenCheckout | undefined> {
  const session = await stripe.checkout.sessions
    .retrieve(id, { expand: ["payment_intent.latest_charge"] })
    .catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });
  return session && seenFrom(session);
}

async function* list({ stripe, call }: StripeClient, since: Date, installation: string): AsyncIterable<ListedCheckout> {
  const gte = Math.floor(since.getTime() / 1000);
  const wanted = { created: { gte }, limit: 100, expand: ["data.payment_intent.latest_charge"] };
  const sessions = stripe.checkout.sessions.list(wanted)[Symbol.asyncIterator]();
  for (;;) {
    const { value: session, done } = await call(() => sessions.next());
    if (done) return;
    // Another's can have a state that is not known here.
    if (session.mode === "payment" && aboutOf(session.metadata)?.installation === installation)
      yield { seen: seenFrom(session), createdAt: dated(session.created) };
  }
}

function seenFrom(session: Stripe.Checkout.Session): SeenCheckout {
  const { payment_intent: intent } = session;
  const own = intent !== null && typeof intent === "object" ? intent : undefined;
  const found = own === undefined ? undefined : intentFrom(own);
  const trouble = own === undefined ? undefined : failureOf(own);
  const about = aboutOf(session.metadata);
  return {
    id: session.id,
    session: known(sessionStates, session.status),
    ...(about === undefined ? {} : { about }),
    ...(found === undefined ? {} : { intent: found }),
    ...(own !== undefined && chargeOf(own)?.disputed === true ? { isDisputed: true } : {}),
    ...(trouble === undefined ? {} : { trouble }),
  };
}

const chargeOf = ({ latest_charge: charge }: Stripe.PaymentIntent): Stripe.Charge | undefined =>
  charge !== null && typeof charge === "object" ? charge : undefined;

/** Stripe also cancels the intent of a session that expires; a declined card leaves a failed charge there. */
const hadHold = (intent: Stripe.PaymentIntent): boolean => (chargeOf(intent)?.status ?? "failed") !== "failed";

const lapsedReasons = new Set(["expired", "automatic"]);

/** Stripe also counts the part of a hold that was not captured. */
function refundedOf(intent: Stripe.PaymentIntent): number {
  const charge = chargeOf(intent);
  if (charge === undefined || intent.status !== "succeeded") return 0;
  return Math.max(0, charge.amount_refunded - (charge.amount - charge.amount_captured));
}

function intentFrom(intent: Stripe.PaymentIntent): Intent {
  const before = chargeOf(intent)?.payment_method_details?.card?.capture_before;
  const refunded = refundedOf(intent);
  return {
    id: intent.id,
    status: known(intentStates, intent.status),
    amount: intent.amount,
    capturable: intent.amount_capturable,
    received: intent.amount_received,
    ...(refunded === 0 ? {} : { refunded }),
    currency: intent.currency.toUpperCase(),
    // Stripe's own reasons; a cancellation by Rowferry or by a person has another one, or none.
    lapsed: intent.status === "canceled" && hadHold(intent) && lapsedReasons.has(intent.cancellation_reason ?? ""),
    ...(before === undefined ? {} : { captureBefore: dated(before) }),
  };
}

/** In our own words alone: Stripe's may name the card. */
function failureOf(intent: Stripe.PaymentIntent): string | undefined {
  const charge = chargeOf(intent);
  if (charge?.disputed === true) return "The charge is disputed at the bank.";
  const refunded = refundedOf(intent);
  if (refunded > 0)
    return refunded < intent.amount_received ? "A part of the charge was refunded." : "The charge was refunded.";
  if (intent.status === "requires_payment_method" && intent.last_payment_error !== null)
    return "The card was declined. Try again at the same checkout link.";
  return undefined;
}

/** What is done already, or cannot be done any more: the next look says which. */
const isOver = (error: unknown): boolean =>
  isMissing(error) ||
  (error instanceof Stripe.errors.StripeInvalidRequestError &&
    (error.code === "payment_intent_unexpected_state" ||
      error.code === "charge_expired_for_capture" ||
      (error.code === undefined && /Only Checkout Sessions with a status/.test(error.message))));

/** An intent is captured or cancelled once, whatever the key: Stripe refuses to do it again. */
const atIntent = (key: string, ask: (idempotencyKey: string) => Promise<unknown>): Promise<void> =>
  unless(
    isOver,
    withNextKey(0, (number) => unlessKept(ask(`${key}-${number}`))),
  );

async function unless(over: (error: unknown) => boolean, asked: Promise<unknown>): Promise<void> {
  try {
    await asked;
  } catch (error) {
    if (!over(error)) throw error;
  }
}
