import { hourOf } from "../../billing/hour.ts";
import { withNextKey } from "../../billing/stripe-keys.ts";
import type { CustomerOwner } from "../../billing/stripe-subscriptions.ts";
import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import { Problem } from "../errors.ts";
import { change } from "../update-with-retry.ts";
import type { Billing, World } from "../world.ts";

/** The account's one customer at Stripe. Its id is on the Account, written by compare-and-swap. */

type Writing = Pick<World, "client" | "now" | "pause" | "randomBytes">;

export const ownerOf = async ({ installation }: Billing, { metadata, spec }: Account): Promise<CustomerOwner> => ({
  installation: await installation(),
  account: metadata.name,
  email: spec.email,
});

/** The account's customer; creates it if there is none, or if it was deleted at Stripe. Throws PaymentsError, Problem `busy`. */
export async function customerOf(world: Writing, billing: Billing, account: Account): Promise<string> {
  const known = account.spec.billing?.customer;
  if (known !== undefined && (await billing.subscriptions.hasCustomer(known))) return known;
  return created(world, billing, account, known);
}

async function created(
  world: Writing,
  billing: Billing,
  account: Account,
  deleted: string | undefined,
): Promise<string> {
  const owner = await ownerOf(billing, account);
  const { subscriptions } = billing;
  const key = `${account.metadata.uid}-customer-${deleted ?? "first"}-${hourOf(world.now())}`;
  const customer = await withNextKey(
    0,
    // An earlier request can have created it: its answer, or the write below, was lost.
    async (number) =>
      (await subscriptions.findCustomer(owner, deleted)) ??
      (await subscriptions.createCustomer(owner, `${key}-${number}`)),
  );
  const saved = await change(world, kinds.accounts, "", account.metadata.name, (live) => {
    const other = live.spec.billing?.customer;
    // Another request was faster: its customer counts.
    if (other !== undefined && other !== deleted) return undefined;
    return { ...live, spec: { ...live.spec, billing: { customer } } };
  });
  const kept = saved?.spec.billing?.customer;
  if (kept === undefined) throw new Problem("busy", "The account was changed meanwhile; try again.", { retryAfter: 1 });
  return kept;
}

/** Makes the operator ask Stripe often for a while. */
export async function requestedNow(world: Writing, { metadata }: Account, customer: string): Promise<void> {
  await change(world, kinds.accounts, "", metadata.name, (live) => {
    if (live.spec.billing?.customer !== customer) return undefined;
    return { ...live, spec: { ...live.spec, billing: { customer, askedAt: world.now().toISOString() } } };
  });
}
