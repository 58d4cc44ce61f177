import { describe, expect, test } from "vitest";
import type { Subscription } from "../../src/billing/pro.ts";
import { type Account, type AccountStatus, planFollowsStripe } from "../../src/resources/account.ts";
import { decide, deniedAccount, type Observed } from "./decide.ts";

const now = new Date("2026-03-01T12:00:00.000Z");
const ago = (milliseconds: number) => new Date(now.getTime() - milliseconds).toISOString();
const ahead = (milliseconds: number) => ago(-milliseconds);
const second = 1000;
const hour = 3_600_000;
const day = 24 * hour;
const pastDue = 14 * day;

type Billing = NonNullable<AccountStatus["billing"]>;

function account(plan: "free" | "pro", status?: AccountStatus, billing: Account["spec"]["billing"] | null = undefined) {
  const at = billing === undefined ? { customer: "cus_1" } : billing;
  return {
    metadata: { name: "a", uid: "u", generation: 3 },
    spec: { email: "a@example.com", plan, actingTeam: "t", ...(at === null ? {} : { billing: at }) },
    ...(status === undefined ? {} : { status }),
  } satisfies Account;
}

const subscription = (status: Subscription["status"], more: Partial<Subscription> = {}): Subscription => ({
  ...{ id: "sub_1", status, created: ago(40 * day), periodStart: ago(10 * day), periodEnd: ahead(20 * day) },
  ...more,
});

type Row = [string, "free" | "pro", NonNullable<Observed["seen"]>, "free" | "pro", string];

describe("the plan after Stripe's answer", () => {
  test.each<Row>([
    ["active", "free", [subscription("active")], "pro", "Subscribed"],
    ["active, and Pro already", "pro", [subscription("active")], "pro", "Subscribed"],
    ["trialing", "free", [subscription("trialing")], "pro", "Subscribed"],
    [
      "canceled to the end of the paid time",
      "pro",
      [subscription("active", { endsAt: ahead(day) })],
      "pro",
      "Canceled",
    ],
    ["past due for 10 days", "pro", [subscription("past_due")], "pro", "PastDue"],
    ["past due for 14 days", "pro", [subscription("past_due", { periodStart: ago(pastDue) })], "free", "PastDue"],
    ["unpaid", "pro", [subscription("unpaid")], "free", "Unpaid"],
    ["paused", "pro", [subscription("paused")], "free", "Paused"],
    ["first payment pending", "free", [subscription("incomplete")], "free", "Incomplete"],
    ["first payment never made", "free", [subscription("incomplete_expired")], "free", "Ended"],
    ["ended", "pro", [subscription("canceled")], "free", "Ended"],
    ["ended, and a new one", "free", [subscription("active"), subscription("canceled")], "pro", "Subscribed"],
    [
      "a newer one that was never paid",
      "pro",
      [subscription("incomplete"), subscription("active")],
      "pro",
      "Subscribed",
    ],
    ["an old unpaid one", "pro", [subscription("canceled"), subscription("unpaid")], "free", "Unpaid"],
    ["never subscribed, and Pro by an administrator", "pro", [], "pro", "NeverSubscribed"],
    ["never subscribed", "free", [], "free", "NeverSubscribed"],
    ["a customer of another Stripe account", "pro", "unknown", "pro", "CustomerUnknown"],
  ])("%s", (_name, before, seen, after, reason) => {
    const planned = decide({ account: account(before), seen, pastDue }, now);
    expect(planned.plan ?? before).toBe(after);
    expect(planned.plan === undefined, "written only if it changes").toBe(before === after);
    expect(planned.look).toBeUndefined();
    expect(planned.lookAgain).toBeGreaterThanOrEqual(second);
    const [condition] = planned.status?.conditions ?? [];
    expect(condition).toMatchObject({ type: planFollowsStripe, reason, observedGeneration: 3 });
    expect(condition?.status).toBe(reason === "CustomerUnknown" ? "False" : "True");
  });

  test("is nobody's concern without a customer, or while the Account is deleted", () => {
    expect(decide({ account: account("pro", undefined, null), pastDue }, now)).toEqual({ status: undefined });
    const deleted = account("pro");
    const gone = { ...deleted, metadata: { ...deleted.metadata, deletionTimestamp: ago(1) } };
    expect(decide({ account: gone, pastDue }, now)).toEqual({ status: undefined });
  });

  test("keeps the time of the last change, and moves it with the state", () => {
    const seen = [subscription("active")];
    const first = decide({ account: account("free"), seen, pastDue }, now).status;
    const later = new Date(now.getTime() + hour);
    expect(decide({ account: account("pro", first), seen, pastDue }, later).status?.billing).toEqual({
      ...first?.billing,
      lookedAt: later.toISOString(),
    });
    const failed = decide({ account: account("pro", first), seen: [subscription("past_due")], pastDue }, later);
    expect(failed.status?.billing).toMatchObject({ changedAt: later.toISOString(), until: ahead(4 * day) });
  });
});

