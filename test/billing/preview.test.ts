import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { kinds } from "../../src/resources/objects.ts";
import { connectMcp } from "./mcp.ts";
import { type BillingPlace, borrowPlace, type Person } from "./place.ts";

/** What a reset costs is named before it is asked for; a page that has closed is replaced, also over MCP. */

let place: BillingPlace;
beforeAll(async () => {
  place = await borrowPlace({ operator: { ROWFERRY_HOLD_GRACE_HOURS: "1" } });
});
afterAll(() => place?.stop());

const preview = async (person: Person, id: string) => {
  const answer = await place.act(person, id, "reset");
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

/** A run that was charged, and given back in full by hand. */
async function refunded(): Promise<{ person: Person; id: string }> {
  const one = await charged();
  await refund(one);
  return one;
}
async function charged(): Promise<{ person: Person; id: string }> {
  const person = await place.paying();
  const { id } = (await place.create(person)).body.migration;
  await place.authorize(person, id);
  await place.endRun(person, id, "completed");
  await place.untilPaid(person, id, "captured");
  return { person, id };
}
const refund = async ({ person, id }: { person: Person; id: string }) =>
  place.control(`/payment_intents/${(await place.stored(person, id))?.status?.payment?.intent}/refund`);

/** As the run's worker measured its source. */
async function measured(person: Person, id: string, size: number): Promise<void> {
  const { metadata, status } = (await place.stored(person, id)) ?? { metadata: { uid: "" } };
  const at = { name: id, namespace: person.namespace, uid: metadata.uid };
  const part = { size, ...(status?.result === undefined ? {} : { result: status.result }) };
  await place.installation.plane.admin.client.applyStatus(
    kinds.migrations,
    { metadata: at, status: part },
    "rowferry-worker",
  );
}

describe("the preview of a reset", () => {
  test("names no price where the last charge covers it", async () => {
    const { person, id } = await charged();
    const { message, preview: shown } = await preview(person, id);
    expect(shown).toMatchObject({ amount: 0, currency: "USD" });
    expect(message).not.toContain("costs");
  });

  test("after a refund: names the price, which the reset then asks for; it opens no page", async () => {
    const { person, id } = await refunded();
    const before = (await place.atStripe("checkout/sessions?limit=100")).data.length;
    const { message, preview: shown } = await preview(person, id);
    expect(shown).toMatchObject({ amount: 5, currency: "USD" });
    expect(message).toContain("The next run costs 5.00 USD");
    expect((await place.atStripe("checkout/sessions?limit=100")).data).toHaveLength(before);
    expect(await place.act(person, id, "reset", { body: { confirm: true } })).toMatchObject({
      status: 202,
      body: { amount: 5, migration: { status: "awaiting_payment" } },
    });
    expect((await preview(person, id)).preview, "it awaits payment").toMatchObject({ amount: 5 });
  });

  test("after source_over_quote: names the price of the size that was measured", async () => {
    const person = await place.paying();
    const { id } = (await place.create(person)).body.migration;
    await place.authorize(person, id);
    await place.endRun(person, id, "failed", "source_over_quote");
    await measured(person, id, 50_000_000_000);
    await place.untilPaid(person, id, "released");
    const { preview: shown } = await preview(person, id);
    expect(shown.amount).toBeGreaterThan(5);
    const { body } = await place.act(person, id, "reset", { body: { confirm: true } });
    expect(body.amount).toBe(shown.amount);
  });

  test("of the plan and of the free migration: nothing", async () => {
    const person = await place.signUp();
    const { id } = (await place.create(person)).body.migration;
    await place.endRun(person, id, "completed");
    expect((await preview(person, id)).preview).toMatchObject({ amount: 0 });
    const pro = await place.paying();
    await place.setPlan(pro, "pro");
    const covered = (await place.create(pro)).body.migration.id;
    await place.endRun(pro, covered, "completed");
    await measured(pro, covered, 1_000_000);
    expect((await preview(pro, covered)).preview).toMatchObject({ amount: 0 });
    await place.setPlan(pro, "free");
    expect((await preview(pro, covered)).preview, "the plan has ended").toMatchObject({ amount: 5 });
  });

  test("over MCP: with the price; a confirmation of another price is refused, and names the new one", async () => {
    const one = await charged();
    const { id } = one;
    const mcp = await connectMcp(place, one.person);
    const first = await mcp.call("reset-migration-tool", { id });
    expect(first.data.preview).toMatchObject({ amount: 0 });
    expect(first.text).not.toContain("costs");
    await refund(one);
    const confirm = { id, confirm: true, digest: first.data.preview.digest };
    const refused = await mcp.call("reset-migration-tool", confirm);
    expect(refused.isError).toBe(true);
    expect(refused.text).toContain("costs 5.00 USD");
    expect((await place.stored(one.person, id))?.spec.reset).toBe(0);
    const again = await mcp.call("reset-migration-tool", { ...confirm, digest: refused.data.preview.digest });
    expect(again.isError, again.text).toBe(false);
    expect(again.data).toMatchObject({
      done: true,
      amount: 5,
      checkout_url: expect.stringContaining(place.stripe.url),
    });
  });
});

test("over MCP, a page that has closed: each answer names the tool that returns a new link, and it does", async () => {
  const person = await place.paying();
  const mcp = await connectMcp(place, person);
  const made = await mcp.call("prepare-migration-tool", place.body());
  expect(made.text).toContain("retry-migration-tool");
  const { id } = made.data.migration;
  expect((await mcp.call("retry-migration-tool", { id })).data.checkout_url).toBe(made.data.checkout_url);
  const session = await place.sessionOf(person, id);
  const headers = { authorization: `Bearer ${place.stripe.key}` };
  await fetch(`${place.stripe.url}/v1/checkout/sessions/${session}/expire`, { method: "POST", headers });
  await place.untilPaid(person, id, "released");

  const shown = await mcp.call("get-migration-tool", { id });
  expect(shown.data.next).toContain("retry-migration-tool");
  const renewed = await mcp.call("retry-migration-tool", { id });
  expect(renewed.isError, renewed.text).toBe(false);
  expect(renewed.data).toMatchObject({ amount: 5, migration: { status: "awaiting_payment" } });
  expect(renewed.data.checkout_url).not.toBe(made.data.checkout_url);
  expect(renewed.text).toContain(renewed.data.checkout_url);
  await place.authorize(person, id);
  await place.untilStatus(person, id, "pending");
  const paid = await mcp.call("retry-migration-tool", { id });
  expect(paid.isError).toBe(true);
  expect(paid.text).toContain("It is pending: it runs by itself.");
});
