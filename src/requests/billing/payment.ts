import { heldTo, type Terms } from "../../billing/case.ts";
import { moneyText } from "../../billing/money.ts";
import type { RunType } from "../../billing/prices.ts";
import type { PaymentSpec } from "../../resources/payment.ts";
import { Problem } from "../errors.ts";
import type { Caller, World } from "../world.ts";
import { openPage } from "./page.ts";
import { isCoveredAnyway, reserveFree, termsFor } from "./terms.ts";
import { checkUnpaid } from "./unpaid.ts";

/** What covers the runs of a Migration that is made next; undefined while nothing is charged. */

interface WantedPayment {
  namespace: string;
  name: string;
  type: RunType;
  /** Of a quote that the caller shows. */
  quote?: { amount: number; currency: string; size: number };
  /** Bytes of the source now; asked only where they matter. */
  measure(): Promise<number>;
}

/** Throws Problem `estimate_refused`, `limit_reached`, `unavailable`, and what `measure` throws. */
export async function paymentFor(
  world: World,
  caller: Caller,
  wanted: WantedPayment,
): Promise<PaymentSpec | undefined> {
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
    terms = held(await termsFor(world, caller, { ...of, freeIsTaken: true }), wanted);
  }
  if (terms.by === "nobody") return undefined;
  await checkUnpaid(world, account, 1);
  const { namespace, name } = wanted;
  const checkout = await openPage(world, { namespace, name, terms, number: 1 });
  return { ...common, by: "hold", amount: terms.amount, quotedSize, checkout: { ...checkout, run: 1 } };
}

function held(now: Terms, { quote }: WantedPayment): Terms {
  const terms = heldTo(now, quote);
  if (terms !== undefined) return terms;
  throw estimateRefused(`has another price than the current one, ${moneyText(now.amount, now.currency)}`);
}

/** `why` follows "The estimate". */
export const estimateRefused = (why: string, fix?: string): Problem =>
  new Problem("estimate_refused", `The estimate ${why}: ${fix ?? "request a new one, or remove `estimate_id`"}.`, {
    errors: [{ field: "estimate_id", message: `${why}: ${fix ?? "request a new one, or remove it"}` }],
  });
