import { blank } from "../state/blank.ts";
import { invalid } from "../state/errors.ts";
import type { Customer, Intent, LineItem, Metadata, Session } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { endIntent } from "./intents.ts";
import { adHocPrice, type PriceData, priceById } from "./prices.ts";

/** Parameters of `POST /v1/checkout/sessions` that the simulator has. */
export interface SessionParams {
  mode: Session["mode"];
  adaptive_pricing?: { enabled?: boolean };
  allowed_payment_method_types?: string[];
  success_url: string;
  cancel_url?: string;
  client_reference_id?: string;
  customer?: string;
  customer_email?: string;
  expires_at?: number;
  line_items: { price?: string; price_data?: PriceData; quantity?: number }[];
  metadata?: Metadata;
  payment_intent_data?: { capture_method?: Intent["capture_method"]; description?: string; metadata?: Metadata };
  subscription_data?: { description?: string; metadata?: Metadata };
}

/** What a session keeps for the moment when it is paid; Stripe does not show it. */
export interface SessionNote {
  items: LineItem[];
  payment: NonNullable<SessionParams["payment_intent_data"]>;
  subscription: NonNullable<SessionParams["subscription_data"]>;
}

const minute = 60;
const day = 24 * 60 * minute;
/** Stripe's smallest charges, in the smallest unit; 50 where a currency is not listed. */
const smallest: Readonly<Record<string, number>> = { gbp: 30, chf: 50, sek: 300, nok: 300, dkk: 250 };

export const createSession = (world: World, params: SessionParams): Session => {
  const { mode, customer, customer_email, payment_intent_data, subscription_data } = params;
  if (customer !== undefined && customer_email !== undefined) {
    throw invalid("You may only specify one of these parameters: customer, customer_email.");
  }
  if (mode !== "payment" && payment_intent_data !== undefined) {
    throw invalid("You can not pass `payment_intent_data` in `subscription` mode.", { param: "payment_intent_data" });
  }
  if (mode !== "subscription" && subscription_data !== undefined) {
    throw invalid("You can not pass `subscription_data` in `payment` mode.", { param: "subscription_data" });
  }
  checkUrl(params.success_url, "success_url");
  if (params.cancel_url !== undefined) checkUrl(params.cancel_url, "cancel_url");
  const buyer = customer === undefined ? undefined : world.get<Customer>("customer", customer, "customer");
  const items = params.line_items.map((item, index) => lineItem(world, item, index));
  const currency = items[0]?.price.currency ?? "usd";
  const total = items.reduce((sum, { amount_total }) => sum + amount_total, 0);
  checkItems(mode, items, currency, total);

  const id = world.newId("cs_test");
  const session: Session = world.create({
    ...blank.session,
    id,
    object: "checkout.session",
    created: world.now(),
    amount_subtotal: total,
    amount_total: total,
    cancel_url: params.cancel_url ?? null,
    client_reference_id: params.client_reference_id ?? null,
    currency,
    customer: customer ?? null,
    customer_creation: mode === "payment" && customer === undefined ? "if_required" : null,
    customer_details:
      buyer === undefined && customer_email === undefined ? null : details(buyer?.email ?? customer_email),
    customer_email: customer_email ?? null,
    expires_at: expiry(world, params.expires_at),
    invoice: null,
    invoice_creation: mode === "payment" ? noInvoice : null,
    metadata: params.metadata ?? {},
    mode,
    payment_intent: null,
    payment_method_collection: mode === "payment" ? "if_required" : "always",
    payment_status: "unpaid",
    status: "open",
    subscription: null,
    success_url: params.success_url,
    total_details: { amount_discount: 0, amount_shipping: 0, amount_tax: 0 },
    url: `${world.settings.url}/c/pay/${id}`,
  });
  const note: SessionNote = { items, payment: payment_intent_data ?? {}, subscription: subscription_data ?? {} };
  world.setNote(id, { ...note });
  return session;
};

