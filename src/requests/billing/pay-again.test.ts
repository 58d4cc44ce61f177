import { expect, test } from "vitest";
import { migrationWith } from "../../../test/support/requests/migration-with.ts";
import type { Intent, SeenCheckout } from "../../billing/seen.ts";
import type { MigrationStatus } from "../../resources/migration.ts";
import type { PaymentSpec, PaymentStatus } from "../../resources/payment.ts";
import { typeAnnotation } from "../../resources/run-type.ts";
import type { World } from "../world.ts";
import { payAgain } from "./pay-again.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const later = "2026-03-02T12:00:00.000Z";
const hold: PaymentSpec = {
  ...{ by: "hold", account: "a1", currency: "USD", amount: 500, quotedSize: 1000 },
  checkout: { session: "cs_1", url: "https://pay.example/1", expiresAt: later, number: 1, run: 1 },
};
const plan: PaymentSpec = { by: "plan", account: "a1", currency: "USD", amount: 0 };
const completed: MigrationStatus = {
  ...{ state: "completed", run: 1, attempt: 1, reset: 0, type: "transfer", size: 1000 },
};
const result: MigrationStatus["result"] = {
  run: 1,
  outcome: "completed",
  reason: "Verified",
  message: "Copied.",
  finishedAt: now.toISOString(),
};
const held: SeenCheckout = {
  id: "cs_1",
  session: "complete",
  about: { installation: "here", namespace: "rowferry-t1", name: "shop", checkout: 1 },
  intent: {
    ...{ id: "pi_1", status: "requires_capture", amount: 500, capturable: 500, received: 0, currency: "USD" },
    ...{ lapsed: false, captureBefore: later },
  } as Intent,
};

interface Case {
  payment?: PaymentSpec;
  status?: MigrationStatus;
  /** How often a reset was asked for before. */
  resets?: number;
  isPro?: boolean;
  seen?: SeenCheckout;
  /** After its page was closed. */
  closed?: SeenCheckout;
  currency?: string;
  minimum?: number;
  /** The type that the URLs say. */
  marked?: string;
  /** Migrations of the account that await payment. */
  others?: number;
}

async function again({
  payment = hold,
  status,
  resets = 0,
  isPro = false,
  seen: first,
  closed,
  currency = "USD",
  minimum = 5,
  marked,
  others = 0,
}: Case) {
  const waiting = Array.from({ length: others }, () => migrationWith({ spec: { payment: hold } }));
  let seen = first;
  const opened: { amount: number; currency: string }[] = [];
  const world = {
    client: {
      get: async () => ({ metadata: { name: "a1" }, spec: { plan: isPro ? "pro" : "free" } }),
      list: async () => waiting,
    },
    billing: {
      mostUnpaid: 2,
      installation: async () => "here",
      prices: {
        minimum,
        steps: [{ transfer: 0, conversion: 3 }],
      },
      payments: {
        look: async () => seen,
        expire: async () => {
          seen = closed;
        },
        openCheckout: async (request: { amount: number; currency: string }) => {
          opened.push({ amount: request.amount, currency: request.currency });
          return { session: "cs_2", url: "https://pay.example/2", expiresAt: later };
        },
      },
    },
    now: () => now,
    settings: { currency, baseUrl: "https://rowferry.example" },
  } as unknown as World;
  const annotations = marked === undefined ? {} : { [typeAnnotation]: marked };
  const metadata = { annotations };
  const migration = migrationWith({
    metadata,
    spec: { payment, reset: resets },
    ...(status === undefined ? {} : { status }),
  });
  return { pays: await payAgain(world, migration, 2 + resets), opened };
}

const verified: MigrationStatus = { ...completed, state: "in_progress", result };

test.each<[string, Case]>([
  ["is completed", { status: completed }],
  ["is completed, and a reset waits for the capture", { status: completed, resets: 1 }],
  ["is verified, and its Job has not ended", { status: verified }],
  ["is verified, and a reset waits for its Job's end", { status: verified, resets: 1 }],
])("the hold of a run that %s still pays for it, though the account is Pro now", async (_what, of) => {
  expect(await again({ ...of, isPro: true, seen: held })).toEqual({ pays: hold, opened: [] });
});

test("the hold of a run that is not verified is given back where the account is Pro now", async () => {
  const { pays } = await again({ status: { ...completed, state: "in_progress" }, isPro: true, seen: held });
  expect(pays).toMatchObject({ by: "plan" });
});

test("nothing is paid where the price is 0", async () => {
  expect(await again({ payment: plan, status: completed, minimum: 0 })).toEqual({
    pays: { ...plan, quotedSize: 1000 },
    opened: [],
  });
});

test("a conversion that no worker has measured costs what a conversion costs", async () => {
  const payment: PaymentSpec = { ...plan, by: "free", quotedSize: 4_000_000_000 };
  const { pays } = await again({ payment, marked: "conversion" });
  expect(pays).toMatchObject({ by: "hold", amount: 1200 });
});

const captured: PaymentStatus = {
  ...{ session: "cs_1", state: "captured", lookedAt: now.toISOString(), capturedAt: "2026-01-01T00:00:00.000Z" },
  captured: 500,
};

test.each<[string, PaymentSpec]>([
  ["a hold", hold],
  ["the plan", { ...hold, by: "plan" }],
])("what was captured in one currency is not continued in another, after %s", async (_what, payment) => {
  const status = { ...completed, size: 2_000_000_000, payment: captured };
  await expect(again({ payment, status, currency: "EUR" })).rejects.toMatchObject({ code: "state_conflict" });
});

test("what was never charged is paid in the currency of now", async () => {
  const { pays, opened } = await again({ payment: plan, status: completed, currency: "EUR" });
  expect(pays).toMatchObject({ by: "hold", currency: "EUR", amount: 500 });
  expect(opened).toEqual([{ amount: 500, currency: "EUR" }]);
});

test("no page is opened beside a payment that the bank still asks the person about", async () => {
  const failed: MigrationStatus = { ...completed, state: "failed" };
  const asked = { ...held.intent, status: "requires_action" } as Intent;
  const seen: SeenCheckout = { ...held, session: "open", intent: asked };
  const closed: SeenCheckout = { ...seen, session: "expired" };
  const changed: PaymentSpec = { ...hold, by: "plan" };
  await expect(again({ payment: changed, status: failed, seen, closed })).rejects.toMatchObject({ code: "busy" });
});

test("a reset that must be paid counts against the limit of unpaid migrations, and opens no page beyond it", async () => {
  const failed: MigrationStatus = { ...completed, state: "failed" };
  const released: SeenCheckout = { ...held, intent: { ...held.intent, status: "canceled" } as Intent };
  expect((await again({ status: failed, seen: released, others: 1 })).opened).toHaveLength(1);
  await expect(again({ status: failed, seen: released, others: 2 })).rejects.toMatchObject({ code: "limit_reached" });
});

test("a run that failed because its source is too large gets the price of what was measured", async () => {
  const status: MigrationStatus = {
    ...{ ...completed, state: "failed", type: "conversion", size: 50_000_000_000 },
    result: { ...result, outcome: "failed", reason: "source_over_quote" },
  };
  const released: SeenCheckout = { ...held, intent: { ...held.intent, status: "canceled" } as Intent };
  expect(await again({ status, seen: released })).toMatchObject({
    pays: { amount: 15_000 },
    opened: [{ amount: 15_000 }],
  });
  await expect(again({ status, seen: held })).rejects.toMatchObject({ code: "busy" });
});
