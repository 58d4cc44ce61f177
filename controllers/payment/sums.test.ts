import { describe, expect, test } from "vitest";
import type { SeenCheckout } from "../../src/billing/seen.ts";
import type { PaymentStatus } from "../../src/resources/payment.ts";
import { complete, completed, intent, migration, now, open, taken } from "../../test/support/controllers/payments.ts";
import { deniedPayment } from "./denied.ts";
import { sums } from "./sums.ts";

const captured: PaymentStatus = { state: "captured", session: "cs_1", lookedAt: now.toISOString(), captured: 500 };
const next: SeenCheckout = { ...open, id: "cs_2" };
const nextTaken: SeenCheckout = { ...taken, id: "cs_2" };
const first = (refunded: number): SeenCheckout => complete(intent("succeeded", { refunded }));
const earlier = (refunded: number) => ({ earlier: [{ session: "cs_1", refunded }] });
/** At the second checkout, after the first was captured. */
const second: PaymentStatus = { ...captured, session: "cs_2", captured: 1000, ...earlier(0) };

describe("sums over checkouts", () => {
  test.each<[string, PaymentStatus | undefined, SeenCheckout, SeenCheckout[], ReturnType<typeof sums>]>([
    ["a first page", undefined, open, [], {}],
    ["a first capture", undefined, taken, [], { captured: 500 }],
    ["the same capture again", captured, taken, [], { captured: 500 }],
    ["its refund", captured, first(200), [], { captured: 500, refunded: 200 }],
    ["a second page", captured, next, [first(0)], { captured: 500, ...earlier(0) }],
    ["a second page after a refund", { ...captured, refunded: 500 }, next, [first(500)], earlier(500)],
    ["a second page after a refund of which no event came", captured, next, [first(500)], earlier(500)],
    ["… or a part of which", { ...captured, refunded: 100 }, next, [first(300)], { captured: 200, ...earlier(300) }],
    ["a second page, and Stripe does not know the first", captured, next, [], { captured: 500, ...earlier(0) }],
    ["a second capture", captured, nextTaken, [first(0)], { captured: 1000, ...earlier(0) }],
    ["the second capture again", second, nextTaken, [first(0)], { captured: 1000, ...earlier(0) }],
    ["a refund of the first after the second", second, nextTaken, [first(500)], { captured: 500, ...earlier(500) }],
    [
      "the same again",
      { ...second, captured: 500, ...earlier(500) },
      nextTaken,
      [first(500)],
      { captured: 500, ...earlier(500) },
    ],
    [
      "refunds of both",
      second,
      { ...first(500), id: "cs_2" },
      [first(500)],
      { captured: 500, refunded: 500, ...earlier(500) },
    ],
  ])("%s", (_name, before, seen, others, expected) => {
    expect(sums(before, seen, others)).toEqual(expected);
  });

  test("refunds of the last 20 earlier checkouts are followed", () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ session: `cs_${at}`, refunded: 0 }));
    const before = { ...captured, session: "cs_20", earlier: many };
    const kept = sums(before, { ...open, id: "cs_21" }, []).earlier ?? [];
    expect(kept.map(({ session }) => session)).toEqual(Array.from({ length: 20 }, (_, at) => `cs_${at + 1}`));
  });
});

test("a new checkout that Stripe's key may not look at shows what is left of the earlier one", () => {
  const checkout = { session: "cs_2", url: "https://pay.example/2", number: 2, expiresAt: now.toISOString() };
  const object = migration({ ...completed, payment: { ...captured, refunded: 200 } }, { checkout });
  expect(deniedPayment(object, "no right", now)).toMatchObject({ session: "cs_2", captured: 300, ...earlier(200) });
});