const noInvoice = {
  enabled: false,
  invoice_data: {
    account_tax_ids: null,
    custom_fields: null,
    description: null,
    footer: null,
    issuer: null,
    metadata: {},
    rendering_options: null,
  },
};

/** Of the page's visitor. */
export const details = (email: string | null | undefined) => ({
  address: null,
  business_name: null,
  email: email ?? null,
  individual_name: null,
  name: null,
  phone: null,
  tax_exempt: "none",
  tax_ids: null,
});

const checkUrl = (text: string, param: string): void => {
  if (URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)) return;
  const message = "Not a valid URL. URLs must begin with http:// or https://.";
  throw invalid(message, { code: "url_invalid", param });
};

const expiry = (world: World, wanted: number | undefined): number => {
  const now = world.now();
  if (wanted === undefined) return now + day;
  // Stripe allows for the time that the request takes.
  if (wanted < now + 30 * minute - minute) {
    const message = "The `expires_at` timestamp must be at least 30 minutes from Checkout Session creation.";
    throw invalid(message, { param: "expires_at" });
  }
  if (wanted > now + day + minute) {
    const message = "The `expires_at` timestamp must be less than 24 hours from Checkout Session creation.";
    throw invalid(message, { param: "expires_at" });
  }
  return wanted;
};

const lineItem = (world: World, item: SessionParams["line_items"][number], index: number): LineItem => {
  const at = `line_items[${index}]`;
  if ((item.price === undefined) === (item.price_data === undefined)) {
    throw invalid("You must specify either `price` or `price_data` when creating a line item.", { param: at });
  }
  const price =
    item.price_data === undefined
      ? priceById(world, item.price ?? "", `${at}[price]`)
      : adHocPrice(world, item.price_data, `${at}[price_data]`);
  const quantity = item.quantity ?? 1;
  const amount = price.unit_amount * quantity;
  return {
    id: world.newId("li"),
    object: "item",
    adjustable_quantity: null,
    amount_discount: 0,
    amount_subtotal: amount,
    amount_tax: 0,
    amount_total: amount,
    currency: price.currency,
    description: String(world.find(price.product)?.["name"] ?? ""),
    metadata: {},
    price,
    quantity,
  };
};

const checkItems = (mode: string, items: LineItem[], currency: string, total: number): void => {
  if (items.some(({ price }) => price.currency !== currency)) {
    throw invalid("All prices on a Checkout Session must be expressed in the same currency.", { param: "line_items" });
  }
  const recurring = items.some(({ price }) => price.type === "recurring");
  if (mode === "payment" && recurring) {
    const message =
      "You specified `payment` mode but passed a recurring price. Either switch to `subscription` mode or use only one-time prices.";
    throw invalid(message, { param: "mode" });
  }
  if (mode === "subscription" && !recurring) {
    throw invalid("You must provide at least one recurring price in `subscription` mode when using prices.");
  }
  if (total < (smallest[currency] ?? 50)) {
    const message = `The Checkout Session's total amount due must add up to at least ${smallest[currency] ?? 50} (smallest unit) ${currency}`;
    throw invalid(message, { code: "amount_too_small" });
  }
};

export const expireSession = (world: World, id: string): Session => {
  const session = world.get<Session>("checkout.session", id, "session");
  if (session.status !== "open") {
    throw invalid(
      `Only Checkout Sessions with a status in ["open"] can be expired. This Checkout Session has a status of \`${session.status}\`.`,
    );
  }
  return endSession(world, session);
};

/** The session's link works no more; an attempt that it had begun is over. */
export const endSession = (world: World, session: Session): Session => {
  const expired = world.change(session, { status: "expired", url: null });
  const intent = world.find<Intent>(session.payment_intent);
  if (intent !== undefined) endIntent(world, intent, "automatic");
  world.emit("checkout.session.expired", expired);
  return expired;
};

/** A session's line items, which it shows on request. */
export const itemsOf = (world: World, id: string): LineItem[] =>
  (world.note(id)["items"] as LineItem[] | undefined) ?? [];
