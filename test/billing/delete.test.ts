import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { signature } from "../../dev/stripe/webhooks/sign.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { type BillingPlace, borrowPlace, type Person, webhookSecret } from "./place.ts";

/** A deleted migration leaves nothing open at Stripe; neither does one that was never written. */

let place: BillingPlace;
beforeAll(async () => {
  place = await borrowPlace({ operator: { ROWFERRY_HOLD_GRACE_HOURS: "1", ROWFERRY_SWEEP_SECONDS: "1" } });
});
afterAll(() => place?.stop());

const statusOf = async (session: string): Promise<{ status: string; payment_intent: string | null }> =>
  place.atStripe(`checkout/sessions/${session}`);
const intentOf = async (session: string): Promise<string> => {
  const { payment_intent } = await statusOf(session);
  return payment_intent === null ? "none" : (await place.atStripe(`payment_intents/${payment_intent}`)).status;
};
const deleted = async (person: Person, id: string): Promise<void> => {
  expect((await place.act(person, id, "delete")).status).toBe(200);
  expect((await place.ask(`/api/migrations/${id}`, { token: person.token })).status).toBe(404);
  await place.untilGone(person, id);
};
async function unpaid(person: Person): Promise<{ id: string; session: string }> {
  const { id } = (await place.create(person)).body.migration;
  return { id, session: await place.sessionOf(person, id) };
}

/** Removes a Migration behind the operator's back, as a restored cluster may have lost it. */
async function lose(person: Person, id: string): Promise<void> {
  const { client } = place.installation.plane.admin;
  const metadata = { finalizers: [] };
  await client.mergePatch(kinds.migrations, person.namespace, id, { metadata });
  const live = await place.stored(person, id);
  await client.remove(kinds.migrations, person.namespace, id, live?.metadata.uid ?? "");
  await place.untilGone(person, id);
}

/** An open page of a lost Migration. The operator closes it where it was faster than the loss. */
async function lostPage(): Promise<string> {
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const person = await place.paying();
    const { id, session } = await unpaid(person);
    await lose(person, id);
    if ((await statusOf(session)).status === "open") return session;
  }
  throw new Error("the operator closed each page");
}

describe("a migration that is deleted", () => {
  test("while it awaits payment: its page is closed", async () => {
    const person = await place.paying();
    const { id, session } = await unpaid(person);
    await deleted(person, id);
    expect((await statusOf(session)).status).toBe("expired");
  });

  test("after a person authorized it, which the operator has not seen: the hold is cancelled", async () => {
    const person = await place.paying();
    const { id, session } = await unpaid(person);
    await Promise.all([place.control(`/sessions/${session}/authorize`), place.act(person, id, "delete")]);
    await place.untilGone(person, id);
    expect(await intentOf(session)).toBe("canceled");
  });

  test("while it runs: the Job is stopped, and the hold is cancelled", async () => {
    const person = await place.paying();
    const { id, session } = await unpaid(person);
    await place.authorize(person, id);
    const job = await until("the Job", async () => (await place.stored(person, id))?.status?.job);
    await deleted(person, id);
    expect(await intentOf(session)).toBe("canceled");
    const { client } = place.installation.plane.admin;
    await until("the Job to go", async () => (await client.get(kinds.jobs, person.namespace, job.name)) === undefined);
  });

  test("after it failed: the hold is cancelled before the grace is over", async () => {
    const person = await place.paying();
    const { id, session } = await unpaid(person);
    await place.authorize(person, id);
    await place.endRun(person, id, "failed");
    expect(await intentOf(session)).toBe("requires_capture");
    await deleted(person, id);
    expect(await intentOf(session)).toBe("canceled");
  });

  test("after it was completed: it is captured first, also while Stripe is down for a moment", async () => {
    const person = await place.paying();
    const { id, session } = await unpaid(person);
    await place.authorize(person, id);
    await place.control("/down");
    try {
      await place.endRun(person, id, "completed");
      expect((await place.act(person, id, "delete")).status).toBe(200);
      expect(await place.stored(person, id)).toBeDefined();
    } finally {
      await place.control("/up");
    }
    await place.untilGone(person, id);
    expect(await intentOf(session)).toBe("succeeded");
  });
});

describe("a hold without a migration", () => {
  test("is released at once when Stripe's event tells of it", async () => {
    const session = await lostPage();
    await place.control(`/sessions/${session}/authorize`);
    const { data } = await place.atStripe("events?type=checkout.session.completed&limit=100");
    const event = data.find((one: { data: { object: { id: string } } }) => one.data.object.id === session);
    const raw = JSON.stringify(event);
    const headers = {
      "content-type": "application/json",
      "stripe-signature": signature(raw, [webhookSecret], Math.floor(Date.now() / 1000)),
    };
    expect(await place.ask("/webhooks/stripe", { method: "POST", raw, headers })).toMatchObject({ status: 204 });
    expect(await intentOf(session)).toBe("canceled");
  });

  test("is found by the operator's sweep without an event", async () => {
    const session = await lostPage();
    await place.control(`/sessions/${session}/authorize`);
    await until("the hold to be released", async () => (await intentOf(session)) === "canceled", 60_000);
  });

  test("another installation's hold of the same Stripe account is left alone", async () => {
    const body = new URLSearchParams({
      mode: "payment",
      "line_items[0][quantity]": "1",
      "line_items[0][price_data][currency]": "usd",
      "line_items[0][price_data][unit_amount]": "500",
      "line_items[0][price_data][product_data][name]": "x",
      "payment_intent_data[capture_method]": "manual",
      "metadata[installation]": "elsewhere",
      "metadata[namespace]": "rowferry-x",
      "metadata[migration]": "x",
      "metadata[checkout]": "1",
      success_url: "https://example.com",
    });
    const headers = { authorization: `Bearer ${place.stripe.key}` };
    const made = await fetch(`${place.stripe.url}/v1/checkout/sessions`, { method: "POST", headers, body });
    const { id: foreign } = (await made.json()) as { id: string };
    await place.control(`/sessions/${foreign}/authorize`);
    // A sweep that released a later one has passed this one.
    const session = await lostPage();
    await place.control(`/sessions/${session}/authorize`);
    await until("the other hold to be released", async () => (await intentOf(session)) === "canceled", 60_000);
    expect(await intentOf(foreign)).toBe("requires_capture");
  });
});
