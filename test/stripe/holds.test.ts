import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { pair, pairForEachTest, stripe } from "./each-test.ts";
import { authorized, eventTypes, holdParams } from "./orders.ts";

pairForEachTest();

const now = async (): Promise<number> => (await pair.control<{ now: number }>("/clock")).now;
const day = 86_400;

describe("a checkout session", () => {
  it("is open, has a link, and has no intent before the first attempt", async () => {
    const session = await stripe.checkout.sessions.create(holdParams());
    expect(session).toMatchObject({ status: "open", payment_status: "unpaid", amount_total: 1200, currency: "eur" });
    expect(session.payment_intent).toBeNull();
    expect(session.url).toBe(`${pair.url}/c/pay/${session.id}`);
    expect(session.expires_at - session.created).toBe(day);
    const items = await stripe.checkout.sessions.listLineItems(session.id);
    expect(items.data).toMatchObject([{ amount_total: 1200, description: "Migration of 12 GB", quantity: 1 }]);
  });

  it("is complete and unpaid once a person authorised the hold, which has the intent's metadata", async () => {
    const { session, intent, charge } = await authorized(pair);
    expect(session).toMatchObject({ status: "complete", payment_status: "unpaid", url: null });
    expect(intent).toMatchObject({
      status: "requires_capture",
      amount_capturable: 1200,
      amount_received: 0,
      metadata: { migration: "m1", attempt: "1" },
    });
    expect(charge).toMatchObject({ status: "succeeded", captured: false, paid: true });
    expect(charge.payment_method_details?.card?.capture_before).toBe(charge.created + 7 * day);
    expect(await eventTypes(stripe)).toEqual([
      "payment_intent.created",
      "charge.succeeded",
      "payment_intent.amount_capturable_updated",
      "checkout.session.completed",
    ]);
  });

  it("that a person declined stays open for another try, and its intent cannot be cancelled", async () => {
    const { id } = await stripe.checkout.sessions.create(holdParams());
    await pair.control(`/sessions/${id}/decline`, {});
    const session = await stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent"] });
    const intent = session.payment_intent as Stripe.PaymentIntent;
    expect(session.status).toBe("open");
    expect(intent).toMatchObject({
      status: "requires_payment_method",
      last_payment_error: { code: "card_declined", decline_code: "generic_decline" },
    });
    await expect(stripe.paymentIntents.cancel(intent.id)).rejects.toMatchObject({
      type: "StripeInvalidRequestError",
      message: expect.stringContaining("PaymentIntents created by Checkout"),
    });
    await pair.control(`/sessions/${id}/authorize`, {});
    const again = await stripe.paymentIntents.retrieve(intent.id);
    expect(again).toMatchObject({ status: "requires_capture", last_payment_error: null });
    expect((await stripe.charges.list({ payment_intent: intent.id })).data.map(({ status }) => status)).toEqual([
      "succeeded",
      "failed",
    ]);
  });

  it("with 3-D Secure waits for the bank's page, which can fail and be tried again", async () => {
    const { id } = await stripe.checkout.sessions.create(holdParams());
    const intent = async () => {
      const { payment_intent } = await stripe.checkout.sessions.retrieve(id, { expand: ["payment_intent"] });
      return payment_intent as Stripe.PaymentIntent;
    };
    await pair.control(`/sessions/${id}/3ds`, {});
    expect(await intent()).toMatchObject({ status: "requires_action", next_action: { type: "redirect_to_url" } });
    await pair.control(`/sessions/${id}/3ds/fail`, {});
    expect(await intent()).toMatchObject({
      status: "requires_payment_method",
      last_payment_error: { code: "payment_intent_authentication_failure" },
    });
    await pair.control(`/sessions/${id}/3ds`, {});
    await pair.control(`/sessions/${id}/3ds/complete`, {});
    expect(await intent()).toMatchObject({ status: "requires_capture", next_action: null });
  });

  it("expires once, also by the clock, and takes its unfinished intent with it", async () => {
    const first = await stripe.checkout.sessions.create(holdParams());
    await pair.control(`/sessions/${first.id}/decline`, {});
    const expired = await stripe.checkout.sessions.expire(first.id, { expand: ["payment_intent"] });
    expect(expired).toMatchObject({ status: "expired", url: null, payment_intent: { status: "canceled" } });
    await expect(stripe.checkout.sessions.expire(first.id)).rejects.toMatchObject({
      message:
        'Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of `expired`.',
    });
    await expect(pair.control(`/sessions/${first.id}/authorize`, {})).rejects.toThrow("409");

    const second = await stripe.checkout.sessions.create(holdParams({ expires_at: (await now()) + 1800 }));
    await pair.control("/clock", { advance: 1740 });
    expect((await stripe.checkout.sessions.retrieve(second.id)).status).toBe("open");
    await pair.control("/clock", { advance: 61 });
    expect((await stripe.checkout.sessions.retrieve(second.id)).status).toBe("expired");
    const { data } = await stripe.events.list({ type: "checkout.session.expired", limit: 1 });
    expect(data[0]).toMatchObject({ created: second.expires_at, request: { id: null, idempotency_key: null } });
  });

  it("cannot be expired when it is complete", async () => {
    const { session } = await authorized(pair);
    await expect(stripe.checkout.sessions.expire(session.id)).rejects.toThrow("has a status of `complete`");
  });

  it("can be authorised for another amount or currency only by the control endpoint, for hostile tests", async () => {
    const { session, intent } = await authorized(pair, {}, { amount: 1, currency: "jpy" });
    expect(session).toMatchObject({ amount_total: 1200, currency: "eur" });
    expect(intent).toMatchObject({ amount: 1, amount_capturable: 1, currency: "jpy" });
  });

  it("without manual capture is paid at once", async () => {
    const { session, intent } = await authorized(pair, { payment_intent_data: {} });
    expect(session.payment_status).toBe("paid");
    expect(intent).toMatchObject({ status: "succeeded", amount_received: 1200, amount_capturable: 0 });
  });
});

