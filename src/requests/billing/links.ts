import * as z from "zod";
import { isEnded } from "../../billing/pro.ts";
import { withNextKey } from "../../billing/stripe-keys.ts";
import { priceText } from "../../billing/stripe-subscriptions.ts";
import { resultOf } from "../accounts/shapes.ts";
import { Problem } from "../errors.ts";
import type { Billing, Identity, World } from "../world.ts";
import { customerOf, ownerOf, requestedNow } from "./customer.ts";
import { requestStripe } from "./from-stripe.ts";

/** Links to Stripe's pages, where a person subscribes to Pro or changes the subscription. */

export const linkSchema = resultOf({
  url: z.url().max(2048).describe("Open it in a browser; it leads to Stripe."),
});
type Link = z.output<typeof linkSchema>;

const noBilling = () =>
  new Problem("nothing_to_pay", "Billing is off in this installation: every migration is covered without a charge.");

const subscribed = () =>
  new Problem(
    "state_conflict",
    "The account has a subscription to Pro. Change or cancel it at the link that POST /api/billing/portal returns.",
  );

/**
 * A page where the account's owner subscribes to Pro. While one is open, every request returns the same page, so that nobody subscribes
 * twice. Throws Problem `nothing_to_pay`, `state_conflict`, `unavailable`.
 */
export async function subscribe(world: World, { account }: Identity): Promise<Link> {
  const { billing } = world;
  if (billing === undefined) throw noBilling();
  const { pro } = billing;
  if (pro === undefined)
    throw new Problem("nothing_to_pay", "This installation has no subscription: you pay for each migration.");
  // An administrator's grant, which no subscription may end.
  if (account.spec.plan === "pro" && account.spec.billing === undefined) throw subscribed();
  return requestStripe(async () => {
    const owner = await ownerOf(billing, account);
    const customer = await customerOf(world, billing, account);
    const url = await subscriptionPage(world, billing, { customer, owner, pro, isPro: account.spec.plan === "pro" });
    await requestedNow(world, account, customer);
    return { message: "Open url in a browser to subscribe to Pro.", url };
  });
}

interface Wanted {
  customer: string;
  owner: Awaited<ReturnType<typeof ownerOf>>;
  pro: NonNullable<Billing["pro"]>;
  /** What `spec.plan` says. */
  isPro: boolean;
}

async function subscriptionPage(world: World, billing: Billing, asked: Wanted): Promise<string> {
  const { customer, owner, pro, isPro } = asked;
  const { subscriptions } = billing;
  const { currency, baseUrl } = world.settings;
  // In this order: a checkout that is completed between the two requests has its subscription in the list.
  const last = await subscriptions.lastCheckout(customer);
  const all = (await subscriptions.list(customer)) ?? [];
  if (all.some((one) => !isEnded(one)) || (isPro && all.length === 0)) throw subscribed();
  const price = priceText(pro, currency);
  if (last?.url !== undefined) {
    if (last.price === price) return last.url;
    // The installation's price was changed meanwhile.
    await subscriptions.expireCheckout(last.session);
  }
  // Two requests at the same time see the same last checkout, and get the same page.
  const key = `${customer}-subscribe-${last?.session ?? "first"}-${price}`;
  const urls = {
    doneUrl: `${baseUrl}/checkout/done`,
    cancelledUrl: `${baseUrl}/checkout/cancelled`,
  };
  const wanted = { customer, owner, pro, currency, ...urls };
  return withNextKey(0, (number) => subscriptions.openCheckout(wanted, `${key}-${number}`));
}

/**
 * A page where the account's owner sees invoices, changes the card and cancels the subscription. Throws Problem `nothing_to_pay`,
 * `state_conflict`, `unavailable`.
 */
export async function openPortal(world: World, { account }: Identity): Promise<Link> {
  const { billing } = world;
  if (billing === undefined) throw noBilling();
  const customer = account.spec.billing?.customer;
  // An administrator's grant.
  if (account.spec.plan === "pro" && customer === undefined)
    throw new Problem("state_conflict", "The account has Pro without a subscription, so there is nothing to change.");
  const none = () =>
    new Problem(
      "state_conflict",
      "The account has never had a subscription. Start one with POST /api/billing/subscribe.",
    );
  if (customer === undefined) throw none();
  return requestStripe(async () => {
    const url = await billing.subscriptions.openPortal(customer, `${world.settings.baseUrl}/checkout/done`);
    if (url === undefined) throw none();
    await requestedNow(world, account, customer);
    return { message: "Open url in a browser for invoices, the card and the subscription.", url };
  });
}
