import { describe, expect, test } from "vitest";
import type { Migration, MigrationStatus } from "../../src/resources/migration.ts";
import { optionsSchema } from "../../src/resources/options.ts";
import type { PaymentStatus } from "../../src/resources/payment.ts";
import { awaitedPayment, withHoldNews } from "./hold.ts";
import type { Plan } from "./plan.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const inHours = (hours: number) => new Date(now.getTime() + hours * 3_600_000).toISOString();
const job = { name: "shop-1", uid: "j" };

function migration(payment: Partial<PaymentStatus>, status: MigrationStatus = {}, quotedSize = 1000): Migration {
  const checkout = { session: "cs_1", url: "https://pay.example/1", expiresAt: inHours(20), number: 1 };
  return {
    apiVersion: "rowferry.dev/v1alpha1",
    kind: "Migration",
    metadata: {
      ...{ name: "shop", namespace: "team", uid: "m", generation: 1, resourceVersion: "1" },
      creationTimestamp: now.toISOString(),
    },
    spec: {
      source: { sealedUrl: "x" },
      target: { sealedUrl: "y" },
      attempt: 1,
      reset: 0,
      payment: { by: "hold", account: "a", currency: "USD", amount: 500, quotedSize, checkout },
    },
    status: { ...status, payment: { state: "authorized", session: "cs_1", lookedAt: now.toISOString(), ...payment } },
  };
}

const run = { run: 1, attempt: 1, reset: 0 } as const;
const plan = (status: MigrationStatus): Plan => ({ status: { ...run, ...status }, events: [] });
const reasons = (of: Plan) => of.events.map(({ reason }) => reason);

describe("before a run starts", () => {
  const starting = plan({ state: "pending", job });
  test.each<[string, string, number, string[]]>([
    ["a small source, and a hold of a week", inHours(168), 1e9, []],
    ["a small source, and a hold that ends within the margin", inHours(0.5), 1e6, ["HoldMayEnd"]],
    ["a source of 2 TB, and a hold of a week", inHours(168), 2e12, []],
    ["a source of 4 TB, and a hold of a week", inHours(168), 4e12, ["HoldMayEnd"]],
  ])("%s", (_name, captureBefore, size, expected) => {
    const after = withHoldNews(migration({ captureBefore }, {}, size), starting, now);
    expect(reasons(after)).toEqual(expected);
    expect(after.status.log?.map(({ message }) => message) ?? []).toEqual(
      expected.map(
        () =>
          `Run 1: The card's hold ends at ${captureBefore}; this copy may take longer. If the hold ends first, you are not charged.`,
      ),
    );
  });

  test("a limit of bandwidth makes a copy slower than its size tells", () => {
    const of = migration({ captureBefore: inHours(168) }, {}, 100e9);
    expect(reasons(withHoldNews(of, starting, now))).toEqual([]);
    const slow = { ...of, spec: { ...of.spec, options: optionsSchema.parse({ bandwidth: 100_000 }) } };
    expect(reasons(withHoldNews(slow, starting, now))).toEqual(["HoldMayEnd"]);
  });

  test("an assessment of an earlier run counts more than the size", () => {
    const estimate = { seconds: { least: 10, most: 60 }, basis: "", latencyMs: { source: 1, target: 1 } };
    const assessed = { assessment: { estimate } } as unknown as MigrationStatus;
    const after = withHoldNews(migration({ captureBefore: inHours(168) }, assessed, 4e12), starting, now);
    expect(reasons(after)).toEqual([]);
  });

  test("a run that has its Job already does not warn again", () => {
    const running = migration({ captureBefore: inHours(0.5) }, { ...run, state: "in_progress", job });
    expect(reasons(withHoldNews(running, plan({ state: "in_progress", job }), now))).toEqual([]);
  });
});

describe("after the hold ended", () => {
  test.each<[MigrationStatus["state"], string]>([
    ["in_progress", "Run 1: The card's hold ended. The run continues, and you are not charged."],
    ["completed", "Run 1: The card's hold ended before the payment was captured. You are not charged."],
  ])("%s: it is logged once", (state, message) => {
    const lapsed = migration({ state: "lapsed" }, { ...run, state, job });
    const once = withHoldNews(lapsed, plan({ state, job }), now);
    expect(once.status.log).toMatchObject([{ level: "warning", message }]);
    expect(reasons(once)).toEqual(["HoldEnded"]);
    const again = withHoldNews(lapsed, { ...once, events: [] }, now);
    expect(again.status.log).toHaveLength(1);
    expect(reasons(again)).toEqual([]);
  });

  test("nothing is logged about a run without a Job, nor about one that failed", () => {
    const lapsed = migration({ state: "lapsed" }, { ...run, state: "awaiting_payment" });
    expect(reasons(withHoldNews(lapsed, plan({ state: "awaiting_payment" }), now))).toEqual([]);
    expect(reasons(withHoldNews(lapsed, plan({ state: "failed", job }), now))).toEqual([]);
  });
});

test.each<[string, Partial<PaymentStatus>, RegExp]>([
  ["no payment yet", { state: "awaiting" }, /^A person authorizes/],
  [
    "a card that was declined",
    { state: "awaiting", message: "The card was declined." },
    /^The card was declined\. A person/,
  ],
  ["a hold that ended", { state: "lapsed" }, /^The card's hold ended before the run started\. Open a new checkout/],
  ["a hold that was released", { state: "released", message: "Released." }, /^Released\. Open a new checkout/],
  ["an earlier checkout", { state: "released", session: "cs_0", message: "Released." }, /^A person authorizes/],
])("what to do after %s", (_name, payment, message) => {
  expect(awaitedPayment(migration(payment)).message).toMatch(message);
});

test.each<[string, Partial<PaymentStatus>, string[]]>([
  ["nobody has tried yet", { state: "awaiting" }, []],
  [
    "the card was declined",
    { state: "awaiting", message: "The card was declined." },
    [
      "Run 1: The card was declined. A person authorizes the payment at the checkout link; the run starts by itself then.",
    ],
  ],
  [
    "the page closed",
    { state: "released", message: "The checkout closed without a payment." },
    [expect.stringMatching(/^Run 1: The checkout closed without a payment\. Open a new checkout/)],
  ],
  [
    "the key has a fault, which its reason tells",
    { message: "The key lacks a right.", reason: "PaymentKeyDenied" },
    [],
  ],
])("the log of one that awaits payment says why: %s", (_name, payment, messages) => {
  const waiting = plan({ state: "awaiting_payment" });
  const after = withHoldNews(migration(payment), waiting, now);
  expect(after.status.log?.map(({ message }) => message) ?? []).toEqual(messages);
  const again = withHoldNews(migration(payment), after, now);
  expect(again.status.log).toEqual(after.status.log);
});
