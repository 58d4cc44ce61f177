import { afterAll, beforeAll, expect, test } from "vitest";
import { type BillingPlace, borrowPlace } from "./place.ts";

/** A hold from create to capture, by API, operator and a stateful simulator of Stripe, on a real API server. */

let place: BillingPlace;

beforeAll(async () => {
  place = await borrowPlace();
});
afterAll(() => place?.stop());

test("an account's first migration is free, the second is authorised by a person, starts by itself, and is captured when it is completed", async () => {
  const person = await place.signUp();
  expect(await place.create(person)).toMatchObject({ status: 201, body: { covered_by_plan: true, free: true } });
  const made = await place.create(person);
  expect(made).toMatchObject({ status: 201, body: { amount: 5, migration: { status: "awaiting_payment", cost: 0 } } });
  expect(made.body).not.toHaveProperty("covered_by_plan");
  const { id } = made.body.migration;
  expect(made.body.checkout_url).toContain(`${place.stripe.url}/c/pay/`);
  expect((await place.show(person, id)).status).toBe("awaiting_payment");
  expect((await place.stored(person, id))?.status?.job).toBeUndefined();

  const again = await place.act(person, id, "checkout");
  expect(again).toMatchObject({ status: 200, body: { amount: 5, checkout_url: made.body.checkout_url } });

  await place.authorize(person, id);
  await place.untilStatus(person, id, "pending");
  await place.endRun(person, id, "completed");
  await place.untilPaid(person, id, "captured");
  await place.untilShown(person, id, { status: "completed", cost: 5 });
  await place.untilReleasable(person, id);
});

test("a failed run is not charged: its hold is given back", async () => {
  const person = await place.paying();
  const { id } = (await place.create(person)).body.migration;
  await place.authorize(person, id);
  await place.endRun(person, id, "failed");
  await place.untilPaid(person, id, "released");
  expect(await place.show(person, id)).toMatchObject({ status: "failed", cost: 0 });
});

test("a migration that is deleted while it awaits payment goes, and nobody can pay at its page any more", async () => {
  const person = await place.paying();
  const made = await place.create(person);
  const { id } = made.body.migration;
  expect((await place.act(person, id, "delete")).status).toBe(200);
  await place.untilGone(person, id);
  const page = await fetch(made.body.checkout_url);
  expect(await page.text()).not.toContain("Authorize");
});

test("while Stripe is down nothing is created", async () => {
  const person = await place.paying();
  await place.control("/down");
  try {
    expect(await place.create(person)).toMatchObject({ status: 503, body: { code: "unavailable" } });
  } finally {
    await place.control("/up");
  }
  const { body } = await place.ask("/api/migrations", { token: person.token });
  expect(body.data).toEqual([]);
});