describe("a hold", () => {
  it("is captured once", async () => {
    const { intent, session } = await authorized(pair);
    const captured = await stripe.paymentIntents.capture(intent.id, {}, { idempotencyKey: "m1/1/capture" });
    expect(captured).toMatchObject({ status: "succeeded", amount_received: 1200, amount_capturable: 0 });
    await expect(stripe.paymentIntents.capture(intent.id)).rejects.toMatchObject({
      statusCode: 400,
      code: "payment_intent_unexpected_state",
      message: "This PaymentIntent could not be captured because it has already been captured.",
    });
    await expect(stripe.paymentIntents.cancel(intent.id)).rejects.toMatchObject({
      code: "payment_intent_unexpected_state",
      message: expect.stringContaining("because it has a status of succeeded"),
    });
    expect((await stripe.checkout.sessions.retrieve(session.id)).payment_status).toBe("paid");
    const capture = (await stripe.events.list({ type: "payment_intent.succeeded" })).data[0];
    expect(capture?.request?.idempotency_key).toBe("m1/1/capture");
    expect((await eventTypes(stripe)).slice(-2)).toEqual(["charge.captured", "payment_intent.succeeded"]);
  });

  it("is captured in part, and the rest is released", async () => {
    const { intent, charge } = await authorized(pair);
    await expect(stripe.paymentIntents.capture(intent.id, { amount_to_capture: 1201 })).rejects.toMatchObject({
      code: "amount_too_large",
    });
    const captured = await stripe.paymentIntents.capture(intent.id, { amount_to_capture: 1000 });
    expect(captured).toMatchObject({ status: "succeeded", amount: 1200, amount_received: 1000 });
    const after = await stripe.charges.retrieve(charge.id, { expand: ["refunds"] });
    expect(after).toMatchObject({ amount_captured: 1000, amount_refunded: 200, captured: true, refunded: false });
    expect(after.refunds?.data).toMatchObject([{ amount: 200 }]);
  });

  it("is released by cancelling, and not captured after that", async () => {
    const { intent, charge } = await authorized(pair);
    const canceled = await stripe.paymentIntents.cancel(intent.id, { cancellation_reason: "abandoned" });
    expect(canceled).toMatchObject({ status: "canceled", amount_capturable: 0, cancellation_reason: "abandoned" });
    await expect(stripe.paymentIntents.capture(intent.id)).rejects.toMatchObject({
      code: "payment_intent_unexpected_state",
      message:
        "This PaymentIntent could not be captured because it has a status of canceled. Only a PaymentIntent with one of the following statuses may be captured: requires_capture.",
    });
    await expect(stripe.paymentIntents.cancel(intent.id)).rejects.toThrow("it has a status of canceled");
    expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ captured: false, refunded: true });
    expect((await eventTypes(stripe)).slice(-2)).toEqual(["charge.refunded", "payment_intent.canceled"]);
  });

  it("lapses at capture_before, at that time and not when somebody looks", async () => {
    const { intent, charge } = await authorized(pair);
    await pair.control("/clock", { advance: 7 * day - 60 });
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe("requires_capture");
    await pair.control("/clock", { advance: 30 * day });
    expect(await stripe.paymentIntents.retrieve(intent.id)).toMatchObject({
      status: "canceled",
      canceled_at: charge.payment_method_details?.card?.capture_before,
    });
    expect((await stripe.refunds.list({ charge: charge.id })).data[0]?.reason).toBe("expired_uncaptured_charge");
    expect((await eventTypes(stripe)).slice(-2)).toEqual(["charge.expired", "payment_intent.canceled"]);
  });

  it("lapses by itself, without a request, as soon as the account's cards have it", async () => {
    await pair.control("/settings", { holdSeconds: 1 });
    const { intent } = await authorized(pair);
    await expect.poll(async () => (await stripe.paymentIntents.retrieve(intent.id)).status).toBe("canceled");
    const lapse = (await pair.history()).find((entry) => entry.kind === "event" && entry.type === "charge.expired");
    expect(lapse?.at).toBe(intent.created + 1);
  });
});

