import { describe, expect, it } from "vitest";
import { pair, pairForEachTest, stripe } from "./each-test.ts";
import { holdParams } from "./orders.ts";

pairForEachTest();

const customers = async (): Promise<number> => (await stripe.customers.list({ limit: 100 })).data.length;
const connection = { type: "StripeConnectionError" };
const serverError = { type: "StripeAPIError", statusCode: 500 };
/** The SDK tries once more after a closed connection, also where retries are switched off. */
const twice = { times: 2 };

it("while Stripe is down, connections are refused; the control endpoint stays, and nothing is lost", async () => {
  const { id } = await stripe.customers.create({});
  await pair.control("/down", {});
  await expect(stripe.customers.retrieve(id)).rejects.toMatchObject(connection);
  await expect(fetch(pair.url)).rejects.toThrow("fetch failed");
  await pair.control("/down", {});
  await pair.control("/up", {});
  expect((await stripe.customers.retrieve(id)).id).toBe(id);
});

it("a connection is cut before anything happened", async () => {
  await pair.control("/faults", { kind: "reset", ...twice });
  await expect(stripe.customers.create({})).rejects.toMatchObject(connection);
  expect(await customers()).toBe(0);
});

it("a connection is cut after the effect, which a retry with the same key finds", async () => {
  await pair.control("/faults", { kind: "reset", when: "after", ...twice });
  const idempotencyKey = "m1/1/checkout";
  await expect(stripe.checkout.sessions.create(holdParams(), { idempotencyKey })).rejects.toMatchObject(connection);
  const session = await stripe.checkout.sessions.create(holdParams(), { idempotencyKey });
  expect(session.lastResponse.headers["idempotent-replayed"]).toBe("true");
  expect((await stripe.checkout.sessions.list()).data.map(({ id }) => id)).toEqual([session.id]);
  const lost = (await pair.history()).filter((entry) => entry.kind === "request" && entry.fault === "reset after");
  expect(lost).toMatchObject([
    { ran: true, status: null, replayed: false },
    { ran: false, status: null, replayed: true },
  ]);
});

it.each(["before", "after"])(
  "a slow answer outlasts the client's patience, and the effect is there (%s)",
  async (when) => {
    await pair.control("/faults", { kind: "slow", when, ms: 600 });
    await expect(stripe.customers.create({}, { timeout: 100 })).rejects.toMatchObject(connection);
    await expect.poll(customers).toBe(1);
  },
);

describe("an error of the server", () => {
  it.each([500, 502, 503])("%i before the effect leaves none", async (status) => {
    await pair.control("/faults", { kind: "error", status });
    await expect(stripe.customers.create({})).rejects.toMatchObject({ type: "StripeAPIError", statusCode: status });
    expect(await customers()).toBe(0);
  });

  it("503 after the effect hides it, and the key finds it", async () => {
    await pair.control("/faults", { kind: "error", when: "after", status: 503 });
    const again = { idempotencyKey: "once" };
    await expect(stripe.customers.create({}, again)).rejects.toMatchObject({ statusCode: 503 });
    expect((await stripe.customers.create({}, again)).lastResponse.headers["idempotent-replayed"]).toBe("true");
    expect(await customers()).toBe(1);
  });

  it("hits the next N requests of a path and method, until it is removed", async () => {
    await pair.control("/faults", { kind: "error", times: 2, method: "POST", path: "/v1/checkout" });
    await stripe.customers.create({});
    await stripe.checkout.sessions.list();
    for (const _time of [1, 2])
      await expect(stripe.checkout.sessions.create(holdParams())).rejects.toMatchObject(serverError);
    await stripe.checkout.sessions.create(holdParams());
    await pair.control("/faults", { kind: "error", times: null });
    for (const _time of [1, 2, 3]) await expect(stripe.customers.list()).rejects.toMatchObject(serverError);
    await pair.remove("/faults");
    await stripe.customers.list();
  });

  it("is got over by the SDK's own retries", async () => {
    await pair.control("/faults", { kind: "reset", when: "after", ...twice });
    await pair.control("/faults", { kind: "error", status: 503 });
    const patient = pair.client("sk_test_simulator", { maxNetworkRetries: 3 });
    const { id } = await patient.customers.create({});
    expect((await stripe.customers.list()).data.map((customer) => customer.id)).toEqual([id]);
  });
});
