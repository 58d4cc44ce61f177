// Stripe's objects as far as the simulator acts on their fields. The other fields come from `blank.ts`.

/** Every object of Stripe's API. Times are Unix seconds, amounts are in the currency's smallest unit. */
export interface Thing {
  id: string;
  object: string;
  created: number;
  [field: string]: unknown;
}

export type Metadata = Record<string, string>;

export interface Customer extends Thing {
  email: string | null;
  name: string | null;
  metadata: Metadata;
}

export interface Product extends Thing {
  name: string;
}

export interface Price extends Thing {
  currency: string;
  product: string;
  recurring: { interval: "day" | "week" | "month" | "year"; interval_count: number } | null;
  type: "one_time" | "recurring";
  unit_amount: number;
}

/** Of a session; Stripe's `item`, which has no time. */
export interface LineItem {
  id: string;
  object: "item";
  amount_total: number;
  description: string;
  price: Price;
  quantity: number;
  [field: string]: unknown;
}

export interface Session extends Thing {
  amount_total: number;
  cancel_url: string | null;
  currency: string;
  customer: string | null;
  customer_email: string | null;
  expires_at: number;
  invoice: string | null;
  metadata: Metadata;
  mode: "payment" | "subscription";
  payment_intent: string | null;
  payment_status: "paid" | "unpaid" | "no_payment_required";
  status: "open" | "complete" | "expired";
  subscription: string | null;
  success_url: string;
  url: string | null;
}

export interface Intent extends Thing {
  amount: number;
  amount_capturable: number;
  amount_received: number;
  canceled_at: number | null;
  cancellation_reason: string | null;
  capture_method: "automatic" | "automatic_async" | "manual";
  currency: string;
  customer: string | null;
  description: string | null;
  latest_charge: string | null;
  metadata: Metadata;
  payment_method: string | null;
  status: "requires_payment_method" | "requires_action" | "requires_capture" | "succeeded" | "canceled";
}

export interface Charge extends Thing {
  amount: number;
  amount_captured: number;
  amount_refunded: number;
  captured: boolean;
  currency: string;
  customer: string | null;
  disputed: boolean;
  payment_intent: string | null;
  payment_method: string | null;
  payment_method_details: { card: { capture_before?: number } };
  refunded: boolean;
  status: "failed" | "succeeded";
}

export interface Refund extends Thing {
  amount: number;
  charge: string;
  payment_intent: string | null;
}

export interface Dispute extends Thing {
  amount: number;
  charge: string;
  payment_intent: string | null;
  status: "needs_response" | "won" | "lost";
}

export interface Subscription extends Thing {
  cancel_at_period_end: boolean;
  currency: string;
  customer: string;
  items: { data: SubscriptionItem[] };
  latest_invoice: string | null;
  metadata: Metadata;
  status: "active" | "past_due" | "canceled";
}

export interface SubscriptionItem extends Thing {
  current_period_end: number;
  current_period_start: number;
  price: Price;
  quantity: number;
}

export interface Invoice extends Thing {
  amount_due: number;
  attempt_count: number;
  currency: string;
  customer: string;
  next_payment_attempt: number | null;
  parent: { subscription_details: { subscription: string } };
  status: "open" | "paid" | "uncollectible";
}

export interface PortalSession extends Thing {
  customer: string;
  return_url: string | null;
  url: string;
}

/** Stripe's event, and the body of a webhook. */
export interface Event extends Thing {
  data: { object: Thing; previous_attributes?: Record<string, unknown> };
  pending_webhooks: number;
  type: string;
}
