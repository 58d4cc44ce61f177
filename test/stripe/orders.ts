import type Stripe from "stripe";
import type { GivenPrice } from "../../dev/stripe/objects/prices.ts";
import type { Pair } from "./pair.ts";

/** What a checkout of the product looks like: a hold of 12 EUR, unless said otherwise. */
export const holdParams = (
  more: Partial<Stripe.Checkout.SessionCreateParams> = {},
): Stripe.Checkout.SessionCreateParams => ({
  mode: "payment",
  success_url: "https://rowferry.test/checkout/done?session={CHECKOUT_SESSION_ID}",
  cancel_url: "https://rowferry.test/checkout/cancelled",
  line_items: [
    {
      price_data: { currency: "eur", unit_amount: 1200, product_data: { name: "Migration of 12 GB" } },
      quantity: 1,
    },
  ],
  metadata: { migration: "m1" },
  payment_intent_data: { capture_method: "manual", metadata: { migration: "m1", attempt: "1" } },
  ...more,
});

export const proPrice: GivenPrice = {
  id: "price_pro",
  product: "prod_pro",
  name: "Rowferry Pro",
  currency: "eur",
  unit_amount: 4900,
  interval: "month",
};

export const proParams = (customer?: string): Stripe.Checkout.SessionCreateParams => ({
  mode: "subscription",
  success_url: "https://rowferry.test/checkout/done",
  cancel_url: "https://rowferry.test/checkout/cancelled",
  line_items: [{ price: "price_pro", quantity: 1 }],
  subscription_data: { metadata: { account: "a1" } },
  ...(customer === undefined ? {} : { customer }),
});

/** A hold that a person authorised, and its session. */
export const authorized = async (
  { stripe, control }: Pair,
  params: Partial<Stripe.Checkout.SessionCreateParams> = {},
  twist: object = {},
) => {
  const open = await stripe.checkout.sessions.create(holdParams(params));
  await control(`/sessions/${open.id}/authorize`, twist);
  const session = await stripe.checkout.sessions.retrieve(open.id, { expand: ["payment_intent.latest_charge"] });
  const intent = session.payment_intent as Stripe.PaymentIntent;
  return { session, intent, charge: intent.latest_charge as Stripe.Charge };
};

/** The types of the events, oldest first. */
export const eventTypes = async (stripe: Stripe): Promise<string[]> =>
  (await stripe.events.list({ limit: 100 })).data.map(({ type }) => type).reverse();
