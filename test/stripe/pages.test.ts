import type Stripe from "stripe";
import { describe, expect, it } from "vitest";
import { pair, pairForEachTest, stripe } from "./each-test.ts";
import { holdParams, proParams, proPrice } from "./orders.ts";

pairForEachTest({ prices: [proPrice] });

const read = async (url: string): Promise<{ status: number; text: string }> => {
  const response = await fetch(url);
  return { status: response.status, text: await response.text() };
};

/** Presses a button of the page's form, as a browser without scripts does. */
const press = async (url: string, action: string, fields: Record<string, string> = {}) => {
  const { text } = await read(url);
  const [, target = ""] = /<form method="post" action="([^"]+)"/.exec(text) ?? [];
  expect(text).toContain(`name="action" value="${action}"`);
  const body = new URLSearchParams({ action, ...fields });
  const response = await fetch(new URL(target, url), { method: "POST", body, redirect: "manual" });
  const location = response.headers.get("location");
  return { status: response.status, location, text: await response.text() };
};

const open = async (more: Partial<Stripe.Checkout.SessionCreateParams> = {}) => {
  const { id, url } = await stripe.checkout.sessions.create(holdParams(more));
  return { id, url: url ?? "" };
};

describe("the Checkout page", () => {
  it("says that it is a simulator, what is paid, and works without scripts", async () => {
    const { url } = await open();
    const { status, text } = await read(url);
    expect(status).toBe(200);
    expect(text).toContain("This is a simulator of Stripe for tests. No money moves.");
    expect(text).toContain("Migration of 12 GB");
    expect(text).toContain("€12.00");
    expect(text).toContain("The amount is held on the card.");
    expect(text).toMatch(/<html lang="en">/);
    expect(text).toContain('<meta name="viewport" content="width=device-width, initial-scale=1">');
    expect(text).not.toMatch(/<script|https?:\/\/(?!rowferry\.test)/);
    for (const [, field] of text.matchAll(/(.{0,60})<input type="email"/gs)) expect(field).toContain("<label>");
  });

  it("Authorize leads to success_url with the session's id in it", async () => {
    const { id, url } = await open();
    const { status, location } = await press(url, "authorize", { email: "person@rowferry.test" });
    expect(status).toBe(303);
    expect(location).toBe(`https://rowferry.test/checkout/done?session=${id}`);
    const session = await stripe.checkout.sessions.retrieve(id);
    expect(session).toMatchObject({ status: "complete", customer_details: { email: "person@rowferry.test" } });
    expect(await read(url)).toMatchObject({ status: 200, text: expect.stringContaining("This payment is complete.") });
  });

  it("Decline shows the message, and the next try works", async () => {
    const { id, url } = await open();
    const declined = await press(url, "decline");
    expect(declined).toMatchObject({
      status: 402,
      text: expect.stringContaining('role="alert">Your card was declined.'),
    });
    expect((await stripe.checkout.sessions.retrieve(id)).status).toBe("open");
    expect((await press(url, "authorize")).status).toBe(303);
    expect((await stripe.checkout.sessions.retrieve(id)).status).toBe("complete");
  });

  it("3-D Secure asks on a second page, which can fail and then be completed", async () => {
    const { id, url } = await open();
    const bank = new URL((await press(url, "three_d_secure")).location ?? "", url).href;
    expect((await read(bank)).text).toContain("Your bank asks whether you want to pay €12.00.");
    expect((await press(bank, "fail")).text).toContain("Your bank did not confirm the payment.");
    await press(url, "three_d_secure");
    expect((await press(bank, "complete")).location).toContain(id);
  });

  it("Cancel is a link to cancel_url and changes nothing", async () => {
    const { id, url } = await open();
    expect((await read(url)).text).toContain(
      '<a href="https://rowferry.test/checkout/cancelled">Cancel and go back</a>',
    );
    expect((await stripe.checkout.sessions.retrieve(id)).status).toBe("open");
  });

  it("of an expired or unknown session says so, and takes nothing", async () => {
    const { id, url } = await open();
    await stripe.checkout.sessions.expire(id);
    expect(await read(url)).toMatchObject({
      status: 410,
      text: expect.stringContaining("This checkout session has expired."),
    });
    const late = await fetch(url, { method: "POST", body: new URLSearchParams({ action: "authorize" }) });
    expect(late.status).toBe(410);
    expect((await read(`${pair.url}/c/pay/cs_test_0`)).status).toBe(404);
  });

  it("shows a name as text, whatever is in it", async () => {
    const price_data = { currency: "jpy", unit_amount: 1200, product_data: { name: '<b title="x">&' } };
    const { url } = await open({ line_items: [{ price_data, quantity: 2 }] });
    const { text } = await read(url);
    expect(text).toContain("&#60;b title=&#34;x&#34;&#62;&#38; × 2");
    expect(text).toContain("¥2,400");
  });
});

describe("the portal", () => {
  it("shows subscription and invoices, and lets a person cancel and keep it", async () => {
    const { id: customer } = await stripe.customers.create({});
    const session = await stripe.checkout.sessions.create(proParams(customer));
    expect((await read(session.url ?? "")).text).toContain("again in each period until you cancel");
    await press(session.url ?? "", "authorize");
    const { data } = await stripe.subscriptions.list({ customer });
    const subscription = data[0]?.id ?? "";
    const { url } = await stripe.billingPortal.sessions.create({
      customer,
      return_url: "https://rowferry.test/billing",
    });
    const { text } = await read(url);
    expect(text).toContain("Rowferry Pro");
    expect(text).toContain("€49.00 per month");
    expect(text).toContain('<a href="https://rowferry.test/billing">');
    await press(url, "cancel", { subscription });
    expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(true);
    await press(url, "keep", { subscription });
    expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(false);
  });

  it("acts on no subscription of another customer", async () => {
    const { id: mine } = await stripe.customers.create({});
    const { id: theirs } = await stripe.customers.create({});
    for (const customer of [mine, theirs]) {
      const session = await stripe.checkout.sessions.create(proParams(customer));
      await press(session.url ?? "", "authorize");
    }
    const { data } = await stripe.subscriptions.list({ customer: theirs });
    const subscription = data[0]?.id ?? "";
    const { url } = await stripe.billingPortal.sessions.create({ customer: mine });
    await press(url, "cancel", { subscription });
    expect((await stripe.subscriptions.retrieve(subscription)).cancel_at_period_end).toBe(false);
  });
});
