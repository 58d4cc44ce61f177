import { describe, expect, test } from "vitest";
import { checkoutLasts } from "../../src/billing/seen.ts";
import type { MigrationStatus } from "../../src/resources/migration.ts";
import type { PaymentStatus } from "../../src/resources/payment.ts";
import type { Plan } from "./decide.ts";
import { ago, ahead, completed, day, failed, failedLongAgo, migration, of, open, running, waiting } from "./testing.ts";

describe("when Stripe is asked", () => {
  const told = (
    state: PaymentStatus["state"],
    lookedAgo: number,
    more: Partial<PaymentStatus> = {},
  ): PaymentStatus => ({
    state,
    session: "cs_1",
    lookedAt: ago(lookedAgo),
    ...more,
  });
  const look = { kind: "look", session: "cs_1" } as const;
  test.each<
    [string, MigrationStatus, Parameters<typeof migration>[1], string | undefined, Plan["act"], number | undefined]
  >([
    ["at first", waiting, {}, undefined, look, undefined],
    ["again after five seconds", { ...waiting, payment: told("awaiting", 1000) }, {}, undefined, undefined, 4000],
    [
      "at once where a wrong clock looked in the future",
      { ...waiting, payment: told("awaiting", -72_000_000) },
      {},
      undefined,
      look,
      undefined,
    ],
    ["at once by an event", { ...waiting, payment: told("awaiting", 1000) }, {}, "evt_1", look, undefined],
    [
      "not twice by one event",
      { ...waiting, payment: told("awaiting", 1000, { hint: "evt_1" }) },
      {},
      "evt_1",
      undefined,
      4000,
    ],
    [
      "at once for a new checkout",
      { ...waiting, payment: { ...told("released", 1000), session: "cs_0" } },
      {},
      undefined,
      look,
      undefined,
    ],
    [
      "rarely while a hold stands",
      { ...running, payment: told("authorized", 1000, { captureBefore: ahead(day) }) },
      {},
      undefined,
      undefined,
      599_000,
    ],
    [
      "when the hold lapses",
      { ...running, payment: told("authorized", 1000, { captureBefore: ahead(5000) }) },
      {},
      undefined,
      undefined,
      6000,
    ],
    [
      "at once when the run is completed",
      { ...completed, payment: told("authorized", 1000) },
      {},
      undefined,
      look,
      undefined,
    ],
    [
      "at once when it is deleted",
      { ...running, payment: told("authorized", 1000) },
      { deleted: true },
      undefined,
      look,
      undefined,
    ],
    [
      "when the grace is over",
      { ...failed, finishedAt: ago(day - 5000), payment: told("authorized", 6000) },
      {},
      undefined,
      undefined,
      5000,
    ],
    [
      "at once when the grace is over already",
      { ...failedLongAgo, payment: told("authorized", 1000) },
      {},
      undefined,
      look,
      undefined,
    ],
    ["never after the end", { ...completed, payment: told("captured", day) }, {}, undefined, undefined, undefined],
    ["by an event also after the end", { ...completed, payment: told("captured", day) }, {}, "evt_2", look, undefined],
    [
      "never without a checkout",
      completed,
      { by: "plan", checkout: undefined as never },
      undefined,
      undefined,
      undefined,
    ],
  ])("%s", (_name, status, spec, hint, act, wait) => {
    const plan = of(migration(status, spec), hint === undefined ? {} : { hint });
    expect(plan.act).toEqual(act);
    expect(plan.lookAgain).toBe(wait);
  });

  test("the longer the page is open, the more rarely, but ten minutes at most", () => {
    const waits = [1, 10, 30, 60, 600, 1200].map((minutes) => {
      const expiresAt = ahead(checkoutLasts - minutes * 60_000);
      const checkout = { session: "cs_1", url: "https://pay.example/1", number: 1, expiresAt };
      return of(migration(waiting, { checkout }), { seen: open }).lookAgain;
    });
    expect(waits).toEqual([5000, 6666, 20_000, 40_000, 400_000, 600_000]);
  });
});
