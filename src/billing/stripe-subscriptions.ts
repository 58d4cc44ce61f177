import type Stripe from "stripe";
import { type ProPrice, proAmount, type Subscription, subscriptionStates } from "./pro.ts";
import { dated, isMissing, PaymentsError, type StripeClient } from "./stripe-client.ts";
import { unlessKept } from "./stripe-keys.ts";
import { createPage } from "./stripe-page.ts";

/** Stripe Billing: one customer for each account, and the customer's subscriptions. All functions throw PaymentsError. */
export interface Subscriptions {
  /** The customer that an earlier, lost request created for this account. */
  findCustomer(owner: CustomerOwner, except?: string): Promise<string | undefined>;
  /** Whether Stripe has this customer, and nobody deleted it there. */
  hasCustomer(customer: string): Promise<boolean>;
  /** The same key returns the same customer. Errors also: PaymentsError with `keyUsedUp`. */
  createCustomer(owner: CustomerOwner, key: string): Promise<string>;
  /** The customer's newest checkout for a subscription. */
  lastCheckout(customer: string): Promise<SubscriptionCheckout | undefined>;
  /** A page where a person subscribes. The same key returns the same page. Errors also: PaymentsError with `keyUsedUp`. */
  openCheckout(wanted: SubscriptionWanted, key: string): Promise<string>;
  /** Closes an open page. Already closed or completed: does nothing. */
  expireCheckout(session: string): Promise<void>;
  /** Newest first, ended ones included. Undefined: Stripe has no such customer. */
  list(customer: string): Promise<Subscription[] | undefined>;
  /** A page with invoices, card and cancellation. Undefined: Stripe has no such customer. */
  openPortal(customer: string, returnUrl: string): Promise<string | undefined>;
}

export interface CustomerOwner {
  installation: string;
  account: string;
  email: string;
}

interface SubscriptionCheckout {
  session: string;
  /** If the page is open. */
  url?: string;
  /** Of the price that the page shows: `priceText`. */
  price?: string;
}

interface SubscriptionWanted {
  customer: string;
  owner: CustomerOwner;
  pro: ProPrice;
  /** ISO 4217, upper case. */
  currency: string;
  doneUrl: string;
  cancelledUrl: string;
}

/** Identifies a price in a checkout's metadata: `price_1Qx` or `4900-USD-month`. */
export const priceText = (pro: ProPrice, currency: string): string =>
  "price" in pro ? pro.price : `${proAmount(pro.amount, currency)}-${currency}-${pro.interval}`;

export function createSubscriptions({ stripe, call }: StripeClient): Subscriptions {
  return {
    findCustomer: (owner, except) => call(() => findCustomer(stripe, owner, except)),
    hasCustomer: (customer) => call(() => hasCustomer(stripe, customer)),
    createCustomer: ({ email, ...metadata }, idempotencyKey) =>
      call(async () => (await unlessKept(stripe.customers.create({ email, metadata }, { idempotencyKey }))).id),
    lastCheckout: (customer) => call(() => lastCheckout(stripe, customer)),
    openCheckout: (wanted, key) => call(() => openCheckout(stripe, wanted, key)),
    expireCheckout: (session) =>
      call(async () => {
        try {
          await stripe.checkout.sessions.expire(session);
        } catch (error) {
          const { status } = await stripe.checkout.sessions.retrieve(session);
          if (status === "open") throw error;
        }
      }),
    list: (customer) => call(() => ifCustomer(list(stripe, customer))),
    openPortal: (customer, return_url) =>
      call(() => ifCustomer(stripe.billingPortal.sessions.create({ customer, return_url }).then(({ url }) => url))),
  };
}

/** By e-mail address and not by Stripe's search, which lags behind writes. */
async function findCustomer(stripe: Stripe, owner: CustomerOwner, except?: string): Promise<string | undefined> {
  for await (const { id, metadata } of stripe.customers.list({ email: owner.email, limit: 100 }))
    if (id !== except && metadata["installation"] === owner.installation && metadata["account"] === owner.account)
      return id;
  return undefined;
}

async function hasCustomer(stripe: Stripe, customer: string): Promise<boolean> {
  try {
    return (await stripe.customers.retrieve(customer)).deleted !== true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

async function lastCheckout(stripe: Stripe, customer: string): Promise<SubscriptionCheckout | undefined> {
  const { data } = await stripe.checkout.sessions.list({ customer, limit: 100 });
  const last = data.find(({ mode }) => mode === "subscription");
  if (last === undefined) return undefined;
  const price = last.metadata?.["price"];
  return {
    session: last.id,
    ...(last.status === "open" && last.url !== null ? { url: last.url } : {}),
    ...(price === undefined ? {} : { price }),
  };
}

async function openCheckout(stripe: Stripe, wanted: SubscriptionWanted, idempotencyKey: string): Promise<string> {
  const { customer, owner, pro, currency } = wanted;
  const { installation, account } = owner;
  const { url } = await createPage(
    stripe,
    {
      mode: "subscription",
      customer,
      line_items: [
        "price" in pro
          ? { quantity: 1, price: pro.price }
          : {
              quantity: 1,
              price_data: {
                currency: currency.toLowerCase(),
                unit_amount: proAmount(pro.amount, currency),
                recurring: { interval: pro.interval },
                product_data: { name: "Rowferry Pro" },
              },
            },
      ],
      metadata: { installation, account, price: priceText(pro, currency) },
      subscription_data: { metadata: { installation, account } },
      success_url: wanted.doneUrl,
      cancel_url: wanted.cancelledUrl,
    },
    idempotencyKey,
  );
  return url;
}

async function list(stripe: Stripe, customer: string): Promise<Subscription[]> {
  const { data } = await stripe.subscriptions.list({ customer, status: "all", limit: 100 });
  return data.map(({ id, status, created, items, cancel_at }) => {
    const known = subscriptionStates.find((one) => one === status);
    const [item] = items.data;
    if (known === undefined || item === undefined)
      throw new PaymentsError("unavailable", "Stripe returned a subscription that this version does not understand.");
    return {
      id,
      status: known,
      created: dated(created),
      periodStart: dated(item.current_period_start),
      periodEnd: dated(item.current_period_end),
      ...(cancel_at === null ? {} : { endsAt: dated(cancel_at) }),
    };
  });
}

async function ifCustomer<T>(request: Promise<T>): Promise<T | undefined> {
  try {
    return await request;
  } catch (error) {
    if (isMissing(error) && error.param === "customer") return undefined;
    throw error;
  }
}
