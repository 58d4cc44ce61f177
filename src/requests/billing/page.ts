import { createHash } from "node:crypto";
import { metadataOf } from "../../billing/about.ts";
import type { Terms } from "../../billing/case.ts";
import type { SeenCheckout } from "../../billing/seen.ts";
import type { Checkout } from "../../billing/stripe.ts";
import { withNextKey } from "../../billing/stripe-keys.ts";
import type { Migration } from "../../resources/migration.ts";
import type { PaymentSpec } from "../../resources/payment.ts";
import { teamOf } from "../../resources/team.ts";
import { Problem } from "../errors.ts";
import type { Billing, World } from "../world.ts";
import { fromStripe, requestStripe } from "./from-stripe.ts";

/** Stripe's pages at which a person authorizes the hold of a Migration. */

const mostCheckouts = 1000;

interface PageWanted {
  namespace: string;
  name: string;
  terms: Pick<Terms, "amount" | "currency">;
  /** Which checkout of the Migration it is. */
  number: number;
}

/**
 * Opens a page. The same arguments give the same open page, so that replicas and repeats agree; a higher number, where that one is closed
 * already. Throws Problem `unavailable`, `limit_reached`.
 */
export async function openPage(
  { billing, settings }: Pick<World, "billing" | "settings">,
  wanted: PageWanted,
): Promise<Checkout & { number: number }> {
  const { namespace, name, terms } = wanted;
  if (billing === undefined) throw billingIsOff();
  const installation = await billing.installation();
  const open = async (number: number) => {
    if (number > mostCheckouts)
      throw new Problem("limit_reached", "This migration has had too many checkouts: create a new migration.");
    const request = {
      amount: terms.amount,
      currency: terms.currency,
      description: `Migration ${name}`,
      metadata: {
        ...metadataOf({ installation, namespace, name, checkout: number }),
        team: teamOf(namespace) ?? "",
      },
      doneUrl: `${settings.baseUrl}/checkout/done?migration=${name}`,
      cancelledUrl: `${settings.baseUrl}/checkout/cancelled?migration=${name}`,
    };
    // A key may be used with the same parameters only.
    const digest = createHash("sha256").update(JSON.stringify(request)).digest("base64url");
    return { ...(await billing.payments.openCheckout({ ...request, key: `checkout-${digest}` })), number };
  };
  return withNextKey(wanted.number, open).catch((error: unknown) => {
    throw fromStripe(error);
  });
}

/**
 * The checkout as Stripe has it after nobody can pay at it any more; undefined where Stripe does not know it. A person may have been faster: then it
 * has a hold. Throws Problem `unavailable`.
 */
export async function closePage(
  billing: Pick<Billing, "payments">,
  migration: Migration,
): Promise<SeenCheckout | undefined> {
  const seen = await lookAt(billing, migration);
  if (seen?.session !== "open") return seen;
  await requestStripe(() => billing.payments.expire(seen.id));
  return lookAt(billing, migration);
}

/** The Migration's checkout as Stripe has it; undefined where Stripe does not know it as this Migration's. Throws Problem `unavailable`. */
export async function lookAt(
  { payments }: Pick<Billing, "payments">,
  { metadata, spec }: Migration,
): Promise<SeenCheckout | undefined> {
  const session = spec.payment?.checkout?.session;
  if (session === undefined) return undefined;
  const seen = await requestStripe(() => payments.look(session));
  return seen?.about?.namespace === metadata.namespace && seen.about.name === metadata.name ? seen : undefined;
}

/**
 * Closes a checkout that no Migration names, since another create was first or the API server refused this one. Never rejects: the operator's
 * sweep closes what is left.
 */
export async function closeUnused(
  { billing }: Pick<World, "billing">,
  opened: PaymentSpec | undefined,
  stored: PaymentSpec | undefined,
): Promise<void> {
  const session = opened?.checkout?.session;
  if (session === undefined || session === stored?.checkout?.session) return;
  await billing?.payments.expire(session).catch(() => {});
}

/** Milliseconds that a page must still be open to be given to a person. */
const enough = 5 * 60_000;

export const mayBeGiven = (
  { expiresAt }: NonNullable<PaymentSpec["checkout"]>,
  seen: SeenCheckout | undefined,
  now: Date,
): boolean => seen?.session === "open" && Date.parse(expiresAt) - now.getTime() > enough;

/** There is never a second page or hold beside one that can still be paid. */
export const stillOpen = () =>
  new Problem("busy", "The last payment of this migration is being closed; try again.", { retryAfter: 2 });

export const billingIsOff = () =>
  new Problem(
    "state_conflict",
    "Billing is off in this installation, so this migration cannot be paid: create a new one, which is not charged.",
  );
