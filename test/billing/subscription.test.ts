import { afterAll, beforeAll, expect, test } from "vitest";
import { kinds } from "../../src/resources/objects.ts";
import { until } from "../operator/control-plane.ts";
import { type BillingPlace, borrowPlace, type Person } from "./place.ts";
import { relayWebhooks } from "./webhooks.ts";

/** Pro: subscribe, be covered, cancel, and pay for each migration again. */

let place: BillingPlace;
let relay: { stop(): Promise<void> };

beforeAll(async () => {
  place = await borrowPlace({ replicas: 2, api: { ROWFERRY_PRO_PRICE: '{"amount":49,"interval":"month"}' } });
  relay = await relayWebhooks(place);
});
afterAll(async () => {
  await place?.stop();
  await relay?.stop();
});

const day = 86_400;
const subscribe = (person: Person, replica = 0) =>
  place.ask("/api/billing/subscribe", { token: person.token, method: "POST" }, replica);
const portal = (person: Person) => place.ask("/api/billing/portal", { token: person.token, method: "POST" });
const account = async ({ account: name }: Person) => {
  const found = await place.installation.plane.admin.client.get(kinds.accounts, "", name);
  if (found === undefined) throw new Error(`no Account ${name}`);
  return found;
};
const customerOf = async (person: Person): Promise<string> => (await account(person)).spec.billing?.customer ?? "";
const untilPlan = (person: Person, plan: "free" | "pro", milliseconds = 10_000) =>
  until(
    `the plan ${plan}`,
    async () => {
      const { spec, status } = await account(person);
      return spec.plan === plan && status?.billing?.plan === plan;
    },
    milliseconds,
  );
const sessionIn = (url: string): string => url.split("/").at(-1) ?? "";
const subscriptionOf = async (person: Person) =>
  (await place.atStripe(`subscriptions?status=all&customer=${await customerOf(person)}`)).data[0];

/** Through the checkout page, as a person does. */
async function subscribed(): Promise<Person> {
  const person = await place.paying();
  const { status, body, text } = await subscribe(person);
  expect(status, text).toBe(200);
  await place.control(`/sessions/${sessionIn(body.url)}/authorize`);
  await untilPlan(person, "pro");
  return person;
}

test("a person subscribes once, however often the link is requested, and is covered until it is canceled in the portal", async () => {
  const person = await place.paying();
  expect(await portal(person)).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  const links = await Promise.all([0, 1, 0, 1].map((replica) => subscribe(person, replica)));
  // A request beside one that is still under way is told to try again.
  const urls = new Set(links.filter(({ status }) => status === 200).map(({ body }) => body.url));
  expect(urls.size).toBe(1);
  const again = await subscribe(person);
  expect(again).toMatchObject({ status: 200, body: { url: [...urls][0] } });
  const { email } = person;
  expect((await place.atStripe(`customers?email=${encodeURIComponent(email)}`)).data).toHaveLength(1);

  const before = await place.create(person);
  expect(before, "not Pro yet").toMatchObject({ status: 201, body: { amount: 5 } });
  const begun = performance.now();
  await place.control(`/sessions/${sessionIn(again.body.url)}/authorize`);
  await untilPlan(person, "pro");
  console.log(`Pro ${((performance.now() - begun) / 1000).toFixed(1)} s after the payment, by webhook`);
  await until("the API to see it", async () => {
    const { status, body } = await place.create(person);
    return status === 201 && body.covered_by_plan === true && body.checkout_url === undefined;
  });
  const { id } = before.body.migration;
  expect((await place.show(person, id)).status, "terms that exist do not change").toBe("awaiting_payment");

  expect(await subscribe(person)).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  expect(await portal(person)).toMatchObject({ status: 200, body: { url: expect.stringContaining("/p/session/") } });
  expect((await account(person)).status?.conditions).toMatchObject([{ status: "True", reason: "Subscribed" }]);

  await place.control("/settings", { portalCancels: "immediately" });
  const { id: subscription, metadata } = await subscriptionOf(person);
  expect(metadata).toMatchObject({ account: person.account });
  await place.control(`/subscriptions/${subscription}/cancel`);
  await place.control("/settings", { portalCancels: "at_period_end" });
  await untilPlan(person, "free");
  await until("to pay as you go", async () => (await place.create(person)).body.amount === 5);
  const next = await subscribe(person);
  expect(next, "a subscription that ended is no obstacle").toMatchObject({ status: 200 });
  expect(next.body.url).not.toBe(again.body.url);
});

