import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { pair, pairForEachTest, stripe } from "./each-test.ts";
import { authorized, holdParams } from "./orders.ts";

pairForEachTest();

const day = 86_400;
const again = { idempotencyKey: "once" };
const customers = async (): Promise<number> => (await stripe.customers.list({ limit: 100 })).data.length;

describe("an idempotency key", () => {
  it("runs once for requests at the same time: the second is refused while the first runs", async () => {
    await pair.control("/faults", { kind: "slow", ms: 300 });
    const first = stripe.customers.create({ name: "A" }, again);
    await expect.poll(async () => (await pair.control<unknown[]>("/faults")).length).toBe(0);
    await expect(stripe.customers.create({ name: "A" }, again)).rejects.toMatchObject({
      statusCode: 409,
      code: "idempotency_key_in_use",
    });
    expect((await stripe.customers.create({ name: "B" })).name).toBe("B");
    expect((await stripe.customers.create({ name: "A" }, again).catch(() => first)).id).toBe((await first).id);
    expect(await customers()).toBe(2);
  });

  it("is retried by the SDK itself until the first request has ended", async () => {
    await pair.control("/faults", { kind: "slow", ms: 300 });
    const patient = pair.client("sk_test_simulator", { maxNetworkRetries: 5 });
    const [first, second] = await Promise.all([
      patient.customers.create({ name: "A" }, again),
      patient.customers.create({ name: "A" }, again),
    ]);
    expect(second.id).toBe(first.id);
    expect(await customers()).toBe(1);
  });

  it("answers a 500 again and again, since Stripe does not know what came of it", async () => {
    await pair.control("/faults", { kind: "error", when: "after" });
    await expect(stripe.customers.create({}, again)).rejects.toMatchObject({ type: "StripeAPIError", statusCode: 500 });
    await expect(stripe.customers.create({}, again)).rejects.toMatchObject({
      statusCode: 500,
      headers: expect.objectContaining({ "idempotent-replayed": "true" }),
    });
    expect(await customers()).toBe(1);
  });

  it("answers an error of the object's state again, also when the state has changed", async () => {
    const { id } = await stripe.checkout.sessions.create(holdParams());
    await pair.control(`/sessions/${id}/decline`, {});
    const { payment_intent } = await stripe.checkout.sessions.retrieve(id);
    const capture = () => stripe.paymentIntents.capture(payment_intent as string, {}, again);
    await expect(capture()).rejects.toThrow("requires_payment_method");
    await pair.control(`/sessions/${id}/authorize`, {});
    await expect(capture()).rejects.toThrow("requires_payment_method");
    expect((await stripe.paymentIntents.capture(payment_intent as string)).status).toBe("succeeded");
  });

  it("answers bad input again that the operation itself found, as Stripe does once it has begun", async () => {
    const wrong = holdParams({ expires_at: 5 });
    await expect(stripe.checkout.sessions.create(wrong, again)).rejects.toMatchObject({ param: "expires_at" });
    await expect(stripe.checkout.sessions.create(holdParams(), again)).rejects.toMatchObject({
      type: "StripeIdempotencyError",
    });
  });

  it("is forgotten after 24 hours of the clock", async () => {
    const first = await stripe.customers.create({}, again);
    await pair.control("/clock", { advance: day - 60 });
    expect((await stripe.customers.create({}, again)).id).toBe(first.id);
    await pair.control("/clock", { advance: 61 });
    expect((await stripe.customers.create({}, again)).id).not.toBe(first.id);
  });

  it("is kept by no 429", async () => {
    await pair.control("/faults", { kind: "rate_limit" });
    await expect(stripe.customers.create({}, again)).rejects.toMatchObject({
      type: "StripeRateLimitError",
      statusCode: 429,
      code: "rate_limit",
    });
    await pair.control("/faults", { kind: "lock_timeout" });
    await expect(stripe.customers.create({}, again)).rejects.toMatchObject({ statusCode: 429, code: "lock_timeout" });
    expect((await stripe.customers.create({}, again)).object).toBe("customer");
  });
});

describe("a key", () => {
  it("that is wrong or missing is refused, and no answer has it in full", async () => {
    await expect(pair.client("sk_test_wrong_1234").customers.list()).rejects.toMatchObject({
      type: "StripeAuthenticationError",
      statusCode: 401,
      message: "Invalid API Key provided: sk_test_********1234",
    });
    const response = await fetch(`${pair.url}/v1/customers`);
    expect(response.status).toBe(401);
  });

  it("that is restricted does what it may and is refused the rest", async () => {
    const rights = ["customer_write", "checkout_session_read"];
    await pair.control("/keys", { key: "rk_test_narrow_9876", rights });
    const narrow = pair.client("rk_test_narrow_9876");
    await narrow.customers.create({});
    await narrow.customers.list();
    await narrow.checkout.sessions.list();
    await expect(narrow.checkout.sessions.create(holdParams())).rejects.toMatchObject({
      type: "StripePermissionError",
      statusCode: 403,
      message: expect.stringContaining("Having the 'rak_checkout_session_write' permission"),
    });
    expect(JSON.stringify(await pair.history())).not.toContain("rk_test_narrow");
  });

  it("may be sent as curl sends it", async () => {
    const Authorization = `Basic ${Buffer.from("sk_test_simulator:").toString("base64")}`;
    expect((await fetch(`${pair.url}/v1/customers`, { headers: { Authorization } })).status).toBe(200);
  });
});

