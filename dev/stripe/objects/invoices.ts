import { blank } from "../state/blank.ts";
import type { Customer, Intent, Invoice, Subscription, SubscriptionItem } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { declined } from "./charges.ts";
import { authorize, createIntent, refuse } from "./intents.ts";
import { listOf } from "./lists.ts";

/** An open invoice for the subscription's period that began. */
export const issueInvoice = (world: World, subscription: Subscription, reason: string): Invoice => {
  const id = world.newId("in");
  const now = world.now();
  const lines = subscription.items.data.map((item) => line(world, id, subscription, item));
  const total = lines.reduce((sum, { amount }) => sum + amount, 0);
  const customer = world.find<Customer>(subscription.customer);
  const invoice: Invoice = world.create({
    ...blank.invoice,
    id,
    object: "invoice",
    created: now,
    amount_due: total,
    amount_paid: 0,
    amount_remaining: total,
    attempt_count: 0,
    attempted: false,
    auto_advance: true,
    billing_reason: reason,
    currency: subscription.currency,
    customer: subscription.customer,
    customer_email: customer?.email ?? null,
    customer_name: customer?.name ?? null,
    effective_at: now,
    lines: listOf(`/v1/invoices/${id}/lines`, lines),
    next_payment_attempt: null,
    number: `SIM-${id.slice(3, 9).toUpperCase()}`,
    parent: {
      quote_details: null,
      subscription_details: { metadata: subscription.metadata, subscription: subscription.id },
      type: "subscription_details",
    },
    period_end: now,
    period_start: subscription.items.data[0]?.current_period_start ?? now,
    status: "open",
    status_transitions: { finalized_at: now, marked_uncollectible_at: null, paid_at: null, voided_at: null },
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_excluding_tax: total,
  });
  world.emit("invoice.created", invoice);
  world.emit("invoice.finalized", invoice);
  return invoice;
};

const line = (world: World, invoice: string, subscription: Subscription, item: SubscriptionItem) => {
  const amount = item.price.unit_amount * item.quantity;
  return {
    ...blank.invoiceLine,
    id: world.newId("il"),
    object: "line_item",
    amount,
    currency: subscription.currency,
    description: `${item.quantity} × ${String(world.find(item.price.product)?.["name"] ?? "")}`,
    invoice,
    parent: {
      invoice_item_details: null,
      subscription_item_details: {
        invoice_item: null,
        proration: false,
        proration_details: { credited_items: null },
        subscription: subscription.id,
        subscription_item: item.id,
      },
      type: "subscription_item_details",
    },
    period: { end: item.current_period_end, start: item.current_period_start },
    pricing: {
      price_details: { price: item.price.id, product: item.price.product },
      type: "price_details",
      unit_amount_decimal: String(item.price.unit_amount),
    },
    quantity: item.quantity,
    subscription: subscription.id,
    subtotal: amount,
  };
};

/** One attempt to take an invoice's money from the customer's card. */
export const payInvoice = (world: World, invoice: Invoice, agrees: boolean): Invoice => {
  const now = world.now();
  const intent: Intent = createIntent(world, {
    amount: invoice.amount_due,
    capture_method: "automatic_async",
    currency: invoice.currency,
    customer: invoice.customer,
    description: "Subscription",
    metadata: {},
  });
  const attempts = { attempt_count: invoice.attempt_count + 1, attempted: true };
  if (agrees) {
    authorize(world, intent);
    const paid = world.change(invoice, {
      ...attempts,
      amount_paid: invoice.amount_due,
      amount_remaining: 0,
      auto_advance: false,
      next_payment_attempt: null,
      status: "paid",
      status_transitions: { ...(invoice["status_transitions"] as object), paid_at: now },
    });
    world.emit("invoice.paid", paid);
    world.emit("invoice.payment_succeeded", paid);
    return paid;
  }
  refuse(world, intent, declined);
  const wait = world.settings.paymentRetrySeconds[invoice.attempt_count];
  const failed = world.change(invoice, {
    ...attempts,
    next_payment_attempt: wait === undefined ? null : now + wait,
  });
  world.emit("invoice.payment_failed", failed);
  return failed;
};
