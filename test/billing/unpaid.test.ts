import { afterAll, beforeAll, expect, test } from "vitest";
import { type BillingPlace, borrowPlace } from "./place.ts";

/** Migrations that nobody pays for are removed. */

const seconds = 15;
let place: BillingPlace;
beforeAll(async () => {
  place = await borrowPlace({ operator: { ROWFERRY_UNPAID_DAYS: String(seconds / 86_400) } });
});
afterAll(() => place?.stop());

test("after the time an unpaid migration goes and its page is closed; one with a hold stays", async () => {
  const person = await place.paying();
  const paid = (await place.create(person)).body.migration.id;
  await place.authorize(person, paid);
  const { id } = (await place.create(person)).body.migration;
  const session = await place.sessionOf(person, id);
  await place.untilGone(person, id);
  expect((await place.atStripe(`checkout/sessions/${session}`)).status).toBe("expired");
  expect((await place.ask(`/api/migrations/${id}`, { token: person.token })).status).toBe(404);
  await place.endRun(person, paid, "completed");
  await place.untilPaid(person, paid, "captured");
});
