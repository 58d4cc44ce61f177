import { heldTo, type Terms } from "../../billing/case.ts";
import { inWords } from "../../billing/money.ts";
import type { RunType } from "../../billing/prices.ts";
import { checkoutLasts } from "../../billing/seen.ts";
import type { Checkout } from "../../billing/stripe.ts";
import { PaymentsError } from "../../billing/stripe-client.ts";
import type { PaymentSpec } from "../../resources/payment.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { reserveFree } from "./reserve.ts";
import { isCoveredAnyway, termsFor } from "./terms.ts";

/** What covers the runs of a Migration that is made next; undefined while nothing is charged. */

export interface Wanted {
  namespace: string;
  name: string;
  type: RunType;
  /** Of a quote that the caller shows. */
  quote?: { amount: number; currency: string; size: number };
  /** Bytes of the source now; asked only where they matter. */
  measure(): Promise<number>;
}

/** Throws Problem `estimate_refused`, `limit_reached`, `unavailable`, and what `measure` throws. */
export async function paymentFor(world: World, caller: Caller, wanted: Wanted): Promise<PaymentSpec | undefined> {
  const { billing } = world;
  if (billing === undefined) return undefined;
  const account = caller.account.metadata.name;
  const common = { account, currency: world.settings.currency };
  if (isCoveredAnyway(world, caller)) return { ...common, by: "plan", amount: 0 };
  const quotedSize = wanted.quote?.size ?? (await wanted.measure());
  const of = { type: wanted.type, size: quotedSize };
  let terms = held(await termsFor(world, caller, of), wanted);
  if (terms.by === "free") {
    if (await reserveFree(world, account, wanted)) return { ...common, by: "free", amount: 0, quotedSize };
    // Another create was faster.
    terms = held(await termsFor(world, withoutFree(caller), of), wanted);
  }
  mayOweMore(world, account);
  const checkout = await openCheckout(world, caller, { ...wanted, terms, number: 1 });
  return { ...common, by: "hold", amount: terms.amount, quotedSize, checkout: { ...checkout, number: 1 } };
}

function held(now: Terms, { quote }: Wanted): Terms {
  const terms = heldTo(now, quote);
  if (terms !== undefined) return terms;
  const why = `is of other terms than hold now, which are ${inWords(now.amount, now.currency)}`;
  throw new Problem("estimate_refused", `The estimate ${why}: ask for a new one, or leave estimate_id out.`, {
    errors: [{ field: "estimate_id", message: `${why}: ask for a new one, or leave it out` }],
  });
}

const withoutFree = (caller: Caller): Caller => ({
  ...caller,
  account: {
    ...caller.account,
    spec: { ...caller.account.spec, freeMigration: { namespace: "-", name: "-", at: "", used: true } },
  },
});

/** An unpaid Migration costs the installation an object: an account has so many and no more. Throws Problem `limit_reached`. */
function mayOweMore({ billing, caches }: World, account: string): void {
  let unpaid = 0;
  for (const { spec, status } of caches.migrations.all())
    if (spec.payment?.account === account && status?.state === "awaiting_payment") unpaid += 1;
  if (billing !== undefined && unpaid >= billing.mostUnpaid)
    throw new Problem(
      "limit_reached",
      `${unpaid} migrations await payment, as many as an account may have: pay or delete one first.`,
    );
}

/** A page of Stripe's for this Migration. The same number gives the same page. Throws Problem `unavailable`. */
export async function openCheckout(
  { billing, settings, now }: World,
  { account, team }: Caller,
  {
    namespace,
    name,
    terms,
    number,
  }: Pick<Wanted, "namespace" | "name"> & {
    terms: Pick<Terms, "amount" | "currency">;
    number: number;
  },
): Promise<Checkout> {
  if (billing === undefined) throw new Problem("nothing_to_pay", "This installation charges nothing.");
  try {
    return await billing.payments.openCheckout({
      key: `${billing.installation}-${namespace}-${name}-checkout-${number}`,
      amount: terms.amount,
      currency: terms.currency,
      description: `Migration ${name}`,
      email: account.spec.email,
      metadata: {
        installation: billing.installation,
        namespace,
        migration: name,
        checkout: String(number),
        team: team.metadata.name,
      },
      doneUrl: `${settings.baseUrl}/checkout/done?migration=${name}`,
      cancelledUrl: `${settings.baseUrl}/checkout/cancelled?migration=${name}`,
      expiresAt: new Date(now().getTime() + checkoutLasts),
    });
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
    throw new Problem(
      "unavailable",
      "The payment page cannot be opened at the moment: nothing was created; try again.",
      {
        retryAfter: 10,
        cause: error,
      },
    );
  }
}
