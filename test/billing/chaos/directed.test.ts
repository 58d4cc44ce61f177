import { afterAll, beforeAll, expect, test } from "vitest";
import type { Entry } from "../../../dev/stripe/state/history.ts";
import { smallestIn } from "../../../src/billing/money.ts";
import type { Migration } from "../../../src/resources/migration.ts";
import { kinds } from "../../../src/resources/objects.ts";
import { until } from "../../operator/control-plane.ts";
import { type BillingPlace, borrowPlace, type Person } from "../place.ts";
import { askedWords } from "./covers.ts";
import { judge, type Known } from "./judge.ts";
import { type Mark, markOf } from "./replay.ts";

/**
 * Short histories that the judge reads. Each of the broken builds in test/mutants/list/billing.ts makes one of them a violation, so a wait that
 * ends without its state is not an error here.
 */

let place: BillingPlace;

beforeAll(async () => {
  place = await borrowPlace({ replicas: 2 });
});
afterAll(async () => {
  await place?.stop();
});

const keyOf = ({ namespace }: Person, id: string): string => `${namespace}/${id}`;
const mark = (name: Mark, key: string, ...words: (string | number)[]): Promise<unknown> =>
  place.control("/marks", { what: `mark ${markOf(name, key, ...words)}` });
const soon = (what: string, holds: () => Promise<boolean>): Promise<unknown> =>
  until(what, holds, 15_000).catch(() => {});
const paidAs = (person: Person, id: string, ...states: (string | undefined)[]) =>
  soon(states.join(), async () => states.includes((await place.stored(person, id))?.status?.payment?.state));

/** What the Migration names for the run that was requested last. */
async function asked(person: Person, id: string, plan: "pro" | "free" = "free"): Promise<void> {
  const { attempt = 0, reset = 0, payment } = (await place.stored(person, id))?.spec ?? {};
  if (payment === undefined) return;
  await mark("asked", keyOf(person, id), ...askedWords({ run: attempt + reset, plan, by: payment.by }));
}

async function verify(person: Person, id: string): Promise<Migration> {
  const { attempt = 0, reset = 0 } = (await place.stored(person, id))?.spec ?? {};
  await mark("completing", keyOf(person, id), attempt + reset);
  const migration = await place.storeResult(person, id, "completed");
  await mark("verified", keyOf(person, id), attempt + reset);
  return migration;
}

const endJob = ({ metadata, status }: Migration): Promise<unknown> =>
  place.installation.plane.admin.client.remove(
    kinds.jobs,
    metadata.namespace,
    status?.job?.name ?? "",
    status?.job?.uid ?? "",
  );

async function complete(person: Person, id: string): Promise<void> {
  const verified = await verify(person, id).catch(() => undefined);
  if (verified !== undefined) await endJob(verified);
  await soon("completed", async () => (await place.show(person, id)).status === "completed");
}

/** Authorizes the present page, if a person has to. */
async function authorize(person: Person, id: string): Promise<void> {
  await place.control(`/sessions/${await place.sessionOf(person, id)}/authorize`).catch(() => {});
  await paidAs(person, id, "authorized", "captured");
}

async function hold(): Promise<{ person: Person; id: string }> {
  const person = await place.paying();
  const { body } = await place.create(person);
  const id = String(body.migration.id);
  await asked(person, id);
  await authorize(person, id);
  return { person, id };
}

async function reset(person: Person, id: string, plan: "pro" | "free" = "free"): Promise<void> {
  await mark("asking", keyOf(person, id));
  const { status, text } = await place.act(person, id, "reset", { body: { confirm: true } });
  expect(status, text).toBe(202);
  await asked(person, id, plan);
}

async function completed(): Promise<Person> {
  const { person, id } = await hold();
  await complete(person, id);
  await paidAs(person, id, "captured");
  return person;
}

async function deleted(): Promise<Person> {
  const { person, id } = await hold();
  await mark("deleting", keyOf(person, id));
  await place.act(person, id, "delete");
  await soon("it to go", async () => (await place.stored(person, id)) === undefined);
  return person;
}

