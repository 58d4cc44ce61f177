import { randomUUID } from "node:crypto";
import type Stripe from "stripe";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { counterparts } from "./counterparts.ts";
import { holdParams } from "./orders.ts";

/** What needs neither faults nor a person at a page: the same for the simulator and, with STRIPE_TEST_KEY, for Stripe. */
describe.each(counterparts)("$name", ({ open }) => {
  let stripe: Stripe;
  let close: () => Promise<void>;

  beforeEach(async () => {
    ({ stripe, close } = await open());
  });
  afterEach(() => close());

  /** A hold without a page: confirmed at once with a test card of Stripe's. */
  const hold = (amount = 1200): Promise<Stripe.PaymentIntent> =>
    stripe.paymentIntents.create({
      ...{ amount, currency: "eur", capture_method: "manual", confirm: true, payment_method: "pm_card_visa" },
      automatic_payment_methods: { enabled: true, allow_redirects: "never" },
    });

  it("keeps a customer, and changes and removes single keys of its metadata", async () => {
    const { id } = await stripe.customers.create({ email: "a@rowferry.test", metadata: { a: "1", b: "2" } });
    const changed = await stripe.customers.update(id, { name: "A", metadata: { b: "", c: "3" } });
    expect(changed).toMatchObject({ email: "a@rowferry.test", name: "A" });
    expect(changed.metadata).toEqual({ a: "1", c: "3" });
    expect(await stripe.customers.del(id)).toMatchObject({ id, deleted: true });
  });

  it("creates, lists and expires a checkout session", async () => {
    const { id: customer } = await stripe.customers.create({});
    const session = await stripe.checkout.sessions.create(holdParams({ customer }));
    expect(session).toMatchObject({
      status: "open",
      payment_status: "unpaid",
      payment_intent: null,
      amount_total: 1200,
    });
    const listed = await stripe.checkout.sessions.list({ customer });
    expect(listed.data.map(({ id }) => id)).toEqual([session.id]);
    const full = await stripe.checkout.sessions.retrieve(session.id, { expand: ["customer", "line_items"] });
    expect(full).toMatchObject({ customer: { id: customer }, line_items: { data: [{ amount_total: 1200 }] } });
    expect(await stripe.checkout.sessions.expire(session.id)).toMatchObject({ status: "expired", url: null });
    await expect(stripe.checkout.sessions.expire(session.id)).rejects.toMatchObject({
      type: "StripeInvalidRequestError",
      message: expect.stringContaining('Only Checkout Sessions with a status in ["open"] can be expired.'),
    });
  });

  it("refuses a session that would expire too soon or too late", async () => {
    const now = Math.floor(Date.now() / 1000);
    for (const seconds of [600, 2 * 86_400]) {
      const params = holdParams({ expires_at: now + seconds });
      await expect(stripe.checkout.sessions.create(params)).rejects.toMatchObject({ param: "expires_at" });
    }
  });

  it("captures a hold once", async () => {
    const { id, status, latest_charge } = await hold();
    expect(status).toBe("requires_capture");
    const charge = await stripe.charges.retrieve(latest_charge as string);
    expect(charge.payment_method_details?.card?.capture_before).toBeGreaterThan(charge.created + 86_400);
    expect(await stripe.paymentIntents.capture(id)).toMatchObject({ status: "succeeded", amount_received: 1200 });
    await expect(stripe.paymentIntents.capture(id)).rejects.toMatchObject({
      code: "payment_intent_unexpected_state",
      message: "This PaymentIntent could not be captured because it has already been captured.",
    });
    await expect(stripe.paymentIntents.cancel(id)).rejects.toMatchObject({ code: "payment_intent_unexpected_state" });
  });

  it("captures a part, and never more than was held", async () => {
    const { id, latest_charge } = await hold();
    await expect(stripe.paymentIntents.capture(id, { amount_to_capture: 1201 })).rejects.toMatchObject({
      code: "amount_too_large",
    });
    expect(await stripe.paymentIntents.capture(id, { amount_to_capture: 700 })).toMatchObject({ amount_received: 700 });
    const charge = await stripe.charges.retrieve(latest_charge as string);
    expect(charge).toMatchObject({ amount_captured: 700, amount_refunded: 500 });
  });

  it("releases a hold, and does not capture it after that", async () => {
    const { id } = await hold();
    expect(await stripe.paymentIntents.cancel(id)).toMatchObject({ status: "canceled", amount_capturable: 0 });
    await expect(stripe.paymentIntents.capture(id)).rejects.toMatchObject({
      code: "payment_intent_unexpected_state",
      message: expect.stringContaining("because it has a status of canceled"),
    });
  });

  it("says how a card refused", async () => {
    const attempt = stripe.paymentIntents.create({
      ...{ amount: 1200, currency: "eur", confirm: true, payment_method: "pm_card_visa_chargeDeclined" },
      automatic_payment_methods: { enabled: true, allow_redirects: "never" },
    });
    await expect(attempt).rejects.toMatchObject({
      type: "StripeCardError",
      statusCode: 402,
      code: "card_declined",
      decline_code: "generic_decline",
      payment_intent: { status: "requires_payment_method" },
    });
  });

  it("gives pages of a list, newest first, in both directions", async () => {
    const { id: customer } = await stripe.customers.create({});
    const made: string[] = [];
    for (const amount of [100, 200, 300]) {
      made.unshift((await stripe.paymentIntents.create({ amount, currency: "eur", customer })).id);
    }
    const first = await stripe.paymentIntents.list({ customer, limit: 2 });
    expect(first).toMatchObject({ has_more: true });
    expect(first.data.map(({ id }) => id)).toEqual(made.slice(0, 2));
    const rest = await stripe.paymentIntents.list({ customer, limit: 2, starting_after: made[1] ?? "" });
    expect(rest).toMatchObject({ has_more: false, data: [{ id: made[2] }] });
    const back = await stripe.paymentIntents.list({ customer, ending_before: made[2] ?? "" });
    expect(back.data.map(({ id }) => id)).toEqual(made.slice(0, 2));
    const later = first.data[0]?.created ?? 0;
    expect((await stripe.paymentIntents.list({ customer, created: { gt: later } })).data).toEqual([]);
    expect((await stripe.paymentIntents.list({ customer, created: { gte: later - 60 } })).data).toHaveLength(3);
  });

  it("answers a repeated key with the first answer, and refuses the key for anything else", async () => {
    const idempotencyKey = randomUUID();
    const first = await stripe.customers.create({ email: "k@rowferry.test" }, { idempotencyKey });
    const again = await stripe.customers.create({ email: "k@rowferry.test" }, { idempotencyKey });
    expect(again.id).toBe(first.id);
    expect(again.lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect(again.lastResponse.headers["original-request"]).toBe(first.lastResponse.requestId);
    await expect(stripe.customers.create({ email: "other@rowferry.test" }, { idempotencyKey })).rejects.toMatchObject({
      type: "StripeIdempotencyError",
      statusCode: 400,
    });
    await expect(stripe.customers.update(first.id, {}, { idempotencyKey })).rejects.toMatchObject({
      type: "StripeIdempotencyError",
    });
  });

  it("keeps no key for a request that it could not read", async () => {
    const idempotencyKey = randomUUID();
    await expect(stripe.customers.create({ odd: "1" } as object, { idempotencyKey })).rejects.toThrow("unknown");
    expect((await stripe.customers.create({ name: "A" }, { idempotencyKey })).name).toBe("A");
  });

  it("names what it does not know", async () => {
    await expect(stripe.paymentIntents.retrieve("pi_0")).rejects.toMatchObject({
      statusCode: 404,
      code: "resource_missing",
      param: "intent",
      message: "No such payment_intent: 'pi_0'",
    });
    await expect(stripe.checkout.sessions.retrieve("cs_test_0")).rejects.toMatchObject({ code: "resource_missing" });
    await expect(stripe.customers.create({ odd: "1" } as object)).rejects.toMatchObject({
      code: "parameter_unknown",
      param: "odd",
      message: "Received unknown parameter: odd",
    });
    await expect(stripe.paymentIntents.list({ limit: 1, expand: ["data.nothing"] })).rejects.toThrow(
      "cannot be expanded",
    );
    await expect(stripe.rawRequest("GET", "/v1/nothing")).rejects.toMatchObject({ statusCode: 404 });
  });

  it("says which request an answer is for, and of which version it is", async () => {
    const { lastResponse } = await stripe.customers.list({ limit: 1 });
    expect(lastResponse.requestId).toMatch(/^req_/);
    expect(lastResponse.apiVersion).toMatch(/^\d{4}-\d\d-\d\d\.\w+$/);
  });
});