test("without a webhook the operator sees a subscription, and its end, by asking Stripe", async () => {
  await place.control("/webhooks/rules", { kind: "drop", times: null });
  try {
    const person = await place.paying();
    const { body } = await subscribe(person);
    const begun = performance.now();
    await place.control(`/sessions/${sessionIn(body.url)}/authorize`);
    await untilPlan(person, "pro", 20_000);
    console.log(`Pro ${((performance.now() - begun) / 1000).toFixed(1)} s after the payment, by polling alone`);
    await place.control(`/subscriptions/${(await subscriptionOf(person)).id}/end`);
    await untilPlan(person, "free", 20_000);
  } finally {
    await fetch(`${place.stripe.control}/webhooks/rules`, { method: "DELETE" });
  }
});

test("a plan that an administrator set is left alone, with and without a customer", async () => {
  const person = await place.paying();
  await place.setAccount(person, { plan: "pro" });
  await until("covered", async () => (await place.create(person)).body.covered_by_plan === true);
  expect(await subscribe(person)).toMatchObject({ status: 409, body: { code: "state_conflict" } });
  expect((await account(person)).status).toBeUndefined();

  const other = await place.paying();
  expect((await subscribe(other)).status).toBe(200);
  await place.setAccount(other, { plan: "pro" });
  await until("the customer to be looked up", async () => (await account(other)).status?.billing !== undefined);
  expect((await account(other)).spec.plan).toBe("pro");
  expect(await subscribe(other)).toMatchObject({ status: 409, body: { code: "state_conflict" } });
});

test("a plan that somebody writes against a subscription is written back", async () => {
  const person = await subscribed();
  await place.setAccount(person, { plan: "free" });
  await untilPlan(person, "pro");
});

test("a customer whose id was lost is found again, and one that was deleted is replaced", async () => {
  const person = await place.paying();
  const { client } = place.installation.plane.admin;
  const installation = (await client.get(kinds.namespaces, "", "rowferry-system"))?.metadata.uid ?? "";
  const body = new URLSearchParams({
    email: person.email,
    "metadata[installation]": installation,
    "metadata[account]": person.account,
  });
  const headers = { authorization: `Bearer ${place.stripe.key}` };
  const lost = await fetch(`${place.stripe.url}/v1/customers`, { method: "POST", headers, body });
  const { id } = (await lost.json()) as { id: string };
  expect((await subscribe(person)).status).toBe(200);
  expect(await customerOf(person)).toBe(id);

  await fetch(`${place.stripe.url}/v1/customers/${id}`, { method: "DELETE", headers });
  expect((await subscribe(person)).status).toBe(200);
  expect(await customerOf(person)).not.toBe(id);
});

test("while Stripe is down, subscribe and portal return 503 and change nothing", async () => {
  const person = await place.paying();
  const pro = await subscribed();
  await place.control("/down");
  try {
    expect(await subscribe(person)).toMatchObject({ status: 503, body: { code: "unavailable" } });
    expect(await portal(pro)).toMatchObject({ status: 503, body: { code: "unavailable" } });
  } finally {
    await place.control("/up");
  }
  expect((await account(person)).spec.billing).toBeUndefined();
  expect((await account(pro)).spec.plan).toBe("pro");
  const metrics = await (await fetch(`${place.installation.replicas[0]?.health}/metrics`)).text();
  expect(metrics).toMatch(/^rowferry_stripe_errors_total\{code="unavailable"\} [1-9]/m);
  expect((await subscribe(person)).status).toBe(200);
});

// From here on the simulator's clock is ahead of the API's, so that no page for a hold opens any more.

test("a subscription that is canceled in the portal stays Pro until the paid time ends", async () => {
  const person = await subscribed();
  await place.control(`/subscriptions/${(await subscriptionOf(person)).id}/cancel`);
  await until("the cancellation", async () => (await account(person)).status?.conditions?.[0]?.reason === "Canceled");
  const { spec, status } = await account(person);
  expect(spec.plan).toBe("pro");
  expect(Date.parse(status?.billing?.until ?? "")).toBeGreaterThan(Date.now() + 27 * day * 1000);
  await place.control("/clock", { advance: 32 * day });
  await untilPlan(person, "free");
});

test("a payment that fails keeps Pro while Stripe retries, and ends it when Stripe gives up", async () => {
  const person = await subscribed();
  const customer = await customerOf(person);
  await place.control(`/customers/${customer}/card`, { fails: true });
  await place.control("/clock", { advance: 32 * day });
  await until("past due", async () => (await account(person)).status?.billing?.state === "past_due");
  expect(await account(person)).toMatchObject({
    spec: { plan: "pro" },
    status: { conditions: [{ reason: "PastDue", message: expect.stringContaining("another card") }] },
  });
  await place.control("/clock", { advance: 20 * day });
  await untilPlan(person, "free");
  expect((await account(person)).status?.billing?.state).toBe("canceled");
});