/** Stripe opens the page, and both answers of the SDK's two tries are lost. */
async function lostAnswers(): Promise<Person> {
  const person = await place.paying();
  await place.control("/faults", {
    ...{ kind: "reset", when: "after", times: 2, method: "POST", path: "/v1/checkout/sessions" },
  });
  const headers = { "idempotency-key": "lost" };
  const first = await place.create(person, { headers });
  expect(first, first.text).toMatchObject({ status: 503, body: { code: "unavailable" } });
  const second = await place.create(person, { headers });
  expect(second.status, second.text).toBe(201);
  return person;
}

async function creates(): Promise<Person> {
  const person = await place.signUp();
  // Quoted before, so that no create waits for a measurement and all reserve at the same moment.
  const quote = await place.ask("/api/estimates", { token: person.token, body: place.body() });
  const body = { ...place.body(), estimate_id: quote.body.estimate_id };
  const made = await Promise.all(Array.from({ length: 6 }, (_, at) => place.create(person, { body }, at % 2)));
  const free = made.filter(({ body }) => body.free === true);
  for (const { body } of free) {
    await asked(person, body.migration.id);
    await complete(person, body.migration.id).catch(() => {});
  }
  return person;
}

/** A reset, with whatever a person has to pay for it, and its run. */
async function again(person: Person, id: string, plan: "pro" | "free" = "free"): Promise<void> {
  await reset(person, id, plan);
  await authorize(person, id);
  await complete(person, id);
}

/** Captured and reset, which is covered; refunded in full by hand and reset: it is paid again. */
async function refunded(): Promise<Person> {
  const { person, id } = await hold();
  await complete(person, id);
  await paidAs(person, id, "captured");
  await again(person, id);
  const intent = (await place.stored(person, id))?.status?.payment?.intent;
  await place.control(`/payment_intents/${intent}/refund`);
  await again(person, id);
  await paidAs(person, id, "captured");
  return person;
}

/** Reset between its verified result and the end of its Job: charged once, for both runs. */
async function resetBeforeCapture(): Promise<Person> {
  const { person, id } = await hold();
  const verified = await verify(person, id);
  await reset(person, id);
  await endJob(verified);
  await soon("the next run", async () => (await place.stored(person, id))?.status?.run === 2);
  // A second page, where there is one.
  await authorize(person, id);
  await complete(person, id);
  await paidAs(person, id, "captured");
  return person;
}

/** Pro since the hold, and reset while it runs: the plan covers it, and the hold is released. Paid again when Pro has ended. */
async function proSince(): Promise<Person> {
  const { person, id } = await hold();
  await place.setPlan(person, "pro");
  await reset(person, id, "pro");
  await complete(person, id);
  await paidAs(person, id, "released", "captured");
  await place.setPlan(person, "free");
  await again(person, id);
  await paidAs(person, id, "captured");
  return person;
}

test("the judge finds no violation in a completed, a deleted, a repeated and a free create", async () => {
  // Alone: its fault is for the next request, whosever that is.
  const people = [await lostAnswers(), ...(await Promise.all([completed(), deleted(), creates()]))];
  expect(await violations(people)).toEqual([]);
});

test("the judge finds no violation in resets after a refund, before a capture, and under another plan", async () => {
  const people = await Promise.all([refunded(), resetBeforeCapture(), proSince()]);
  expect(await violations(people)).toEqual([]);
});

async function violations(people: readonly Person[]): Promise<string[]> {
  const answer = await fetch(`${place.stripe.control}/history`);
  const known = await Promise.all(people.map(knownOf));
  return judge((await answer.json()) as Entry[], known.flat());
}

async function knownOf({ account, namespace, token }: Person): Promise<Known[]> {
  const { client } = place.installation.plane.admin;
  const present: Migration[] = await client.list(kinds.migrations, { namespace });
  const { body } = await place.ask("/api/migrations", { token });
  return present.flatMap(({ metadata: { name }, spec: { payment }, status }): Known[] => {
    const shown = body.data.find(({ id }: { id: string }) => id === name);
    // It is being deleted: the API shows none.
    if (payment === undefined || status?.state === undefined || shown === undefined) return [];
    const { amount, currency } = payment;
    const cost = Math.round(shown.cost * smallestIn(currency));
    const named = payment.checkout === undefined ? [] : [payment.checkout.session];
    return [{ key: `${namespace}/${name}`, account, shown: amount, named, state: status.state, cost }];
  });
}
