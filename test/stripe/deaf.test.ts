import { expect, test } from "vitest";
import { createStripeClient } from "../../src/billing/stripe-client.ts";
import { deafHost } from "../support/deaf-host.ts";

test("where Stripe's address takes no connection, a call ends after two tries, and does not wait for the system to give up", async () => {
  const { port, stop } = await deafHost();
  try {
    const { stripe, call } = createStripeClient({ key: "sk_test_1", url: `http://127.0.0.1:${port}`, timeout: 200 });
    await expect(call(() => stripe.customers.list())).rejects.toMatchObject({ code: "unavailable" });
  } finally {
    stop();
  }
}, 10_000);
