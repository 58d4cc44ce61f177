import type { z } from "zod";
import { inUnits } from "../../billing/money.ts";
import type { Checkout } from "../../billing/stripe.ts";
import { PaymentsError } from "../../billing/stripe-client.ts";
import { isConflict, kinds } from "../../cluster/index.ts";
import type { Migration } from "../../resources/migration.ts";
import { type PaymentSpec, paymentFinalizer } from "../../resources/payment.ts";
import { openCheckout } from "../billing/payment.ts";
import { Problem } from "../errors.ts";
import type { Billing, Caller, World } from "../world.ts";
import { find, findLive } from "./find.ts";
import type { checkoutSchema } from "./shapes.ts";
import { listed, shownState } from "./shown.ts";

type Answer = z.output<typeof checkoutSchema>;

const tries = 5;
const mostCheckouts = 1000;

/**
 * Payment of a Migration that awaits it: the page that is open, or a new one after that was closed. There is never a second page at which
 * somebody could pay. Throws Problem `not_found`, `other_team`, `nothing_to_pay`, `state_conflict`, `limit_reached`, `busy`, `unavailable`.
 */
export async function checkout(world: World, caller: Caller, id: string): Promise<Answer> {
  await find(world, caller, id);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const migration = await findLive(world, caller, id);
    const { payment } = migration.spec;
    const { billing } = world;
    if (payment?.by !== "hold" || payment.checkout === undefined || billing === undefined)
      throw new Problem("nothing_to_pay", "This migration is covered: it starts by itself, without a checkout.");
    if (shownState(migration) !== "awaiting_payment")
      throw new Problem("nothing_to_pay", "This migration does not await payment: it was authorized, or has ended.");
    if (await isOpen(billing, payment.checkout, world.now())) return answerOf(world, migration, payment);
    const number = payment.checkout.number + 1;
    if (number > mostCheckouts)
      throw new Problem("limit_reached", "The payment was begun too often: create a new migration.");
    const terms = { amount: payment.amount, currency: payment.currency };
    const { namespace, name } = migration.metadata;
    const page: Checkout = await openCheckout(world, caller, { namespace, name, terms, number });
    const spec = { ...migration.spec, payment: { ...payment, checkout: { ...page, number } } };
    const others = (migration.metadata.finalizers ?? []).filter((one) => one !== paymentFinalizer);
    const metadata = { ...migration.metadata, finalizers: [...others, paymentFinalizer] };
    try {
      const changed = await world.client.update(kinds.migrations, { ...migration, metadata, spec });
      return answerOf(world, changed, spec.payment);
    } catch (error) {
      // The same number gives another replica the same page: whoever is second finds it there.
      if (!isConflict(error)) throw error;
    }
  }
  throw new Problem("busy", "It changes all the time at the moment; try again.", { retryAfter: 1 });
}

/** Milliseconds that a page must still be open to be given to a person. */
const enough = 5 * 60_000;

/** Whether the page may be given again; else it is closed for good. */
async function isOpen(
  { payments }: Billing,
  { session, expiresAt }: NonNullable<PaymentSpec["checkout"]>,
  now: Date,
): Promise<boolean> {
  try {
    const seen = await payments.look(session);
    if (seen?.session === "open" && Date.parse(expiresAt) - now.getTime() > enough) return true;
    const { intent } = seen ?? {};
    if (intent?.status === "requires_capture" || intent?.status === "succeeded")
      throw new Problem("state_conflict", "The payment was authorized a moment ago: the run starts by itself.");
    if (seen?.session === "open") await payments.expire(session);
    return false;
  } catch (error) {
    if (!(error instanceof PaymentsError)) throw error;
    throw new Problem("unavailable", "The payment page cannot be opened at the moment: try again.", {
      retryAfter: 10,
      cause: error,
    });
  }
}

const answerOf = (world: World, migration: Migration, payment: PaymentSpec): Answer => ({
  message: "A person authorizes the payment at checkout_url; the run starts by itself then.",
  migration: listed(migration, world.settings.currency),
  amount: inUnits(payment.amount, payment.currency),
  checkout_url: payment.checkout?.url ?? "",
});
