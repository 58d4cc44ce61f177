import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type BillingPlace, borrowPlace, type Person } from "./place.ts";

/** Retry and reset decide payment anew for each attempt; two replicas of the API. */

let place: BillingPlace;
beforeAll(async () => {
  place = await borrowPlace({ replicas: 2, operator: { ROWFERRY_HOLD_GRACE_HOURS: "1" } });
});
afterAll(() => place?.stop());

const otherUrls = {
  body: { source_url: "postgres://app:n3w@127.0.0.1:9/other", target_url: "mysql://app:n3w@127.0.0.1:9/other" },
};
const confirm = { body: { confirm: true } };
const key = (value: string) => ({ headers: { "idempotency-key": value } });
/** Ids of a migration's checkouts at Stripe, by status. */
async function sessions(id: string): Promise<Record<string, string[]>> {
  const { data } = await place.atStripe("checkout/sessions?limit=100");
  const own = data.filter(({ metadata }: { metadata: { migration?: string } }) => metadata.migration === id);
  return Object.fromEntries(
    ["open", "complete", "expired"].map((status) => [
      status,
      own.filter((one: { status: string }) => one.status === status).map((one: { id: string }) => one.id),
    ]),
  );
}
const captures = async (id: string): Promise<number> => {
  const { data } = await place.atStripe("payment_intents?limit=100");
  return data.filter(
    (one: { metadata: { migration?: string }; status: string }) =>
      one.metadata.migration === id && one.status === "succeeded",
  ).length;
};

async function paidRun(person: Person, outcome: "completed" | "failed"): Promise<string> {
  const { id } = (await place.create(person)).body.migration;
  await place.authorize(person, id);
  await place.endRun(person, id, outcome);
  return id;
}

/** Gives the hold of a failed run back, as the operator does when the time of grace is over. */
async function release(person: Person, id: string): Promise<void> {
  const intent = (await place.stored(person, id))?.status?.payment?.intent;
  await place.control(`/payment_intents/${intent}/cancel`);
}

describe("retry", () => {
  test("a live hold covers it, and is captured once", async () => {
    const person = await place.paying();
    const id = await paidRun(person, "failed");
    const retried = await place.act(person, id, "retry");
    expect(retried).toMatchObject({ status: 202, body: { migration: { status: "pending" } } });
    expect(retried.body).not.toHaveProperty("checkout_url");
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await place.untilShown(person, id, { status: "completed", cost: 5, attempt: 2 });
    expect(await captures(id)).toBe(1);
  });

  test("without a hold it awaits payment at a new page; a repeat with its key gives the same answer, on each replica", async () => {
    const person = await place.paying();
    const id = await paidRun(person, "failed");
    await release(person, id);
    const first = (await place.stored(person, id))?.spec.payment?.checkout;
    const answers = await Promise.all([0, 1, 0, 1].map((replica) => place.act(person, id, "retry", key("k"), replica)));
    for (const { status, body } of answers) {
      expect(status).toBe(202);
      expect(body).toMatchObject({ amount: 5, migration: { status: "awaiting_payment" } });
      expect(body.checkout_url).toBe(answers[0]?.body.checkout_url);
    }
    const live = await place.stored(person, id);
    expect(live?.spec).toMatchObject({ attempt: 2, payment: { checkout: { number: 2, run: 2 } } });
    expect(live?.spec.payment?.checkout?.session).not.toBe(first?.session);
    expect((await sessions(id)).open).toHaveLength(1);
    expect(await place.act(person, id, "retry")).toMatchObject({ status: 409, body: { code: "state_conflict" } });
    await place.authorize(person, id);
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    expect(await captures(id)).toBe(1);
  });

  test("with other URLs a live hold covers it, at the same amount", async () => {
    const person = await place.paying();
    const id = await paidRun(person, "failed");
    const before = await place.stored(person, id);
    const retried = await place.act(person, id, "retry", otherUrls);
    expect(retried, JSON.stringify(retried.body)).toMatchObject({
      status: 202,
      body: { migration: { status: "pending" } },
    });
    expect(retried.body).not.toHaveProperty("checkout_url");
    const live = await place.stored(person, id);
    expect(live?.spec.source).not.toEqual(before?.spec.source);
    expect(live?.spec.payment).toEqual(before?.spec.payment);
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await place.untilShown(person, id, { status: "completed", cost: 5 });
    expect(await captures(id)).toBe(1);
  });

  test("with other URLs and no hold it awaits payment anew, and its page is for the same amount", async () => {
    const person = await place.paying();
    const id = await paidRun(person, "failed");
    await release(person, id);
    const retried = await place.act(person, id, "retry", otherUrls);
    expect(retried).toMatchObject({ status: 202, body: { amount: 5, migration: { status: "awaiting_payment" } } });
    expect((await sessions(id)).open).toHaveLength(1);
    expect(await captures(id)).toBe(0);
  });

  test("while Stripe is down nothing changes; Stripe's answer that is lost is found again", async () => {
    const person = await place.paying();
    const id = await paidRun(person, "failed");
    await release(person, id);
    const before = await place.stored(person, id);
    await place.control("/down");
    try {
      expect(await place.act(person, id, "retry", key("k"))).toMatchObject({
        status: 503,
        body: { code: "unavailable" },
      });
    } finally {
      await place.control("/up");
    }
    // Made at Stripe, and the answer lost, as often as the SDK asks.
    await place.control("/faults", {
      kind: "reset",
      when: "after",
      times: 2,
      method: "POST",
      path: "/v1/checkout/sessions",
    });
    expect(await place.act(person, id, "retry", key("k"))).toMatchObject({ status: 503 });
    expect((await place.stored(person, id))?.spec).toEqual(before?.spec);
    const [lost] = (await sessions(id)).open ?? [];
    expect(lost).toBeDefined();
    const retried = await place.act(person, id, "retry", key("k"), 1);
    expect(retried).toMatchObject({ status: 202, body: { migration: { status: "awaiting_payment" } } });
    expect(await place.sessionOf(person, id)).toBe(lost);
    expect((await sessions(id)).open).toEqual([lost]);
  });

  test("an error that Stripe keeps under the key does not block the next try", async () => {
    const person = await place.paying();
    const id = await paidRun(person, "failed");
    await release(person, id);
    await place.control("/faults", {
      kind: "error",
      status: 500,
      when: "after",
      times: 2,
      method: "POST",
      path: "/v1/checkout/sessions",
    });
    expect((await place.act(person, id, "retry")).status).toBe(503);
    await fetch(`${place.stripe.control}/faults`, { method: "DELETE" });
    expect(await place.act(person, id, "retry")).toMatchObject({ status: 202, body: { amount: 5 } });
  });

  test("the free migration stays free", async () => {
    const person = await place.signUp();
    const { id } = (await place.create(person)).body.migration;
    await place.endRun(person, id, "failed");
    const retried = await place.act(person, id, "retry");
    expect(retried).toMatchObject({ status: 202, body: { migration: { status: "pending" } } });
    await place.endRun(person, id, "completed");
    const reset = await place.act(person, id, "reset", confirm);
    expect(reset).toMatchObject({ status: 202, body: { migration: { status: "pending" } } });
    await place.endRun(person, id, "completed");
    await place.untilShown(person, id, { status: "completed", cost: 0 });
  });
});

