import { coverAgain, isSettled } from "../../billing/again.ts";
import { isHeldBy } from "../../billing/claim.ts";
import { isOverQuote, mostBytesOf } from "../../billing/limit.ts";
import { priceOf, type RunType } from "../../billing/prices.ts";
import type { SeenCheckout } from "../../billing/seen.ts";
import { kinds } from "../../cluster/index.ts";
import type { Account } from "../../resources/account.ts";
import type { Migration, MigrationState } from "../../resources/migration.ts";
import type { PaymentSpec } from "../../resources/payment.ts";
import { dueRun, isForCapture, isPaid, isVerified } from "../../resources/run.ts";
import { runTypeOf } from "../../resources/run-type.ts";
import { Problem } from "../errors.ts";
import { shownState } from "../migrations/view/shown.ts";
import type { World } from "../world.ts";
import { billingIsOff, closePage, lookAt, mayBeGiven, openPage, stillOpen } from "./page.ts";
import { checkUnpaid } from "./unpaid.ts";

type Paying = Pick<World, "billing" | "client" | "now" | "settings">;

/** In the currency's smallest unit; 0: nothing is to be paid. */
export type RetryPrice = Pick<PaymentSpec, "amount" | "currency">;

/**
 * Decides anew what pays for the next run (`next`: its number). Where that is a new hold, its page is open at Stripe, and the earlier
 * page is closed. Undefined for a Migration that never meets billing. `agreed`: refuse any other price that is to be paid. Throws Problem
 * `unavailable`, `busy`, `state_conflict`, `limit_reached`.
 */
export async function payAgain(
  world: Paying,
  migration: Migration,
  next: number,
  agreed?: RetryPrice,
): Promise<PaymentSpec | undefined> {
  const { payment } = migration.spec;
  if (payment === undefined) return undefined;
  const { cover, seen } = await coverOfNext(world, migration, payment);
  if (cover === "as-before") return payment;
  if (cover === "plan") return { ...payment, by: "plan" };
  return dueAgain(world, { migration, payment, seen, next, ...(agreed === undefined ? {} : { agreed }) });
}

/** What `payAgain` would ask of a person; changes nothing. Throws as `payAgain` does, but no `limit_reached`. */
export async function priceAgain(world: Paying, migration: Migration): Promise<RetryPrice> {
  const { payment } = migration.spec;
  const free = { amount: 0, currency: payment?.currency ?? world.settings.currency };
  if (payment === undefined || (await coverOfNext(world, migration, payment)).cover !== "hold") return free;
  const { amount, currency } = termsAgain(world, migration, payment);
  return { amount, currency };
}

interface Covered {
  cover: "as-before" | "plan" | "hold";
  /** The present checkout, where Stripe had to be asked. */
  seen?: SeenCheckout | undefined;
}

async function coverOfNext(world: Paying, migration: Migration, payment: PaymentSpec): Promise<Covered> {
  const { billing } = world;
  if (billing === undefined) {
    if (payment.by === "hold" && !isPaid(migration)) throw billingIsOff();
    return { cover: "as-before" };
  }
  const payer = await world.client.get(kinds.accounts, "", payment.account);
  if (payer === undefined)
    throw new Problem("state_conflict", "The account that pays for this migration is gone: create a new migration.");
  const again = {
    payment,
    state: stateOfLast(migration),
    paid: migration.status?.payment,
    isPro: payer.spec.plan === "pro",
    ownsClaim: ownsClaim(payer, migration),
    isOverQuote: isOverQuote(migration.status),
    now: world.now(),
  };
  let seen: SeenCheckout | undefined;
  let cover = coverAgain(again);
  if (cover === "look" && payment.checkout !== undefined) {
    seen = await lookAt(billing, migration);
    cover = coverAgain({ ...again, seen: seen ?? "unknown" });
  }
  if (cover === "wait" || cover === "look") throw stillOpen();
  return { cover, seen };
}

/** A completed run stays so until its hold is captured, also where a reset has been asked for since. */
function stateOfLast(migration: Migration): MigrationState | undefined {
  if (isForCapture(migration) || isVerified(migration)) return "completed";
  return dueRun(migration).why === "present" ? migration.status?.state : undefined;
}

const ownsClaim = ({ spec }: Account, { metadata }: Migration): boolean => isHeldBy(spec.freeMigration, metadata);

interface Due {
  migration: Migration;
  payment: PaymentSpec;
  seen: SeenCheckout | undefined;
  next: number;
  agreed?: RetryPrice;
}

async function dueAgain(world: Paying, { migration, payment, seen, next, agreed }: Due): Promise<PaymentSpec> {
  const { namespace, name } = migration.metadata;
  const terms = termsAgain(world, migration, payment);
  const isAgreed = agreed === undefined || (terms.amount === agreed.amount && terms.currency === agreed.currency);
  if (terms.amount > 0 && !isAgreed)
    throw new Problem("state_conflict", "The price of the next run has changed: request the preview again.");
  const last = payment.checkout;
  const isSame = payment.by === "hold" && payment.amount === terms.amount && payment.currency === terms.currency;
  if (last !== undefined && isSame && mayBeGiven(last, seen, world.now()))
    return { ...payment, checkout: { ...last, run: next } };
  if (last !== undefined && seen?.session === "open") await closed(world, migration);
  if (terms.amount === 0) return { ...payment, ...terms, by: "plan" };
  if (shownState(migration) !== "awaiting_payment") await checkUnpaid(world, payment.account, 1);
  const page = await openPage(world, { namespace, name, terms, number: (last?.number ?? 0) + 1 });
  return { ...payment, ...terms, by: "hold", checkout: { ...page, run: next } };
}

async function closed({ billing }: Pick<World, "billing">, migration: Migration): Promise<void> {
  if (billing === undefined) throw billingIsOff();
  const seen = await closePage(billing, migration);
  if (seen !== undefined && (seen.session !== "expired" || !isSettled(seen))) throw stillOpen();
}

/** As they were shown, unless the source was measured larger since than they cover, or nothing was to be paid before. */
function termsAgain(
  { billing, settings }: Pick<World, "billing" | "settings">,
  migration: Migration,
  payment: PaymentSpec,
): Pick<PaymentSpec, "amount" | "currency" | "quotedSize"> {
  const size = migration.status?.size;
  const type = runTypeOf(migration);
  const quoted = payment.quotedSize;
  const { amount, currency } = payment;
  const isChanged = currency !== settings.currency;
  const most = mostBytesOf(payment, type, isChanged ? undefined : billing?.prices);
  const isShown = payment.by === "hold" && (size === undefined || most === undefined || size <= most);
  if (isShown || billing === undefined)
    return { amount, currency, ...(quoted === undefined ? {} : { quotedSize: quoted }) };
  // `captured` adds up sums of one currency.
  if (isChanged && (payment.by === "hold" || (migration.status?.payment?.captured ?? 0) > 0))
    throw new Problem("state_conflict", "The installation's currency has changed: create a new migration.");
  const measured = size ?? quoted;
  if (measured === undefined)
    throw new Problem("state_conflict", "The source was never measured, so it has no price: create a new migration.");
  const of: RunType = type ?? "transfer";
  return {
    amount: priceOf(billing.prices, settings.currency, of, measured).amount,
    currency: settings.currency,
    quotedSize: measured,
  };
}
