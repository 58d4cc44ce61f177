import { afterAll, beforeAll, expect, test } from "vitest";
import { until } from "../operator/control-plane.ts";
import { type Person as Browser, startBrowser } from "./browser.ts";
import { type BillingPlace, borrowPlace, type Person } from "./place.ts";
import { relayWebhooks } from "./webhooks.ts";

/** A person pays in a real Chromium: the checkout page, the return pages, and what becomes of the migration. */

let place: BillingPlace;
let browser: Browser;
let relay: { stop(): Promise<void> };

beforeAll(async () => {
  [place, browser] = await Promise.all([
    borrowPlace({ api: { ROWFERRY_PRO_PRICE: '{"amount":49,"interval":"month"}' } }),
    startBrowser(),
  ]);
  relay = await relayWebhooks(place);
});
afterAll(async () => {
  await browser?.close();
  await place?.stop();
  await relay?.stop();
});

/** A migration that awaits payment, and its checkout page. */
async function checkout() {
  const person: Person = await place.paying();
  const made = await place.create(person);
  expect(made, made.text).toMatchObject({ status: 201, body: { migration: { status: "awaiting_payment" } } });
  const page = await browser.open(made.body.checkout_url);
  return { person, page, id: String(made.body.migration.id) };
}

const button = (name: RegExp) => ["button", { name }] as const;

test("authorize: the run starts by itself, and the page shows each state until the migration is completed and captured", async () => {
  const { person, page, id } = await checkout();
  await page.getByText("$5.00").first().waitFor();
  await page.getByRole(...button(/^Authorize/)).click();
  await page.waitForURL(/\/checkout\/done\?migration=/);
  expect(page.url()).toBe(`${place.installation.place.baseUrl}/checkout/done?migration=${id}`);
  await page.getByRole("heading", { name: "Payment authorized" }).waitFor();
  await place.endRun(person, id, "completed");
  await place.untilPaid(person, id, "captured");
  await page.getByRole("heading", { name: "Migration completed" }).waitFor();
  await place.untilShown(person, id, { status: "completed", cost: 5 });
});

test("decline: the page says so, nothing starts, and another try at the same page is taken", async () => {
  const { person, page, id } = await checkout();
  await page.getByRole(...button(/^Decline/)).click();
  await page.getByRole("alert").getByText("Your card was declined").waitFor();
  expect((await place.show(person, id)).status).toBe("awaiting_payment");
  await page.getByRole(...button(/^Authorize/)).click();
  await page.waitForURL(/\/checkout\/done/);
  await place.untilPaid(person, id, "authorized");
});

test("3-D Secure: the bank confirms on its own page", async () => {
  const { person, page, id } = await checkout();
  await page.getByRole(...button(/^3-D Secure/)).click();
  await page.waitForURL(/\/3ds$/);
  await page
    .getByRole(...button(/^(Complete|Confirm)/))
    .first()
    .click();
  await page.waitForURL(/\/checkout\/done/);
  await place.untilPaid(person, id, "authorized");
});

test("cancel: the page says that nothing is charged, and the link still works", async () => {
  const { person, page, id } = await checkout();
  const link = page.url();
  await page.getByRole("link", { name: /cancel|back/i }).click();
  await page.waitForURL(/\/checkout\/cancelled\?migration=/);
  await page.getByRole("heading", { name: "Payment not authorized" }).waitFor();
  expect((await place.show(person, id)).status).toBe("awaiting_payment");
  await page.goto(link);
  await page.getByRole(...button(/^Authorize/)).waitFor();
});

test("a copy that fails: the page says that nothing is charged, and the hold is released", async () => {
  const { person, page, id } = await checkout();
  await page.getByRole(...button(/^Authorize/)).click();
  await place.untilPaid(person, id, "authorized");
  await place.endRun(person, id, "failed");
  await place.untilPaid(person, id, "released");
  await page.getByRole("heading", { name: "Migration failed" }).waitFor();
  await page.getByText("You are not charged").waitFor();
  expect(await place.show(person, id)).toMatchObject({ status: "failed", cost: 0 });
});

test("a reset that fails after a charge: the page says that an amount was charged earlier", async () => {
  const { person, page, id } = await checkout();
  await page.getByRole(...button(/^Authorize/)).click();
  await page.waitForURL(/\/checkout\/done/);
  await place.endRun(person, id, "completed");
  await place.untilPaid(person, id, "captured");
  expect((await place.act(person, id, "reset", { body: { confirm: true } })).status).toBe(202);
  await place.endRun(person, id, "failed");
  await place.untilShown(person, id, { status: "failed", cost: 5 });
  await page.reload();
  await page.getByRole("heading", { name: "Migration failed" }).waitFor();
  await page.getByText("An amount was charged earlier").waitFor();
  expect(await page.getByText("You are not charged").count()).toBe(0);
});

test("Pro: subscribe, create without a payment, cancel in the portal, and pay for each migration again", async () => {
  const person = await place.paying();
  const link = async (name: "subscribe" | "portal") => {
    const { status, body, text } = await place.ask(`/api/billing/${name}`, { token: person.token, method: "POST" });
    expect(status, text).toBe(200);
    return String(body.url);
  };
  const created = (what: object) =>
    until(JSON.stringify(what), async () => {
      const { body } = await place.create(person);
      return Object.entries(what).every(([name, value]) => body[name] === value);
    });

  const page = await browser.open(await link("subscribe"));
  await page.getByText("$49.00").first().waitFor();
  await page.getByRole(...button(/^Authorize/)).click();
  await page.getByRole("heading", { name: "Back from the checkout" }).waitFor();
  await created({ covered_by_plan: true, checkout_url: undefined });

  await place.control("/settings", { portalCancels: "immediately" });
  await page.goto(await link("portal"));
  await page.getByRole(...button(/^Cancel subscription/)).click();
  await page.getByText("Canceled.").waitFor();
  await created({ amount: 5, covered_by_plan: undefined });
});

test("a return page shows nothing of an unknown migration, and runs no script", async () => {
  const { baseUrl } = place.installation.place;
  const page = await browser.open(`${baseUrl}/checkout/done?migration=%3Cscript%3Ealert(1)%3C/script%3E`);
  await page.getByRole("heading", { name: "Back from the checkout" }).waitFor();
  expect(await page.content()).not.toContain("alert(1)");
  expect(await page.locator("#state").count()).toBe(0);
});