describe("a parameter", () => {
  it.each([
    [{ mode: "payment", success_url: "https://a.test" }, "parameter_missing", "line_items"],
    [holdParams({ line_items: [{ quantity: 1, odd: 1 } as object] }), "parameter_unknown", "line_items[0][odd]"],
    [{ ...holdParams(), expires_at: "soon" }, "parameter_invalid_integer", "expires_at"],
    [{ ...holdParams(), success_url: "nowhere" }, "url_invalid", "success_url"],
    [{ ...holdParams(), customer: "cus_0" }, "resource_missing", "customer"],
    [holdParams({ line_items: [{ price: "price_0" }] }), "resource_missing", "line_items[0][price]"],
  ])("that is wrong is named: %j", async (params, code, param) => {
    const attempt = stripe.checkout.sessions.create(params as Stripe.Checkout.SessionCreateParams);
    await expect(attempt).rejects.toMatchObject({ type: "StripeInvalidRequestError", code, param });
  });

  it("of a list has its bounds", async () => {
    for (const limit of [0, 101])
      await expect(stripe.customers.list({ limit })).rejects.toMatchObject({ param: "limit" });
    await expect(stripe.customers.list({ starting_after: "cus_0" })).rejects.toMatchObject({
      code: "resource_missing",
    });
  });
});

it("a version that is none is refused", async () => {
  const Authorization = "Bearer sk_test_simulator";
  const response = await fetch(`${pair.url}/v1/customers`, { headers: { Authorization, "Stripe-Version": "newest" } });
  expect(response.status).toBe(400);
  expect(await response.json()).toMatchObject({ error: { message: "Invalid Stripe API version: newest" } });
});

it("an amount below Stripe's smallest is refused", async () => {
  const price_data = { currency: "eur", unit_amount: 49, product_data: { name: "Small" } };
  const attempt = stripe.checkout.sessions.create(holdParams({ line_items: [{ price_data, quantity: 1 }] }));
  await expect(attempt).rejects.toMatchObject({ code: "amount_too_small" });
});

it("events are listed by type and retrieved, with the request and key that made them", async () => {
  const { intent } = await authorized(pair);
  await stripe.paymentIntents.cancel(intent.id, {}, { idempotencyKey: "m1/1/cancel" });
  const { data } = await stripe.events.list({ types: ["payment_intent.canceled", "charge.refunded"] });
  expect(data.map(({ type }) => type)).toEqual(["payment_intent.canceled", "charge.refunded"]);
  const event = await stripe.events.retrieve(data[0]?.id ?? "");
  expect(event.request).toMatchObject({ id: expect.stringMatching(/^req_/), idempotency_key: "m1/1/cancel" });
  expect((await stripe.events.list({ type: "payment_intent.*" })).data).toHaveLength(3);
});

it("the history has every request, change, event and act, in order and with the clock's time", async () => {
  const { intent, session } = await authorized(pair);
  await pair.control("/clock", { advance: 60 });
  await stripe.paymentIntents.capture(intent.id, {}, again);
  await stripe.paymentIntents.capture(intent.id, {}, again);
  const history = await pair.history();
  expect(history.map(({ n }) => n)).toEqual(history.map((_entry, index) => index + 1));
  expect(history.every(({ at }, index) => at >= (history[index - 1]?.at ?? 0))).toBe(true);
  const captures = history.filter((entry) => entry.kind === "request" && entry.path.endsWith("/capture"));
  expect(captures).toMatchObject([
    { idempotency_key: "once", status: 200, replayed: false, ran: true, error: null },
    { idempotency_key: "once", status: 200, replayed: true, ran: false },
  ]);
  const states = history.flatMap((entry) =>
    entry.kind === "change" && entry.id === intent.id && "status" in entry.to ? [entry.to["status"]] : [],
  );
  expect(states).toEqual(["requires_payment_method", "requires_capture", "succeeded"]);
  expect(history).toContainEqual(
    expect.objectContaining({ kind: "act", what: "POST /sessions/{id}/authorize", id: session.id }),
  );
  const half = await pair.control<unknown[]>(`/history?after=${history.length / 2}`);
  expect(half).toHaveLength(history.length - Math.floor(history.length / 2));
});