describe("by hand in the dashboard", () => {
  it("a payment is refunded, in part and then all of it, and not more", async () => {
    const { intent, charge } = await authorized(pair);
    await expect(pair.control(`/payment_intents/${intent.id}/refund`, {})).rejects.toThrow("no captured charge");
    await stripe.paymentIntents.capture(intent.id, { amount_to_capture: 1000 });
    await pair.control(`/payment_intents/${intent.id}/refund`, { amount: 300 });
    expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ amount_refunded: 500, refunded: false });
    await pair.control(`/payment_intents/${intent.id}/refund`, {});
    expect(await stripe.charges.retrieve(charge.id)).toMatchObject({ amount_refunded: 1200, refunded: true });
    await expect(pair.control(`/payment_intents/${intent.id}/refund`, { amount: 1 })).rejects.toThrow("400");
    expect((await stripe.paymentIntents.retrieve(intent.id)).status).toBe("succeeded");
    expect(await eventTypes(stripe)).toEqual(expect.arrayContaining(["refund.created", "charge.refunded"]));
  });

  it.each(["won", "lost"] as const)("a payment is disputed, and the dispute is %s", async (status) => {
    const { intent, charge } = await authorized(pair);
    await stripe.paymentIntents.capture(intent.id);
    const { id } = await pair.control<{ id: string }>(`/payment_intents/${intent.id}/dispute`, {});
    expect((await stripe.charges.retrieve(charge.id)).disputed).toBe(true);
    expect((await stripe.disputes.list({ payment_intent: intent.id })).data).toMatchObject([
      { id, amount: 1200, status: "needs_response" },
    ]);
    await pair.control(`/disputes/${id}/close`, { status });
    expect((await stripe.disputes.retrieve(id)).status).toBe(status);
    expect((await eventTypes(stripe)).at(-1)).toBe("charge.dispute.closed");
  });

  it("a hold is cancelled, and another captured", async () => {
    const first = await authorized(pair);
    await pair.control(`/payment_intents/${first.intent.id}/cancel`, {});
    expect((await stripe.paymentIntents.retrieve(first.intent.id)).status).toBe("canceled");
    const second = await authorized(pair);
    await pair.control(`/payment_intents/${second.intent.id}/capture`, {});
    expect((await stripe.paymentIntents.retrieve(second.intent.id)).status).toBe("succeeded");
  });
});
