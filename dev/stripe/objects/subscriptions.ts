import { blank } from "../state/blank.ts";
import { invalid } from "../state/errors.ts";
import type { Invoice, LineItem, Metadata, Subscription } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { issueInvoice, payInvoice } from "./invoices.ts";
import { listOf } from "./lists.ts";
import { withMetadata } from "./metadata.ts";
import { after } from "./period.ts";

/** A subscription whose first period is paid. */
export const startSubscription = (
  world: World,
  { customer, items, metadata }: { customer: string; items: LineItem[]; metadata: Metadata },
): Subscription => {
  const id = world.newId("sub");
  const now = world.now();
  const data = items.map(({ price, quantity }) => ({
    id: world.newId("si"),
    object: "subscription_item",
    created: now,
    billing_thresholds: null,
    current_period_end: after(now, price),
    current_period_start: now,
    discounts: [],
    metadata: {},
    price,
    quantity,
    subscription: id,
    tax_rates: [],
  }));
  const subscription: Subscription = world.create({
    ...blank.subscription,
    id,
    object: "subscription",
    created: now,
    billing_cycle_anchor: now,
    cancel_at_period_end: false,
    currency: items[0]?.price.currency ?? "usd",
    customer,
    items: listOf(`/v1/subscription_items?subscription=${id}`, data),
    latest_invoice: null,
    metadata,
    start_date: now,
    status: "active",
  });
  const invoice = issueInvoice(world, subscription, "subscription_create");
  const begun = world.change(subscription, { latest_invoice: invoice.id });
  world.emit("customer.subscription.created", begun);
  payInvoice(world, invoice, true);
  return begun;
};

/** When the paid time ends. */
export const periodEnd = (subscription: Subscription): number =>
  Math.min(...subscription.items.data.map(({ current_period_end }) => current_period_end));

export const updateSubscription = (
  world: World,
  id: string,
  { cancel_at_period_end, metadata }: { cancel_at_period_end?: boolean; metadata?: Metadata },
): Subscription => {
  const before = living(world, id);
  const ends = cancel_at_period_end ?? before.cancel_at_period_end;
  return changed(world, before, {
    metadata: withMetadata(before.metadata, metadata),
    ...(ends === before.cancel_at_period_end
      ? {}
      : {
          cancel_at_period_end: ends,
          cancel_at: ends ? periodEnd(before) : null,
          canceled_at: ends ? world.now() : null,
          cancellation_details: cancellation(ends ? "cancellation_requested" : null),
        }),
  });
};

/** At once, without waiting for the end of the paid time. */
export const cancelSubscription = (world: World, id: string): Subscription =>
  endSubscription(world, living(world, id), "cancellation_requested");

const living = (world: World, id: string): Subscription => {
  const subscription = world.get<Subscription>("subscription", id, "subscription_exposed_id");
  // Stripe treats a canceled subscription as gone for changes.
  if (subscription.status === "canceled") {
    const message = "A canceled subscription can only update its cancellation_details and metadata.";
    throw invalid(message);
  }
  return subscription;
};

export const endSubscription = (world: World, subscription: Subscription, reason: string): Subscription => {
  const now = world.now();
  const ended = world.change(subscription, {
    status: "canceled",
    canceled_at: subscription["canceled_at"] ?? now,
    cancellation_details: cancellation(reason),
    ended_at: now,
  });
  for (const invoice of openInvoices(world, ended)) {
    world.change(invoice, { next_payment_attempt: null, auto_advance: false });
  }
  world.emit("customer.subscription.deleted", ended);
  return ended;
};

const openInvoices = (world: World, { id }: Subscription): Invoice[] =>
  world
    .all<Invoice>("invoice")
    .filter(({ status, parent }) => status === "open" && parent.subscription_details.subscription === id);

const cancellation = (reason: string | null) => ({ comment: null, feedback: null, feedback_option: null, reason });

/** The paid time is over: it ends, or the next period begins and is charged. */
export const renew = (world: World, subscription: Subscription): void => {
  if (subscription.cancel_at_period_end) {
    endSubscription(world, subscription, "cancellation_requested");
    return;
  }
  const data = subscription.items.data.map((item) => ({
    ...item,
    current_period_start: item.current_period_end,
    current_period_end: after(item.current_period_end, item.price),
  }));
  const next = world.change(subscription, { items: { ...subscription.items, data } });
  const invoice = issueInvoice(world, next, "subscription_cycle");
  changed(world, next, { latest_invoice: invoice.id });
  settleInvoice(world, invoice);
};

/** Tries to take an invoice's money, and lets the subscription follow. */
export const settleInvoice = (world: World, invoice: Invoice): void => {
  const subscription = world.find<Subscription>(invoice.parent.subscription_details.subscription);
  if (subscription === undefined || subscription.status === "canceled") return;
  const broken = world.note(subscription.customer)["cardFails"] === true;
  const { status, next_payment_attempt } = payInvoice(world, invoice, !broken);
  if (status === "paid") changed(world, subscription, { status: "active" });
  else if (next_payment_attempt === null) endSubscription(world, subscription, "payment_failed");
  else changed(world, subscription, { status: "past_due" });
};

const changed = (world: World, before: Subscription, fields: Partial<Subscription>): Subscription => {
  const after = world.change(before, fields);
  const names = Object.keys(fields).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]));
  const previous = Object.fromEntries(names.map((name) => [name, before[name]]));
  if (names.length > 0) world.emit("customer.subscription.updated", after, previous);
  return after;
};
