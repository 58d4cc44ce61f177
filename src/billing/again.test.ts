import { expect, test } from "vitest";
import type { PaymentSpec, PaymentStatus } from "../resources/payment.ts";
import { captureCovers, coverAgain, type PaidAgain } from "./again.ts";
import type { Intent, SeenCheckout } from "./seen.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const at = (milliseconds: number) => new Date(now.getTime() + milliseconds).toISOString();
const payment: PaymentSpec = {
  ...{ by: "hold", account: "a", currency: "USD", amount: 500 },
  checkout: { session: "cs_1", url: "https://pay.example/1", expiresAt: at(1), number: 1 },
};
const plan: PaymentSpec = { by: "plan", account: "a", currency: "USD", amount: 0 };
const free: PaymentSpec = { ...plan, by: "free" };
const captured = (ago: number): PaymentStatus => ({
  ...{ session: "cs_1", state: "captured", lookedAt: at(0), capturedAt: at(-ago) },
});
const seen = (
  session: SeenCheckout["session"],
  status?: Intent["status"],
  more: Partial<Intent> = {},
): SeenCheckout => ({
  ...{ id: "cs_1", session },
  ...(status === undefined
    ? {}
    : {
        intent: {
          ...{ id: "pi", status, amount: 500, capturable: 500, received: 0, currency: "USD" },
          lapsed: false,
          ...more,
        },
      }),
});
const since: PaymentSpec = { ...payment, by: "plan" };
/** Captured, and so much of it refunded. */
const taken = (refunded: number, received = 500): SeenCheckout => seen("complete", "succeeded", { received, refunded });
const held = seen("complete", "requires_capture", { captureBefore: at(1) });

test.each<[string, Partial<PaidAgain>, ReturnType<typeof coverAgain>]>([
  ["Pro: covered by the plan", { payment: plan, isPro: true, state: "completed" }, "as-before"],
  ["Pro lapsed, failed: is decided anew", { payment: plan, state: "failed" }, "hold"],
  ["too large for the free migration", { payment: free, ownsClaim: true, isOverQuote: true }, "hold"],
  ["captured just now, disputed", { paid: captured(0), seen: { ...taken(0), isDisputed: true } }, "hold"],
  ["captured just now, too large since", { paid: captured(0), isOverQuote: true }, "hold"],
  ["a live hold, too large since", { seen: held, isOverQuote: true }, "wait"],
  ["a hold that was released, too large since", { seen: seen("complete", "canceled"), isOverQuote: true }, "hold"],
  ["Pro lapsed, completed: a reset is paid", { payment: plan, state: "completed" }, "hold"],
  ["the free migration stays free", { payment: free, ownsClaim: true, state: "completed" }, "as-before"],
  ["the free migration stays free after Pro", { payment: free, ownsClaim: true, isPro: true }, "as-before"],
  ["another one has the free claim", { payment: free }, "hold"],
  ["another one has the free claim, Pro now", { payment: free, isPro: true }, "plan"],
  ["captured just now: it may be refunded", { paid: captured(0) }, "look"],
  ["captured just now", { paid: captured(0), seen: taken(0) }, "as-before"],
  ["captured almost seven days ago", { paid: captured(captureCovers - 1), seen: taken(0) }, "as-before"],
  ["captured seven days ago", { paid: captured(captureCovers) }, "hold"],
  ["captured long ago, Pro now", { paid: captured(captureCovers), isPro: true }, "plan"],
  ["captured just now, Pro now", { paid: captured(0), seen: taken(0), isPro: true }, "as-before"],
  ["captured just now, a part refunded", { paid: captured(0), seen: taken(499) }, "as-before"],
  ["captured just now, all refunded", { paid: captured(0), seen: taken(500) }, "hold"],
  ["captured just now, all refunded, Pro now", { paid: captured(0), seen: taken(500), isPro: true }, "plan"],
  ["all refunded, and the status does not say that it was captured", { seen: taken(500) }, "hold"],
  ["a part captured by hand, and all of that refunded", { paid: captured(0), seen: taken(200, 200) }, "hold"],
  ["captured just now, and Stripe does not know it", { paid: captured(0), seen: "unknown" }, "as-before"],
  ["refunded, and Stripe does not know it", { paid: { ...captured(0), refunded: 500 }, seen: "unknown" }, "hold"],
  ["nothing known of the payment, nor by Stripe", { seen: "unknown" }, "hold"],
  ["nothing known of the payment, nor by Stripe, Pro now", { seen: "unknown", isPro: true }, "plan"],
  ["Pro lapsed, completed, with a checkout before Pro", { payment: since, state: "completed" }, "look"],
  ["… whose page is open", { payment: since, state: "completed", seen: seen("open") }, "hold"],
  ["… whose hold is not released yet", { payment: since, state: "completed", seen: held }, "wait"],
  ["… that is being processed", { payment: since, state: "completed", seen: seen("complete", "processing") }, "wait"],
  ["… whose hold was released", { payment: since, state: "completed", seen: seen("complete", "canceled") }, "hold"],
  ["… that Stripe does not know", { payment: since, state: "completed", seen: "unknown" }, "hold"],
  ["captured for an earlier checkout", { paid: { ...captured(0), session: "cs_0" } }, "look"],
  ["nothing known of the payment", {}, "look"],
  ["captured, and the status does not say so yet", { seen: taken(0) }, "as-before"],
  ["a live hold", { seen: held, state: "failed" }, "as-before"],
  ["a live hold, Pro now", { seen: held, state: "failed", isPro: true }, "plan"],
  ["a hold for a completed run, Pro now", { seen: held, state: "completed", isPro: true }, "as-before"],
  ["a hold past its time", { seen: seen("complete", "requires_capture", { captureBefore: at(0) }) }, "wait"],
  ["a hold of another amount", { seen: seen("complete", "requires_capture", { amount: 501 }) }, "wait"],
  ["a hold in another currency", { seen: seen("complete", "requires_capture", { currency: "EUR" }) }, "wait"],
  ["a payment that is being processed", { seen: seen("complete", "processing") }, "wait"],
  ["a payment that the bank asks the person about", { seen: seen("complete", "requires_action") }, "wait"],
  ["… at a page that has closed meanwhile", { seen: seen("expired", "requires_action") }, "wait"],
  ["… at a page that is open", { seen: seen("open", "requires_action") }, "hold"],
  ["a payment that failed after its page", { seen: seen("complete", "requires_payment_method") }, "hold"],
  ["a hold that was released", { seen: seen("complete", "canceled") }, "hold"],
  ["a hold that lapsed", { seen: seen("complete", "canceled", { lapsed: true }) }, "hold"],
  ["an open page", { seen: seen("open") }, "hold"],
  ["an open page, Pro now", { seen: seen("open"), isPro: true }, "plan"],
  ["a closed page", { seen: seen("expired") }, "hold"],
])("%s", (_name, more, expected) => {
  expect(coverAgain({ payment, state: "failed", paid: undefined, isPro: false, ownsClaim: false, now, ...more })).toBe(
    expected,
  );
});