describe("when Stripe is asked", () => {
  const billing = (more: Partial<Billing> = {}): Billing => ({
    ...{ customer: "cus_1", plan: "pro", subscription: "sub_1", state: "active" },
    ...{ changedAt: ago(30 * day), lookedAt: ago(second) },
    ...more,
  });
  const waits = (
    status: Billing | undefined,
    more: { hint?: string; askedAt?: string; plan?: "free" | "pro" } = {},
  ) => {
    const { hint, askedAt, plan = "pro" } = more;
    const spec = { customer: "cus_1", ...(askedAt === undefined ? {} : { askedAt }) };
    const of = account(plan, status === undefined ? undefined : { billing: status }, spec);
    const planned = decide({ account: of, pastDue, ...(hint === undefined ? {} : { hint }) }, now);
    return planned.look ? "now" : planned.lookAgain;
  };

  test.each<[string, ReturnType<typeof waits>, ReturnType<typeof waits>]>([
    ["never asked before", waits(undefined), "now"],
    ["another customer before", waits(billing({ customer: "cus_0" })), "now"],
    ["an event", waits(billing(), { hint: "evt_1" }), "now"],
    ["an event that was followed up", waits(billing({ hint: "evt_1" }), { hint: "evt_1" }), hour - second],
    ["somebody wrote the plan", waits(billing(), { plan: "free" }), "now"],
    ["an old subscription", waits(billing()), hour - second],
    ["an old one, an hour later", waits(billing({ lookedAt: ago(hour) })), "now"],
    ["a clock that was wrong", waits(billing({ lookedAt: ahead(day) })), "now"],
    ["a link that was opened just now", waits(billing(), { askedAt: ago(0) }), 4 * second],
    ["a link of 200 s ago", waits(billing({ lookedAt: ago(0) }), { askedAt: ago(200 * second) }), 10 * second],
    ["a free account", waits(billing({ plan: "free", state: "canceled" }), { plan: "free" }), 6 * hour - second],
    ["Pro that ends in a minute", waits(billing({ until: ahead(60 * second) })), 61 * second],
    ["Pro that ended before the last look", waits(billing({ until: ago(60 * second) })), hour - second],
  ])("%s", (_name, waited, expected) => {
    expect(waited).toBe(expected);
  });
});

test("a denied request shows which right is missing, and changes nothing else", () => {
  const before = decide({ account: account("free"), seen: [subscription("active")], pastDue }, now).status;
  const after = deniedAccount(account("pro", before), "The key lacks `rak_subscription_read`.", now);
  expect(after.billing).toEqual(before?.billing);
  expect(after.conditions).toMatchObject([
    { type: planFollowsStripe, status: "False", reason: "PaymentKeyDenied", message: expect.stringContaining("rak_") },
  ]);
});
