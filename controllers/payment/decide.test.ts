import { describe, expect, test } from "vitest";
import type { SeenCheckout } from "../../src/billing/seen.ts";
import type { MigrationStatus } from "../../src/resources/migration.ts";
import type { PaymentSpec, PaymentStatus } from "../../src/resources/payment.ts";
import {
  about,
  ago,
  ahead,
  cancelled,
  complete,
  completed,
  expired,
  failed,
  failedLongAgo,
  held,
  hour,
  intent,
  lapsed,
  migration,
  now,
  of,
  open,
  payment,
  run,
  running,
  taken,
  waiting,
} from "../../test/support/controllers/payments.ts";
import type { Plan } from "./decide.ts";

type Row = [
  string,
  MigrationStatus,
  Parameters<typeof migration>[1],
  SeenCheckout,
  Plan["act"] | "none",
  PaymentStatus["state"],
  boolean,
];
const capture = { kind: "capture", intent: "pi_1", amount: 500 } as const;
const expire = { kind: "expire", session: "cs_1" } as const;
const cancel = (why: "failed" | "deleted" | "not-as-shown" | "covered") =>
  ({ kind: "cancel", intent: "pi_1", why }) as const;

const verified = {
  outcome: "completed",
  reason: "Verified",
  message: "Copied.",
  finishedAt: now.toISOString(),
} as const;

describe("what is done with what Stripe says", () => {
  test.each<Row>([
    ["waits for a person", waiting, {}, open, "none", "awaiting", true],
    [
      "was declined, and waits on",
      waiting,
      {},
      { ...open, intent: intent("requires_payment_method") },
      "none",
      "awaiting",
      true,
    ],
    ["is at 3-D Secure", waiting, {}, { ...open, intent: intent("requires_action") }, "none", "awaiting", true],
    ["is being processed", waiting, {}, complete(intent("processing")), "none", "awaiting", true],
    ["was authorised", waiting, {}, held, "none", "authorized", true],
    ["runs on a hold", running, {}, held, "none", "authorized", true],
    ["is completed", completed, {}, held, capture, "authorized", true],
    ["is completed and captured", completed, {}, taken, "none", "captured", false],
    [
      "is completed, and was deleted before the capture",
      completed,
      { deleted: true },
      held,
      capture,
      "authorized",
      true,
    ],
    ["is completed, captured and deleted", completed, { deleted: true }, taken, "none", "captured", false],
    ["is completed after the hold lapsed", completed, {}, lapsed, "none", "lapsed", false],
    ["runs on after the hold lapsed", running, {}, lapsed, "none", "lapsed", false],
    ["has just failed: a retry needs the hold", failed, {}, held, "none", "authorized", true],
    ["failed for longer than the grace", failedLongAgo, {}, held, cancel("failed"), "authorized", true],
    [
      "was retried after the grace: it is wanted again",
      failedLongAgo,
      { attempt: 2 },
      held,
      "none",
      "authorized",
      true,
    ],
    ["failed and was given back", failedLongAgo, {}, cancelled, "none", "released", false],
    ["was deleted while it waits", waiting, { deleted: true }, open, expire, "awaiting", true],
    ["was deleted, and its page is closed", waiting, { deleted: true }, expired, "none", "released", false],
    ["was deleted while it runs", running, { deleted: true }, held, cancel("deleted"), "authorized", true],
    [
      "was deleted after its verified result, before its Job ended",
      { ...running, result: { ...verified, run: 1 } },
      { deleted: true },
      held,
      capture,
      "authorized",
      true,
    ],
    [
      "was deleted while a later run than the verified one runs",
      { ...running, run: 2, result: { ...verified, run: 1 } },
      { deleted: true },
      held,
      cancel("deleted"),
      "authorized",
      true,
    ],
    ["was deleted after it failed", failed, { deleted: true }, held, cancel("deleted"), "authorized", true],
    ["was paid after it was deleted", waiting, { deleted: true }, held, cancel("deleted"), "authorized", true],
    ["is covered by the plan since", failed, { by: "plan" }, held, cancel("covered"), "authorized", true],
    ["is covered by the plan since, page open", failed, { by: "plan" }, open, expire, "awaiting", true],
    ["is completed with a page that is still open", completed, {}, open, expire, "awaiting", true],
    ["has a page that nobody used", waiting, {}, expired, "none", "released", false],
    [
      "was authorised for less",
      waiting,
      {},
      complete(intent("requires_capture", { amount: 400, capturable: 400 })),
      cancel("not-as-shown"),
      "awaiting",
      true,
    ],
    [
      "was authorised for more",
      waiting,
      {},
      complete(intent("requires_capture", { amount: 600, capturable: 600 })),
      cancel("not-as-shown"),
      "awaiting",
      true,
    ],
    [
      "was authorised in part",
      waiting,
      {},
      complete(intent("requires_capture", { capturable: 400 })),
      cancel("not-as-shown"),
      "awaiting",
      true,
    ],
    [
      "was authorised in another currency",
      waiting,
      {},
      complete(intent("requires_capture", { currency: "EUR" })),
      cancel("not-as-shown"),
      "awaiting",
      true,
    ],
    [
      "is completed on a hold that is not as shown",
      completed,
      {},
      complete(intent("requires_capture", { amount: 600, capturable: 600 })),
      cancel("not-as-shown"),
      "awaiting",
      true,
    ],
  ])("%s", (_name, status, spec, seen, act, state, finalizer) => {
    const plan = of(migration(status, spec), { seen });
    expect(plan.act ?? "none").toEqual(act);
    expect(plan.status?.state).toBe(state);
    expect(plan.finalizer).toBe(finalizer);
  });
});

