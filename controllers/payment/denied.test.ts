import { expect, test } from "vitest";
import type { Migration } from "../../src/resources/migration.ts";
import type { PaymentStatus } from "../../src/resources/payment.ts";
import { deniedPayment } from "./denied.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const earlier = "2026-03-01T11:00:00.000Z";
const message = "Stripe's API key lacks the permission `rak_payment_intent_write`.";
const said = { reason: "PaymentKeyDenied", message };

const migration = (payment?: PaymentStatus, session: string | undefined = "cs_2") =>
  ({
    metadata: { name: "shop" },
    spec: {
      payment: {
        ...{ by: "hold", account: "a", currency: "USD", amount: 500 },
        ...(session === undefined ? {} : { checkout: { session, url: "https://x", expiresAt: earlier, number: 2 } }),
      },
    },
    status: payment === undefined ? {} : { payment },
  }) as unknown as Migration;

const held: PaymentStatus = { state: "authorized", session: "cs_2", intent: "pi_2", lookedAt: earlier };
const captured: PaymentStatus = {
  ...{ state: "captured", session: "cs_1", intent: "pi_1", lookedAt: earlier },
  ...{ captured: 500, capturedAt: earlier },
};

test.each<[string, PaymentStatus | undefined, PaymentStatus]>([
  ["a hold stays a hold", held, { ...held, ...said }],
  [
    "a checkout that was never looked at awaits",
    undefined,
    { state: "awaiting", session: "cs_2", lookedAt: now.toISOString(), ...said },
  ],
  [
    "what an earlier checkout captured stays",
    captured,
    {
      ...{ state: "awaiting", session: "cs_2", lookedAt: now.toISOString() },
      ...{ captured: 500, earlier: [{ session: "cs_1", refunded: 0 }], capturedAt: earlier, ...said },
    },
  ],
])("%s", (_name, before, after) => {
  expect(deniedPayment(migration(before), message, now)).toEqual(after);
});
