import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { StripeClient } from "../../src/billing/stripe-client.ts";
import { type CustomerOwner, createSubscriptions, type Subscriptions } from "../../src/billing/stripe-subscriptions.ts";
import { counterparts } from "./counterparts.ts";

/** Rowferry's own requests for subscriptions: the same for the simulator and, with STRIPE_TEST_KEY, for Stripe. */
describe.each(counterparts)("$name", ({ open }) => {
  let client: StripeClient;
  let subscriptions: Subscriptions;
  let owner: CustomerOwner;
  let close: () => Promise<void>;

  beforeEach(async () => {
    const opened = await open();
    ({ close } = opened);
    client = { stripe: opened.stripe, call: (request) => request() };
    subscriptions = createSubscriptions(client);
    owner = { installation: "test/both", account: randomUUID(), email: `${randomUUID()}@rowferry.test` };
  });
  afterEach(() => close());

  const wanted = (customer: string) => ({
    ...{ customer, owner, pro: { amount: 49, interval: "month" as const }, currency: "EUR" },
    ...{ doneUrl: "https://rowferry.test/checkout/done", cancelledUrl: "https://rowferry.test/checkout/cancelled" },
  });

  it("creates one customer for a key, finds it by its metadata, and sees that it was deleted", async () => {
    const key = randomUUID();
    const id = await subscriptions.createCustomer(owner, key);
    expect(await subscriptions.createCustomer(owner, key)).toBe(id);
    expect(await subscriptions.findCustomer(owner)).toBe(id);
    expect(await subscriptions.findCustomer({ ...owner, account: "another" })).toBeUndefined();
    expect(await subscriptions.findCustomer(owner, id)).toBeUndefined();
    expect(await subscriptions.hasCustomer(id)).toBe(true);
    await client.stripe.customers.del(id);
    expect(await subscriptions.hasCustomer(id)).toBe(false);
    expect(await subscriptions.findCustomer(owner)).toBeUndefined();
  });

  it("opens one page for a key, finds it again, and closes it once", async () => {
    const customer = await subscriptions.createCustomer(owner, randomUUID());
    expect(await subscriptions.lastCheckout(customer)).toBeUndefined();
    const key = randomUUID();
    const url = await subscriptions.openCheckout(wanted(customer), key);
    expect(await subscriptions.openCheckout(wanted(customer), key)).toBe(url);
    const last = await subscriptions.lastCheckout(customer);
    expect(last).toMatchObject({ url, price: "4900-EUR-month" });
    await subscriptions.expireCheckout(last?.session ?? "");
    await subscriptions.expireCheckout(last?.session ?? "");
    expect(await subscriptions.lastCheckout(customer)).toEqual({ session: last?.session, price: "4900-EUR-month" });
    expect(await subscriptions.list(customer)).toEqual([]);
  });

  it("opens no page for a customer that does not exist", async () => {
    expect(await subscriptions.openPortal("cus_0", "https://rowferry.test/")).toBeUndefined();
    await expect(subscriptions.openCheckout(wanted("cus_0"), randomUUID())).rejects.toMatchObject({
      code: "resource_missing",
    });
  });
});
