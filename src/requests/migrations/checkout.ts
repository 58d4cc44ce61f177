import type * as z from "zod";
import { isSettled } from "../../billing/again.ts";
import { inUnits } from "../../billing/money.ts";
import { isConflict, kinds } from "../../cluster/index.ts";
import type { Migration, MigrationState } from "../../resources/migration.ts";
import { type PaymentSpec, paymentFinalizer } from "../../resources/payment.ts";
import { dueRun } from "../../resources/run.ts";
import { billingIsOff, closePage, lookAt, mayBeGiven, openPage, stillOpen } from "../billing/page.ts";
import { Problem } from "../errors.ts";
import { beforeNextTry, tries } from "../update-with-retry.ts";
import type { Caller, World } from "../world.ts";
import { findLive, findMigration } from "./find.ts";
import type { checkoutSchema } from "./view/shapes.ts";
import { listed, shownState } from "./view/shown.ts";

type Answer = z.output<typeof checkoutSchema>;

/**
 * Payment of a Migration that awaits it: the page that is open, or a new one after that was closed. There is never a second page at which
 * somebody could pay. Throws Problem `not_found`, `other_team`, `nothing_to_pay`, `state_conflict`, `limit_reached`, `busy`, `unavailable`.
 */
export async function checkout(world: World, caller: Caller, id: string): Promise<Answer> {
  await findMigration(world, caller, id);
  for (let attempt = 0; attempt < tries; attempt += 1) {
    const migration = await findLive(world, caller, id);
    const { payment } = migration.spec;
    if (payment?.by !== "hold" || payment.checkout === undefined)
      throw new Problem("nothing_to_pay", `Nothing is charged for this migration. ${nextOf(migration)}`);
    if (shownState(migration) !== "awaiting_payment")
      throw new Problem("nothing_to_pay", `This migration does not await payment. ${nextOf(migration)}`);
    const { billing } = world;
    if (billing === undefined) throw billingIsOff();
    const payer = (await world.client.get(kinds.accounts, "", payment.account)) ?? caller.account;
    if (payer.spec.plan === "pro")
      throw new Problem(
        "nothing_to_pay",
        "The account has the Pro plan now. Reset this migration: it then starts without a payment.",
      );
    const { checkout: last } = payment;
    const seen = await lookAt(billing, migration);
    if (mayBeGiven(last, seen, world.now())) return answerOf(world, migration, payment);
    const closed = seen?.session === "open" ? await closePage(billing, migration) : seen;
    const { status } = closed?.intent ?? {};
    if (status === "requires_capture" || status === "succeeded" || status === "processing")
      throw new Problem(
        "state_conflict",
        "The payment was authorized a moment ago, and the run starts: poll the migration.",
      );
    if (closed !== undefined && (closed.session === "open" || !isSettled(closed))) throw stillOpen();
    const { namespace, name } = migration.metadata;
    const page = await openPage(world, { namespace, name, terms: payment, number: last.number + 1 });
    const { run } = dueRun(migration);
    const paid = { ...payment, checkout: { ...page, run } };
    try {
      const changed = await world.client.update(kinds.migrations, withPayment(migration, paid));
      return answerOf(world, changed, paid);
    } catch (error) {
      // The same number gives another replica the same page: the next look finds it in the spec.
      if (!isConflict(error)) throw error;
      await beforeNextTry(world, attempt);
    }
  }
  throw new Problem("busy", "The migration changed during the request. Try again.", { retryAfter: 1 });
}

const nexts: Readonly<Record<MigrationState, string>> = {
  awaiting_payment: "It starts without a payment: poll it.",
  pending: "It waits to run: poll it.",
  in_progress: "It runs: poll it.",
  completed: "It is completed.",
  failed: "It failed: fix the cause, and retry it.",
};
const nextOf = (migration: Migration): string => nexts[shownState(migration) ?? "pending"];

/** With the finalizer: the operator removes it when nothing of the checkout is open any more. */
export function withPayment(migration: Migration, payment: PaymentSpec): Migration {
  const others = (migration.metadata.finalizers ?? []).filter((one) => one !== paymentFinalizer);
  const metadata = { ...migration.metadata, finalizers: [...others, paymentFinalizer] };
  return { ...migration, metadata, spec: { ...migration.spec, payment } };
}

const answerOf = (world: World, migration: Migration, payment: PaymentSpec): Answer => ({
  message: "Open `checkout_url` and authorize the payment. The run then starts.",
  migration: listed(migration, world.settings.currency),
  ...linkOf(payment),
});

/** Price and link, for a person. */
export const linkOf = ({ amount, currency, checkout: page }: PaymentSpec) => ({
  amount: inUnits(amount, currency),
  checkout_url: page?.url ?? "",
});
