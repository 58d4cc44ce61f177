import type Stripe from "stripe";
import { expect, it } from "vitest";
import { pair, pairForEachTest, stripe } from "./each-test.ts";
import { eventTypes, proParams, proPrice } from "./orders.ts";

pairForEachTest({ prices: [proPrice] });

const day = 86_400;

const subscribed = async (): Promise<{ customer: string; subscription: Stripe.Subscription }> => {
  const { id: customer } = await stripe.customers.create({ email: "pro@rowferry.test", metadata: { account: "a1" } });
  const session = await stripe.checkout.sessions.create(proParams(customer));
  await pair.control(`/sessions/${session.id}/authorize`, {});
  const { subscription } = await stripe.checkout.sessions.retrieve(session.id, { expand: ["subscription"] });
  return { customer, subscription: subscription as Stripe.Subscription };
};

/** Past the end of the paid time. */
const toRenewal = ({ items }: Stripe.Subscription): Promise<unknown> =>
  pair.control("/clock", { to: (items.data[0]?.current_period_end ?? 0) + 1 });

it("a price and its product are those that the account's owner made", async () => {
  const price = await stripe.prices.retrieve("price_pro", { expand: ["product"] });
  expect(price).toMatchObject({
    unit_amount: 4900,
    recurring: { interval: "month" },
    product: { name: "Rowferry Pro" },
  });
  const { subscription_data: _, ...params } = proParams();
  await expect(stripe.checkout.sessions.create({ ...params, mode: "payment" })).rejects.toMatchObject({
    statusCode: 400,
    message: expect.stringContaining("You specified `payment` mode but passed a recurring price."),
  });
});

it("a person subscribes: the first period is paid, and the subscription has the session's metadata", async () => {
  const { customer, subscription } = await subscribed();
  expect(subscription).toMatchObject({
    status: "active",
    customer,
    cancel_at_period_end: false,
    metadata: { account: "a1" },
  });
  const { data } = await stripe.invoices.list({ customer });
  expect(data).toMatchObject([{ status: "paid", amount_paid: 4900, billing_reason: "subscription_create" }]);
  expect(data[0]?.id).toBe(subscription.latest_invoice);
  expect(await eventTypes(stripe)).toEqual([
    "customer.created",
    "invoice.created",
    "invoice.finalized",
    "customer.subscription.created",
    "payment_intent.created",
    "charge.succeeded",
    "payment_intent.succeeded",
    "invoice.paid",
    "invoice.payment_succeeded",
    "checkout.session.completed",
  ]);
});

it("a person without a customer becomes one by subscribing", async () => {
  const session = await stripe.checkout.sessions.create({ ...proParams(), customer_email: "new@rowferry.test" });
  await pair.control(`/sessions/${session.id}/authorize`, {});
  const done = await stripe.checkout.sessions.retrieve(session.id, { expand: ["customer"] });
  expect(done).toMatchObject({ status: "complete", payment_status: "paid", customer: { email: "new@rowferry.test" } });
});

it("a subscription renews with the clock, month by month", async () => {
  const { subscription, customer } = await subscribed();
  await pair.control("/clock", { advance: 95 * day });
  const now = await stripe.subscriptions.retrieve(subscription.id);
  expect(now.status).toBe("active");
  const invoices = (await stripe.invoices.list({ subscription: subscription.id })).data;
  expect(invoices.map(({ billing_reason }) => billing_reason)).toEqual([
    "subscription_cycle",
    "subscription_cycle",
    "subscription_cycle",
    "subscription_create",
  ]);
  expect(new Set(invoices.map(({ created }) => created)).size).toBe(4);
  expect((await stripe.paymentIntents.list({ customer })).data).toHaveLength(4);
});

it("a failed renewal makes it past_due, a payment that works active again", async () => {
  const { subscription, customer } = await subscribed();
  await pair.control(`/customers/${customer}/card`, { fails: true });
  await toRenewal(subscription);
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("past_due");
  const { data } = await stripe.invoices.list({ customer, status: "open" });
  expect(data).toMatchObject([{ attempt_count: 1, amount_remaining: 4900 }]);
  await pair.control(`/customers/${customer}/card`, { fails: false });
  await pair.control("/clock", { advance: 3 * day });
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("active");
  expect((await stripe.invoices.list({ customer, status: "open" })).data).toEqual([]);
});

it("payments that go on failing end it", async () => {
  const { subscription, customer } = await subscribed();
  await pair.control(`/customers/${customer}/card`, { fails: true });
  await toRenewal(subscription);
  await pair.control("/clock", { advance: 20 * day });
  const ended = await stripe.subscriptions.retrieve(subscription.id);
  expect(ended).toMatchObject({ status: "canceled", cancellation_details: { reason: "payment_failed" } });
  const types = await eventTypes(stripe);
  expect(types.filter((type) => type === "invoice.payment_failed")).toHaveLength(4);
  expect(types.at(-1)).toBe("customer.subscription.deleted");
});

it("cancelled in the portal, it runs to the end of the paid time", async () => {
  const { subscription } = await subscribed();
  await pair.control(`/subscriptions/${subscription.id}/cancel`, {});
  const now = await stripe.subscriptions.retrieve(subscription.id);
  expect(now).toMatchObject({ status: "active", cancel_at_period_end: true });
  expect(now.cancel_at).toBe(now.items.data[0]?.current_period_end);
  const { data } = await stripe.events.list({ type: "customer.subscription.updated" });
  expect(data[0]?.data.previous_attributes).toMatchObject({ cancel_at_period_end: false });
  await toRenewal(subscription);
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
  expect((await eventTypes(stripe)).at(-1)).toBe("customer.subscription.deleted");
});

it("kept again in the portal, it renews", async () => {
  const { subscription } = await subscribed();
  await pair.control(`/subscriptions/${subscription.id}/cancel`, {});
  await pair.control(`/subscriptions/${subscription.id}/keep`, {});
  await toRenewal(subscription);
  expect(await stripe.subscriptions.retrieve(subscription.id)).toMatchObject({ status: "active", cancel_at: null });
});

it("where the account's owner chose so, the portal ends it at once", async () => {
  await pair.control("/settings", { portalCancels: "immediately" });
  const { subscription } = await subscribed();
  await pair.control(`/subscriptions/${subscription.id}/cancel`, {});
  expect((await stripe.subscriptions.retrieve(subscription.id)).status).toBe("canceled");
});

it("the API sets cancel_at_period_end, cancels once, and lists what is left", async () => {
  const { subscription, customer } = await subscribed();
  const updated = await stripe.subscriptions.update(subscription.id, { cancel_at_period_end: true });
  expect(updated.cancel_at_period_end).toBe(true);
  expect((await stripe.subscriptions.list({ customer })).data).toHaveLength(1);
  expect((await stripe.subscriptions.cancel(subscription.id)).status).toBe("canceled");
  await expect(stripe.subscriptions.cancel(subscription.id)).rejects.toMatchObject({ statusCode: 400 });
  expect((await stripe.subscriptions.list({ customer })).data).toEqual([]);
  expect((await stripe.subscriptions.list({ customer, status: "all" })).data).toHaveLength(1);
});

it("a portal session needs a customer that exists", async () => {
  const { customer } = await subscribed();
  const session = await stripe.billingPortal.sessions.create({ customer, return_url: "https://rowferry.test/" });
  expect(session.url).toBe(`${pair.url}/p/session/${session.id}`);
  await expect(stripe.billingPortal.sessions.create({ customer: "cus_0" })).rejects.toMatchObject({
    code: "resource_missing",
    param: "customer",
  });
});
