import { afterAll, beforeAll, expect, test } from "vitest";
import type { Entry } from "../../../dev/stripe/state/history.ts";
import { smallestIn } from "../../../src/billing/money.ts";
import type { Migration } from "../../../src/resources/migration.ts";
import { kinds } from "../../../src/resources/objects.ts";
import { until } from "../../operator/control-plane.ts";
import { type BillingPlace, type Person, startPlace } from "../place.ts";
import { judge, type Known } from "./judge.ts";
import { type Mark, markOf } from "./replay.ts";

/**
 * Short histories that the judge reads. Each of the broken builds in test/mutants/list/billing.ts makes one of them a violation, so a wait that
 * ends without its state is not an error here.
 */

let place: BillingPlace;

beforeAll(async () => {
  place = await startPlace({ replicas: 2 });
});
afterAll(async () => {
  await place?.stop();
});

const keyOf = ({ namespace }: Person, id: string): string => `${namespace}/${id}`;
const mark = (name: Mark, key: string): Promise<unknown> =>
  place.control("/marks", { what: `mark ${markOf(name, key)}` });
const soon = (what: string, holds: () => Promise<boolean>): Promise<unknown> =>
  until(what, holds, 15_000).catch(() => {});
const paidAs = (person: Person, id: string, ...states: (string | undefined)[]) =>
  soon(states.join(), async () => states.includes((await place.stored(person, id))?.status?.payment?.state));

async function complete(person: Person, id: string): Promise<void> {
  await mark("completing", keyOf(person, id));
  await place.endRun(person, id, "completed");
  await mark("completed", keyOf(person, id));
}

async function hold(): Promise<{ person: Person; id: string }> {
  const person = await place.paying();
  const { body } = await place.create(person);
  const id = String(body.migration.id);
  await place.control(`/sessions/${await place.sessionOf(person, id)}/authorize`);
  await paidAs(person, id, "authorized", "captured");
  return { person, id };
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
  await mark("deleted", keyOf(person, id));
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
  for (const { body } of free) await complete(person, body.migration.id).catch(() => {});
  return person;
}

test("the judge finds no violation in a completed, a deleted, a repeated and a free create", async () => {
  // Alone: its fault is for the next request, whosever that is.
  const people = [await lostAnswers(), ...(await Promise.all([completed(), deleted(), creates()]))];
  const answer = await fetch(`${place.stripe.control}/history`);
  const known = await Promise.all(people.map(knownOf));
  expect(judge((await answer.json()) as Entry[], known.flat())).toEqual([]);
});

async function knownOf({ account, namespace, token }: Person): Promise<Known[]> {
  const { client } = place.installation.plane.admin;
  const present: Migration[] = await client.list(kinds.migrations, { namespace });
  const { body } = await place.ask("/api/migrations", { token });
  return present.flatMap(({ metadata: { name }, spec: { payment }, status }): Known[] => {
    const shown = body.data.find(({ id }: { id: string }) => id === name);
    // It is being deleted: the API shows none.
    if (payment === undefined || status?.state === undefined || shown === undefined) return [];
    const { by, amount, currency } = payment;
    const cost = Math.round(shown.cost * smallestIn(currency));
    const named = payment.checkout === undefined ? [] : [payment.checkout.session];
    return [{ key: `${namespace}/${name}`, account, by, shown: amount, named, state: status.state, cost }];
  });
}
