import { afterAll, beforeAll, expect, test } from "vitest";
import { type BillingPlace, borrowPlace } from "./place.ts";

/** What kubectl shows of a payment. */

let place: BillingPlace;

beforeAll(async () => {
  place = await borrowPlace();
});
afterAll(() => place?.stop());

async function kubectl(...args: string[]): Promise<string> {
  const { code, out, err } = await place.installation.plane.kubectl(args);
  expect(code, err).toBe(0);
  return out;
}

test("kubectl waits for a payment, and its columns show it", async () => {
  const person = await place.paying();
  const { id } = (await place.create(person)).body.migration;
  const at = ["-n", person.namespace, `migration/${id}`];
  await kubectl("wait", ...at, "--for=jsonpath={.status.state}=awaiting_payment", "--timeout=30s");
  await kubectl("wait", ...at, "--for=condition=Running=false", "--timeout=30s");
  await kubectl("wait", ...at, "--for=jsonpath={.status.payment.state}=awaiting", "--timeout=30s");
  const [head, row] = (await kubectl("get", ...at, "-o", "wide")).trim().split("\n");
  expect(head?.split(/\s+/)).toEqual(expect.arrayContaining(["STATE", "REASON", "PAYMENT"]));
  expect(row?.split(/\s+/)).toEqual(expect.arrayContaining(["awaiting_payment", "AwaitingPayment", "awaiting"]));
  await place.authorize(person, id);
  await kubectl("wait", ...at, "--for=jsonpath={.status.payment.state}=authorized", "--timeout=30s");
  await place.endRun(person, id, "completed");
  await kubectl("wait", ...at, "--for=condition=Complete", "--timeout=30s");
  await kubectl("wait", ...at, "--for=jsonpath={.status.payment.state}=captured", "--timeout=30s");
});

test("kubectl explains each field of a payment", async () => {
  const spec = (await kubectl("explain", "migration.spec.payment")).replace(/\s+/g, " ");
  expect(spec).toContain("Payment of the runs");
  expect(spec).toContain("captured after verification");
  const status = (await kubectl("explain", "migration.status.payment")).replace(/\s+/g, " ");
  expect(status).toContain("the bank ended the hold, not charged");
});
