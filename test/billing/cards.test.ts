import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { type BillingPlace, borrowPlace, type Person } from "./place.ts";
import { relayWebhooks } from "./webhooks.ts";

/** What a card, its bank and the owner of the Stripe account may do with a payment. */

let place: BillingPlace;
let webhooks: Awaited<ReturnType<typeof relayWebhooks>>;

beforeAll(async () => {
  place = await borrowPlace({ operator: { ROWFERRY_HOLD_GRACE_HOURS: "24" } });
  webhooks = await relayWebhooks(place);
});
afterAll(async () => {
  await webhooks?.stop();
  await place?.stop();
});

/** A migration that awaits payment, of an account without a free one. */
async function awaiting(): Promise<{ person: Person; id: string; session: string; url: string }> {
  const person = await place.paying();
  const { body } = await place.create(person);
  const { id } = body.migration;
  return { person, id, session: await place.sessionOf(person, id), url: body.checkout_url };
}

async function running(): Promise<{ person: Person; id: string; intent: string }> {
  const { person, id } = await awaiting();
  await place.authorize(person, id);
  const job = async () => (await place.stored(person, id))?.status?.job;
  await until("the Job", job);
  return { person, id, intent: (await place.stored(person, id))?.status?.payment?.intent ?? "" };
}

const messageOf = async (person: Person, id: string) => (await place.stored(person, id))?.status?.payment?.message;
const untilMessage = (person: Person, id: string, words: RegExp) =>
  until(`${id}: ${words}`, async () => words.test((await messageOf(person, id)) ?? ""), 30_000);
const logged = async (person: Person, id: string): Promise<string[]> =>
  (await place.show(person, id)).logs.map(({ message }: { message: string }) => message);

describe("at the checkout page", () => {
  test("a card with 3-D Secure authorizes after the bank's page", async () => {
    const { person, id, session } = await awaiting();
    await place.control(`/sessions/${session}/3ds`);
    expect((await place.show(person, id)).status).toBe("awaiting_payment");
    await place.control(`/sessions/${session}/3ds/complete`);
    await place.untilPaid(person, id, "authorized");
    await place.untilStatus(person, id, "pending");
  });

  test.each(["decline", "3ds/fail"])(
    "after %s the message says so, and the same page takes another card",
    async (what) => {
      const { person, id, session, url } = await awaiting();
      await place.control(`/sessions/${session}/${what}`);
      await untilMessage(person, id, /^The card was declined/);
      const condition = async () =>
        (await place.stored(person, id))?.status?.conditions?.find(({ type }) => type === "Running");
      await until("the condition", async () => (await condition())?.message.startsWith("The card was declined"));
      expect(await condition()).toMatchObject({ status: "False", reason: "AwaitingPayment" });
      expect(await place.act(person, id, "checkout")).toMatchObject({ status: 200, body: { checkout_url: url } });
      await place.authorize(person, id);
      await place.untilStatus(person, id, "pending");
      expect(await messageOf(person, id)).toBeUndefined();
    },
  );

  test.each([
    ["a smaller amount", { amount: 400 }],
    ["a larger amount", { amount: 600 }],
    ["another currency", { currency: "eur" }],
  ])("a hold of %s is released, and a new checkout is possible", async (_what, twist) => {
    const { person, id, session, url } = await awaiting();
    await place.control(`/sessions/${session}/authorize`, twist);
    await place.untilPaid(person, id, "released");
    expect(await messageOf(person, id)).toMatch(/another amount or currency.*not charged/);
    expect((await place.show(person, id)).status).toBe("awaiting_payment");
    expect((await place.stored(person, id))?.status?.job).toBeUndefined();
    const { intent } = (await place.stored(person, id))?.status?.payment ?? {};
    expect(await place.atStripe(`payment_intents/${intent}`)).toMatchObject({ status: "canceled" });

    const again = await place.act(person, id, "checkout");
    expect(again).toMatchObject({ status: 200, body: { amount: 5 } });
    expect(again.body.checkout_url).not.toBe(url);
    await place.authorize(person, id);
    await place.untilStatus(person, id, "pending");
  });

  test("a session that is completed after the migration was deleted is released at once", async () => {
    const { person, id, session } = await awaiting();
    await place.installation.operator.stop();
    expect((await place.act(person, id, "delete")).status).toBe(200);
    await place.control(`/sessions/${session}/authorize`);
    const { payment_intent: intent } = await place.atStripe(`checkout/sessions/${session}`);
    expect(await place.atStripe(`payment_intents/${intent}`)).toMatchObject({ status: "requires_capture" });
    await place.installation.restartOperator();
    await place.untilGone(person, id);
    expect(await place.atStripe(`payment_intents/${intent}`)).toMatchObject({ status: "canceled", amount_received: 0 });
  });
});

