import { describe, expect, test } from "vitest";
import { checkoutLasts } from "../../src/billing/seen.ts";
import type { MigrationStatus } from "../../src/resources/migration.ts";
import type { PaymentStatus } from "../../src/resources/payment.ts";
import {
  ago,
  ahead,
  complete,
  completed,
  day,
  failed,
  failedLongAgo,
  intent,
  migration,
  now,
  of,
  open,
  running,
  waiting,
} from "../../test/support/controllers/payments.ts";
import { decide, type Plan } from "./decide.ts";

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
  const processing = { reason: "PaymentProcessing" };
  const endsIn = (milliseconds: number) => ({
    ...{ session: "cs_1", url: "https://pay.example/1", number: 1 },
    expiresAt: ahead(milliseconds),
  });
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
    [
      "when the page ends, if that is sooner",
      { ...waiting, payment: told("awaiting", 1000) },
      { checkout: endsIn(10_000) },
      undefined,
      undefined,
      11_000,
    ],
    [
      "once more after the page's end",
      { ...waiting, payment: told("awaiting", 5000) },
      { checkout: endsIn(-2000) },
      undefined,
      look,
      undefined,
    ],
    [
      "rarely after the page's end",
      { ...waiting, payment: told("awaiting", 1000) },
      { checkout: endsIn(-5000) },
      undefined,
      undefined,
      599_000,
    ],
    [
      "rarely long after the page's end",
      { ...waiting, payment: told("awaiting", 601_000) },
      { checkout: endsIn(-day) },
      undefined,
      look,
      undefined,
    ],
    [
      "at once when it is covered",
      { ...waiting, payment: told("awaiting", 1000) },
      { by: "plan" },
      undefined,
      look,
      undefined,
    ],
    [
      "at once when it is deleted while it waits",
      { ...waiting, payment: told("awaiting", 1000) },
      { deleted: true },
      undefined,
      look,
      undefined,
    ],
    [
      "not each second for a payment that is processed, when it is covered",
      { ...waiting, payment: told("awaiting", 1000, processing) },
      { by: "plan" },
      undefined,
      undefined,
      4000,
    ],
    [
      "nor when it is deleted",
      { ...waiting, payment: told("awaiting", 1000, processing) },
      { deleted: true, checkout: endsIn(day / 2) },
      undefined,
      undefined,
      4000,
    ],
    [
      "nor when it is completed",
      { ...completed, payment: told("awaiting", 1000, processing) },
      {},
      undefined,
      undefined,
      4000,
    ],
    [
      "at once by an event about a payment that is processed",
      { ...waiting, payment: told("awaiting", 1000, processing) },
      { by: "plan" },
      "evt_1",
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

  const openFor = (minutes: number) => {
    const expiresAt = ahead(checkoutLasts - minutes * 60_000);
    return migration(waiting, { checkout: { session: "cs_1", url: "https://pay.example/1", number: 1, expiresAt } });
  };

  test("for as long as the page is open, at least every 15 seconds", () => {
    const waits = [1, 10, 22, 30, 60, 600, 1439].map((minutes) => of(openFor(minutes), { seen: open }).lookAgain);
    expect(waits).toEqual([5000, 6666, 14_666, 15_000, 15_000, 15_000, 15_000]);
  });

  test("with many open pages, the old ones share ten looks a second, and new ones do not wait for them", () => {
    const waits = (minutes: number) =>
      [50, 200, 1000, 100_000].map((pages) => of(openFor(minutes), { seen: open, pages }).lookAgain);
    expect(waits(1)).toEqual([5000, 5000, 5000, 5000]);
    expect(waits(30)).toEqual([15_000, 20_000, 20_000, 20_000]);
    expect(waits(1200)).toEqual([15_000, 20_000, 100_000, 600_000]);
  });

  test("after the page's end, a payment that is being processed is looked at every ten minutes", () => {
    // Stripe closed the page, and the person's bank has not answered.
    const ended = (minutes: number) => endsIn(-minutes * 60_000);
    const waits = [1, 60, 600].map((minutes) => {
      const status = { ...waiting, payment: told("awaiting", 0, processing) };
      return of(migration(status, { checkout: ended(minutes) })).lookAgain;
    });
    expect(waits).toEqual([600_000, 600_000, 600_000]);
  });

  test.each<[string, Parameters<typeof migration>[1]]>([
    ["covered", { by: "plan" }],
    ["deleted", { deleted: true }],
  ])("a payment that is processed is asked for less and less often after it was %s", (_what, spec) => {
    const seen = complete(intent("processing"));
    const first = of(migration(waiting, spec), { seen });
    expect(first).toMatchObject({ lookAgain: 5000, finalizer: true, status: { state: "awaiting" } });
    expect(first.act).toBeUndefined();
    const waits = [1, 30, 600].map((minutes) => {
      const object = migration({ ...waiting, ...(first.status === undefined ? {} : { payment: first.status }) }, spec);
      return decide({ migration: object, grace: day, seen }, new Date(now.getTime() + minutes * 60_000)).lookAgain;
    });
    const isDeleted = spec?.deleted === true;
    expect(waits).toEqual(isDeleted ? [5000, 20_000, 400_000] : [5000, 20_666, 400_666]);
    expect(
      of(migration({ ...waiting, ...(first.status === undefined ? {} : { payment: first.status }) }, spec)).act,
    ).toBeUndefined();
  });
});