test.each<[string, MigrationStatus]>([
  ["awaiting_payment", waiting],
  ["pending", { ...run, state: "pending" }],
  ["in_progress", running],
  ["failed", failed],
])("nothing is captured in %s", (_state, status) => {
  expect(of(migration(status), { seen: held }).act).toBeUndefined();
});

describe("a reset of a completed run", () => {
  const reset = (run?: number) => {
    const checkout = { ...payment.checkout, ...(run === undefined ? {} : { run }) } as PaymentSpec["checkout"];
    const object = migration(completed, { ...(checkout === undefined ? {} : { checkout }) });
    object.spec.reset = 1;
    return of(object, { seen: held }).act;
  };
  test.each<[string, number | undefined, Plan["act"]]>([
    ["its hold is captured first", undefined, capture],
    ["its hold is captured first (run named)", 1, capture],
    ["the hold of the next run is not captured for it", 2, undefined],
  ])("%s", (_name, run, act) => {
    expect(reset(run)).toEqual(act);
  });
});

test.each<[string, SeenCheckout]>([
  ["another Migration's hold", { ...held, about: { ...about, name: "other" } }],
  ["another namespace's hold", { ...held, about: { ...about, namespace: "other" } }],
  ["a hold that is not Rowferry's", { id: "cs_1", session: "complete", intent: intent("requires_capture") }],
  ["another Migration's page", { ...open, about: { ...about, name: "other" } }],
])("%s is neither used nor released, in any state", (_name, seen) => {
  for (const status of [waiting, running, completed, failedLongAgo])
    for (const deleted of [false, true]) {
      const plan = of(migration(status, { deleted }), { seen });
      expect(plan).toMatchObject({ status: { state: "released" }, finalizer: false });
      expect(plan.act).toBeUndefined();
    }
});

test("what was captured is added up over checkouts, and not twice over looks", () => {
  const first = of(migration(completed), { seen: taken }).status;
  expect(first).toMatchObject({ captured: 500, capturedAt: now.toISOString() });
  const again = of(migration({ ...completed, ...(first ? { payment: first } : {}) }), {
    seen: taken,
    hint: "evt",
  }).status;
  expect(again?.captured).toBe(500);
  const checkout = { session: "cs_2", url: "https://pay.example/2", number: 2, expiresAt: ahead(hour) };
  const next = migration({ ...completed, ...(again ? { payment: again } : {}) }, { checkout });
  const second = of(next, { seen: { ...taken, id: "cs_2" } }).status;
  expect(second?.captured).toBe(1000);
});

test("a refund made by hand is counted once, and a later checkout starts from what is left", () => {
  const first = of(migration(completed), { seen: taken }).status;
  const paid = { ...completed, ...(first ? { payment: first } : {}) };
  const back: SeenCheckout = {
    ...complete(intent("succeeded", { refunded: 200 })),
    trouble: "A part of the charge was refunded.",
  };
  const refunded = of(migration(paid), { seen: back, hint: "evt_1" }).status;
  expect(refunded).toMatchObject({ state: "captured", captured: 500, refunded: 200, message: back.trouble });
  const once = { ...completed, ...(refunded ? { payment: refunded } : {}) };
  expect(of(migration(once), { seen: back, hint: "evt_2" }).status).toMatchObject({ captured: 500, refunded: 200 });
  const checkout = { session: "cs_2", url: "https://pay.example/2", number: 2, expiresAt: ahead(hour) };
  const second = of(migration(once, { checkout }), { seen: { ...taken, id: "cs_2" } }).status;
  expect(second).toMatchObject({ captured: 800 });
  expect(second?.refunded).toBeUndefined();
});

test.each(["source_over_quote", "source_over_free_limit"])(
  "a run that failed by %s keeps no hold for a retry",
  (reason) => {
    const result = { run: 1, outcome: "failed", reason, message: "", finishedAt: ago(1000) } as const;
    expect(of(migration({ ...failed, result }), { seen: held }).act).toEqual(cancel("failed"));
  },
);

test("the message of a hold for another amount stays after its release", () => {
  const wrong = of(migration(waiting), { seen: complete(intent("canceled", { amount: 600 })) }).status;
  expect(wrong).toMatchObject({ state: "released", message: expect.stringContaining("another amount or currency") });
});