describe("after the capture", () => {
  test("refunds made by hand reduce the cost, and a dispute is reported", async () => {
    const { person, id, intent } = await running();
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await place.untilShown(person, id, { status: "completed", cost: 5 });

    await place.control(`/payment_intents/${intent}/refund`, { amount: 200 });
    await untilMessage(person, id, /^A part of the charge was refunded/);
    await place.untilShown(person, id, { status: "completed", cost: 3 });
    const list = await place.ask("/api/migrations", { token: person.token });
    expect(list.body.data.find((one: { id: string }) => one.id === id)).toMatchObject({ cost: 3 });

    await place.control(`/payment_intents/${intent}/refund`);
    await untilMessage(person, id, /^The charge was refunded/);
    await place.untilShown(person, id, { status: "completed", cost: 0 });
  });

  /** Captured, and run again for another payment. */
  async function paidAgain(person: Person, id: string): Promise<void> {
    const reset = await place.act(person, id, "reset", { body: { confirm: true } });
    expect(reset, reset.text).toMatchObject({ status: 202, body: { amount: 5 } });
    await place.authorize(person, id);
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
  }

  test("a refund in full of which no event came covers no reset, and reduces the cost", async () => {
    const { person, id, intent } = await running();
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await place.control("/webhooks/rules", { kind: "drop", times: null });
    try {
      await place.control(`/payment_intents/${intent}/refund`);
      await paidAgain(person, id);
    } finally {
      await fetch(`${place.stripe.control}/webhooks/rules`, { method: "DELETE" });
    }
    await place.untilShown(person, id, { status: "completed", cost: 5 });
  });

  test("a refund of an earlier checkout reduces the cost", async () => {
    const { person, id, intent } = await running();
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    const { metadata, status } = (await place.stored(person, id)) ?? {};
    const { name, namespace, uid } = metadata ?? { name: "", namespace: "", uid: "" };
    const capturedAt = new Date(Date.now() - 8 * 24 * 3_600_000).toISOString();
    const payment = status?.payment === undefined ? {} : { ...status.payment, capturedAt };
    await place.installation.plane.admin.client.applyStatus(
      kinds.migrations,
      { metadata: { name, namespace, uid }, status: { payment } },
      "rowferry-payment",
    );
    await paidAgain(person, id);
    await place.untilShown(person, id, { status: "completed", cost: 10 });
    await place.control(`/payment_intents/${intent}/refund`, { amount: 300 });
    await place.untilShown(person, id, { status: "completed", cost: 7 });
  });

  test("a dispute is reported, and changes neither state nor cost", async () => {
    const { person, id, intent } = await running();
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await place.control(`/payment_intents/${intent}/dispute`);
    await untilMessage(person, id, /disputed/);
    await place.untilShown(person, id, { status: "completed", cost: 5 });
  });
});

test("a source that has grown over its quote: the hold is released at once, and a retry is refused", async () => {
  const { person, id } = await running();
  await place.endRun(person, id, "failed", "source_over_quote");
  await place.untilPaid(person, id, "released");
  const retried = await place.act(person, id, "retry");
  expect(retried).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  expect(retried.body.detail).toContain("new estimate");
});

describe("a hold that ends", () => {
  test("before the run would: it is logged when the run starts, and the run continues without a charge", async () => {
    await place.control("/settings", { holdSeconds: 1800 });
    const { person, id } = await running();
    const start = await logged(person, id);
    expect(start).toContainEqual(
      expect.stringMatching(/^Run 1: The card's hold ends at .*may take longer.*not charged/),
    );

    await place.control("/clock", { advance: 1801 });
    await place.untilPaid(person, id, "lapsed");
    expect((await place.show(person, id)).status).toBe("pending");
    await until("the log", async () =>
      (await logged(person, id)).includes("Run 1: The card's hold ended. The run continues, and you are not charged."),
    );
    await place.endRun(person, id, "completed");
    await place.untilShown(person, id, { status: "completed", cost: 0 });
    expect((await place.stored(person, id))?.status?.payment?.message).toMatch(/not charged/);
    await place.untilReleasable(person, id);
  });

  test("before the run started: it awaits payment again, and a new checkout starts it", async () => {
    await place.control("/settings", { holdSeconds: 600 });
    const { person, id, session } = await awaiting();
    await place.installation.operator.stop();
    await place.control(`/sessions/${session}/authorize`);
    await place.control("/clock", { advance: 601 });
    await place.installation.restartOperator();
    await place.untilPaid(person, id, "lapsed");
    const message = async () =>
      (await place.stored(person, id))?.status?.conditions?.find(({ type }) => type === "Running")?.message;
    await until("the condition", async () => /hold ended before the run started/.test((await message()) ?? ""));
    expect((await place.show(person, id)).status).toBe("awaiting_payment");
    expect((await place.stored(person, id))?.status?.job).toBeUndefined();

    await place.control("/settings", { holdSeconds: 7 * 86_400 });
    expect((await place.act(person, id, "checkout")).status).toBe(200);
    await place.authorize(person, id);
    await place.untilStatus(person, id, "pending");
    expect((await logged(person, id)).some((message) => message.includes("may take longer"))).toBe(false);
  });
});