describe("reset", () => {
  test("a run that was captured less than seven days ago covers it; after that it is paid again", async () => {
    const person = await place.paying();
    const id = await paidRun(person, "completed");
    // At once: the completed run is captured first.
    const reset = await place.act(person, id, "reset", confirm);
    expect(reset).toMatchObject({ status: 202, body: { migration: { status: "pending" } } });
    expect(reset.body).not.toHaveProperty("checkout_url");
    await place.untilPaid(person, id, "captured");
    await place.endRun(person, id, "completed");
    expect(await captures(id)).toBe(1);
    const live = await place.stored(person, id);
    const capturedAt = new Date(Date.now() - 8 * 24 * 3_600_000).toISOString();
    await place.installation.plane.admin.client.applyStatus(
      (await import("../../src/resources/objects.ts")).kinds.migrations,
      {
        metadata: { name: id, namespace: person.namespace, uid: live?.metadata.uid ?? "" },
        status: { payment: { ...live?.status?.payment, capturedAt } },
      } as never,
      "rowferry-payment",
    );
    const again = await place.act(person, id, "reset", confirm);
    expect(again).toMatchObject({ status: 202, body: { amount: 5, migration: { status: "awaiting_payment" } } });
    await place.authorize(person, id);
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await place.untilShown(person, id, { status: "completed", cost: 10 });
    expect(await captures(id)).toBe(2);
  });

  test("one that awaits payment stays there, at the same page", async () => {
    const person = await place.paying();
    const made = await place.create(person);
    const { id } = made.body.migration;
    await place.untilStatus(person, id, "awaiting_payment");
    const reset = await place.act(person, id, "reset", confirm);
    expect(reset).toMatchObject({
      status: 202,
      body: { migration: { status: "awaiting_payment" }, checkout_url: made.body.checkout_url },
    });
    await place.authorize(person, id);
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
  });

  test("a run in progress keeps its hold", async () => {
    const person = await place.paying();
    const { id } = (await place.create(person)).body.migration;
    await place.authorize(person, id);
    await place.untilStatus(person, id, "pending");
    expect(await place.act(person, id, "reset", confirm)).toMatchObject({
      status: 202,
      body: { migration: { status: "pending" } },
    });
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    expect(await captures(id)).toBe(1);
  });
});

describe("the plan", () => {
  test("an account that is Pro now is covered by it: the hold is released", async () => {
    const person = await place.paying();
    const id = await paidRun(person, "failed");
    await place.setPlan(person, "pro");
    expect(await place.act(person, id, "retry")).toMatchObject({
      status: 202,
      body: { migration: { status: "pending" } },
    });
    await place.untilPaid(person, id, "released");
    await place.endRun(person, id, "completed");
    expect(await captures(id)).toBe(0);
  });

  test("one that awaits payment when the account becomes Pro keeps its terms until it is reset", async () => {
    const person = await place.paying();
    const { id } = (await place.create(person)).body.migration;
    await place.setPlan(person, "pro");
    const refused = await place.act(person, id, "checkout");
    expect(refused).toMatchObject({ status: 409, body: { code: "nothing_to_pay" } });
    expect(refused.body.detail).toContain("Reset this migration");
    expect(await place.act(person, id, "reset", confirm)).toMatchObject({
      status: 202,
      body: { migration: { status: "pending" } },
    });
    await place.endRun(person, id, "completed");
    expect((await sessions(id)).open).toEqual([]);
  });
});
