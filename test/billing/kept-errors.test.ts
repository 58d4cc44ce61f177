import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import type { Entry } from "../../dev/stripe/state/history.ts";
import { signature } from "../../dev/stripe/webhooks/sign.ts";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { type BillingPlace, borrowPlace, type Person, webhookSecret } from "./place.ts";

/** Stripe keeps an error of its own for a day under the key of the request. It delays one request and blocks none, and nothing is done twice. */

let place: BillingPlace;
beforeAll(async () => {
  place = await borrowPlace({
    ...{ replicas: 2, operator: { ROWFERRY_SWEEP_SECONDS: "1" } },
    api: { ROWFERRY_PRO_PRICE: '{"amount":49,"interval":"month"}' },
  });
});
afterAll(() => place?.stop());
afterEach(async () => {
  await noErrors();
});

/** Requests to this path end with an error that is kept, until `noErrors`. `after`: the operation ran. */
const keptErrors = (path: string, when: "before" | "after", times: number | null = null) =>
  place.control("/faults", { kind: "error", status: 500, method: "POST", path: `/v1/${path}`, when, times });
const noErrors = () => fetch(`${place.stripe.control}/faults`, { method: "DELETE" });
const requests = async (path: string): Promise<Extract<Entry, { kind: "request" }>[]> => {
  const history = (await (await fetch(`${place.stripe.control}/history`)).json()) as Entry[];
  return history.filter((entry) => entry.kind === "request").filter((one) => one.path === `/v1/${path}`);
};
const subscribe = ({ token }: Person, replica = 0) =>
  place.ask("/api/billing/subscribe", { token, method: "POST" }, replica);
const customersOf = async ({ email }: Person): Promise<unknown[]> =>
  (await place.atStripe(`customers?email=${encodeURIComponent(email)}`)).data;

describe("subscribe", () => {
  test.each(["before", "after"] as const)(
    "errors at the customer's creation, kept %s it: the next request has a page, and there is one customer",
    async (when) => {
      const person = await place.paying();
      await keptErrors("customers", when, when === "before" ? null : 1);
      // A customer that was created in spite of the error is found by the next request.
      for (const replica of when === "before" ? [0, 1, 0] : [0])
        expect(await subscribe(person, replica)).toMatchObject({ status: 503, body: { code: "unavailable" } });
      await noErrors();
      const answers = await Promise.all([0, 1, 0, 1].map((replica) => subscribe(person, replica)));
      const urls = answers.filter(({ status }) => status === 200).map(({ body }) => body.url);
      expect(new Set(urls).size, JSON.stringify(answers.map(({ body }) => body))).toBe(1);
      expect(await subscribe(person)).toMatchObject({ status: 200, body: { url: urls[0] } });
      expect(await customersOf(person)).toHaveLength(1);
    },
  );

  test("errors at the page: the next request has one, and no second page is open", async () => {
    const person = await place.paying();
    await keptErrors("checkout/sessions", "before");
    for (const replica of [0, 1, 0]) expect((await subscribe(person, replica)).status).toBe(503);
    await noErrors();
    const { status, body } = await subscribe(person);
    expect(status).toBe(200);
    expect(await subscribe(person, 1)).toMatchObject({ status: 200, body: { url: body.url } });
    const [customer] = (await customersOf(person)) as { id: string }[];
    expect((await place.atStripe(`checkout/sessions?customer=${customer?.id}`)).data).toHaveLength(1);
  });
});

async function paid(): Promise<{ person: Person; id: string; intent: string }> {
  const person = await place.paying();
  const { id } = (await place.create(person)).body.migration;
  await place.authorize(person, id);
  const intent = (await place.stored(person, id))?.status?.payment?.intent ?? "";
  return { person, id, intent };
}

describe("the operator", () => {
  test("captures once, after errors that were kept before the capture", async () => {
    const { person, id, intent } = await paid();
    await keptErrors(`payment_intents/${intent}/capture`, "before", 3);
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await place.untilShown(person, id, { status: "completed", cost: 5 });
    const asked = await requests(`payment_intents/${intent}/capture`);
    expect(asked.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(asked.filter(({ fault }) => fault !== null)).toHaveLength(3);
  });

  test("asks for no second capture where the first one took place in spite of the error", async () => {
    const { person, id, intent } = await paid();
    await keptErrors(`payment_intents/${intent}/capture`, "after", 1);
    await place.endRun(person, id, "completed");
    await place.untilPaid(person, id, "captured");
    await place.untilReleasable(person, id);
    expect(await requests(`payment_intents/${intent}/capture`)).toHaveLength(1);
    expect(await place.atStripe(`payment_intents/${intent}`)).toMatchObject({ amount_received: 500 });
  });

  test("releases the hold of a failed run, and of a deleted one", async () => {
    const failed = await paid();
    await keptErrors(`payment_intents/${failed.intent}/cancel`, "before", 2);
    await place.endRun(failed.person, failed.id, "failed");
    await place.untilPaid(failed.person, failed.id, "released");
    const deleted = await paid();
    await keptErrors(`payment_intents/${deleted.intent}/cancel`, "before", 2);
    expect((await place.act(deleted.person, deleted.id, "delete")).status).toBe(200);
    await place.untilGone(deleted.person, deleted.id);
    expect((await place.atStripe(`payment_intents/${deleted.intent}`)).status).toBe("canceled");
  });
});

describe("a hold without a migration", () => {
  /** The hold of a Migration that was removed behind the operator's back. */
  async function orphan(): Promise<{ session: string; intent: string }> {
    const { person, id, intent } = await paid();
    const { client } = place.installation.plane.admin;
    const session = await place.sessionOf(person, id);
    await place.installation.operator.stop("SIGKILL");
    await client.mergePatch(kinds.migrations, person.namespace, id, { metadata: { finalizers: [] } });
    const live = await place.stored(person, id);
    await client.remove(kinds.migrations, person.namespace, id, live?.metadata.uid ?? "");
    await place.untilGone(person, id);
    return { session, intent };
  }
  const statusOf = async (intent: string): Promise<string> =>
    (await place.atStripe(`payment_intents/${intent}`)).status;

  test("is released by a repeated event, and by the sweep", async () => {
    const first = await orphan();
    await keptErrors(`payment_intents/${first.intent}/cancel`, "before", 1);
    const { data } = await place.atStripe("events?type=checkout.session.completed&limit=100");
    const event = data.find((one: { data: { object: { id: string } } }) => one.data.object.id === first.session);
    const raw = JSON.stringify(event);
    const signed = signature(raw, [webhookSecret], Math.floor(Date.now() / 1000));
    const tell = async () =>
      (await place.ask("/webhooks/stripe", { method: "POST", raw, headers: { "stripe-signature": signed } })).status;
    expect(await tell()).toBe(503);
    expect(await tell()).toBe(204);
    expect(await statusOf(first.intent)).toBe("canceled");

    await place.installation.restartOperator();
    const second = await orphan();
    await keptErrors(`payment_intents/${second.intent}/cancel`, "before", 1);
    await place.installation.restartOperator();
    await until("the hold to be released", async () => (await statusOf(second.intent)) === "canceled", 60_000);
  });
});
