import { createCustomer, deleteCustomer, updateCustomer } from "../objects/customers.ts";
import { cancelIntent, captureIntent, createIntentByApi, updateIntent } from "../objects/intents.ts";
import { listOf } from "../objects/lists.ts";
import { createPortalSession } from "../objects/portal.ts";
import { createSession, expireSession, itemsOf, type SessionParams } from "../objects/sessions.ts";
import { cancelSubscription, updateSubscription } from "../objects/subscriptions.ts";
import { missing } from "../state/errors.ts";
import type { Event, Session, Subscription, Thing } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { listFields, page } from "./lists.ts";
import type { Fields, Shape } from "./params.ts";

/** One operation of Stripe's API: method and path, as Stripe's own description has them. */
export interface Operation {
  method: "GET" | "POST" | "DELETE";
  /** With `{id}` in the place of the object's id. */
  path: string;
  /** What a restricted key needs. */
  right: string;
  /** What it answers, or what the list is of. */
  object: string;
  list: boolean;
  params: Fields;
  // biome-ignore lint/suspicious/noExplicitAny: `params` says what is in it; each operation's function names its type.
  run(world: World, params: any, id: string): unknown;
}

const interval = ["day", "week", "month", "year"] as const;

const lineItem: Fields = {
  fields: {
    price: "string",
    price_data: {
      fields: {
        currency: "string",
        unit_amount: "integer",
        product: "string",
        product_data: { fields: { name: "string", description: "string" }, required: ["name"] },
        recurring: { fields: { interval, interval_count: "integer" }, required: ["interval"] },
      },
      required: ["currency", "unit_amount"],
    },
    quantity: "integer",
  },
};

const sessionParams: Fields = {
  fields: {
    mode: ["payment", "subscription"],
    adaptive_pricing: { fields: { enabled: "boolean" } },
    allowed_payment_method_types: { list: ["card"] },
    success_url: "string",
    cancel_url: "string",
    client_reference_id: "string",
    customer: "string",
    customer_email: "string",
    expires_at: "integer",
    line_items: { list: lineItem },
    metadata: "metadata",
    payment_intent_data: {
      fields: {
        capture_method: ["automatic", "automatic_async", "manual"],
        description: "string",
        metadata: "metadata",
      },
    },
    subscription_data: { fields: { description: "string", metadata: "metadata" } },
  },
  required: ["mode", "success_url", "line_items"],
};

const customerFields = {
  email: "clearable",
  name: "clearable",
  description: "clearable",
  metadata: "metadata",
} as const;
const none: Fields = { fields: {} };

/** `GET /v1/{plural}/{id}`. */
const retrieve = (path: string, object: string, right: string, param: string): Operation => ({
  method: "GET",
  path: `${path}/{id}`,
  right: `${right}_read`,
  object,
  list: false,
  params: none,
  run: (world, _params, id) => world.get(object, id, param),
});

/** `GET /v1/{plural}`, with filters by fields of the same name. */
const list = (path: string, object: string, right: string, filters: Record<string, Shape> = {}): Operation => ({
  method: "GET",
  path,
  right: `${right}_read`,
  object,
  list: true,
  params: { fields: { ...listFields, ...filters } },
  run(world, params) {
    const names = Object.keys(filters).filter((name) => params[name] !== undefined);
    const all = world
      .all<Thing>(object)
      .filter((thing) => names.every((name) => fieldOf(thing, name) === params[name]));
    return page(all, params, path);
  },
});

const fieldOf = (thing: Thing, name: string): unknown =>
  thing.object === "invoice" && name === "subscription"
    ? (thing["parent"] as { subscription_details: { subscription: string } }).subscription_details.subscription
    : thing[name];

const post = (path: string, object: string, right: string, params: Fields, run: Operation["run"]): Operation => ({
  ...{ method: "POST", path, right: `${right}_write`, object, list: false, params, run },
});

const sessions = "/v1/checkout/sessions";
const intents = "/v1/payment_intents";
const subscriptions = "/v1/subscriptions";

export const operations: readonly Operation[] = [
  post("/v1/customers", "customer", "customer", { fields: customerFields }, createCustomer),
  post("/v1/customers/{id}", "customer", "customer", { fields: customerFields }, (world, params, id) =>
    updateCustomer(world, id, params),
  ),
  {
    ...retrieve("/v1/customers", "customer", "customer", "id"),
    method: "DELETE",
    right: "customer_write",
    run: (world, _params, id) => deleteCustomer(world, id),
  },
  retrieve("/v1/customers", "customer", "customer", "id"),
  list("/v1/customers", "customer", "customer", { email: "string" }),

  post(sessions, "checkout.session", "checkout_session", sessionParams, (world, params: SessionParams) =>
    createSession(world, params),
  ),
  post(`${sessions}/{id}/expire`, "checkout.session", "checkout_session", none, (world, _params, id) =>
    expireSession(world, id),
  ),
  retrieve(sessions, "checkout.session", "checkout_session", "session"),
  list(sessions, "checkout.session", "checkout_session", {
    customer: "string",
    payment_intent: "string",
    status: ["open", "complete", "expired"],
    subscription: "string",
  }),
  {
    ...list(`${sessions}/{id}/line_items`, "item", "checkout_session"),
    params: { fields: { limit: "integer", starting_after: "string", ending_before: "string" } },
    run(world, _params, id) {
      const session = world.get<Session>("checkout.session", id, "session");
      return listOf(`${sessions}/${session.id}/line_items`, itemsOf(world, session.id));
    },
  },

  post(
    intents,
    "payment_intent",
    "payment_intent",
    {
      fields: {
        amount: "integer",
        currency: "string",
        capture_method: ["automatic", "automatic_async", "manual"],
        automatic_payment_methods: { fields: { enabled: "boolean", allow_redirects: ["always", "never"] } },
        confirm: "boolean",
        customer: "string",
        description: "string",
        metadata: "metadata",
        payment_method: ["pm_card_visa", "pm_card_visa_chargeDeclined"],
      },
      required: ["amount", "currency"],
    },
    (world, { amount, currency, capture_method, confirm, customer, description, metadata, payment_method }) =>
      createIntentByApi(
        world,
        {
          amount,
          currency,
          capture_method: capture_method ?? "automatic_async",
          customer: customer ?? null,
          description: description ?? null,
          metadata: metadata ?? {},
        },
        { confirm: confirm === true, payment_method },
      ),
  ),
  post(
    `${intents}/{id}`,
    "payment_intent",
    "payment_intent",
    { fields: { description: "string", metadata: "metadata" } },
    (world, params, id) => updateIntent(world, id, params),
  ),
  post(
    `${intents}/{id}/capture`,
    "payment_intent",
    "payment_intent",
    { fields: { amount_to_capture: "integer", metadata: "metadata" } },
    (world, params, id) => captureIntent(world, id, params),
  ),
  post(
    `${intents}/{id}/cancel`,
    "payment_intent",
    "payment_intent",
    { fields: { cancellation_reason: ["abandoned", "duplicate", "fraudulent", "requested_by_customer"] } },
    (world, params, id) => cancelIntent(world, id, params.cancellation_reason ?? null),
  ),
  retrieve(intents, "payment_intent", "payment_intent", "intent"),
  list(intents, "payment_intent", "payment_intent", { customer: "string" }),

  retrieve("/v1/charges", "charge", "charge", "charge"),
  list("/v1/charges", "charge", "charge", { customer: "string", payment_intent: "string" }),
  retrieve("/v1/refunds", "refund", "charge", "refund"),
  list("/v1/refunds", "refund", "charge", { charge: "string", payment_intent: "string" }),
  retrieve("/v1/disputes", "dispute", "dispute", "dispute"),
  list("/v1/disputes", "dispute", "dispute", { charge: "string", payment_intent: "string" }),
  retrieve("/v1/prices", "price", "plan", "price"),
  retrieve("/v1/products", "product", "product", "id"),

  post(
    `${subscriptions}/{id}`,
    "subscription",
    "subscription",
    { fields: { cancel_at_period_end: "boolean", metadata: "metadata" } },
    (world, params, id) => updateSubscription(world, id, params),
  ),
  {
    ...retrieve(subscriptions, "subscription", "subscription", "subscription_exposed_id"),
    method: "DELETE",
    right: "subscription_write",
    run: (world, _params, id) => cancelSubscription(world, id),
  },
  retrieve(subscriptions, "subscription", "subscription", "subscription_exposed_id"),
  {
    ...list(subscriptions, "subscription", "subscription"),
    params: {
      fields: {
        ...listFields,
        customer: "string",
        status: ["active", "all", "canceled", "ended", "past_due", "unpaid"],
      },
    },
    run(world, params) {
      const { customer, status } = params as { customer?: string; status?: string };
      const own = world.all<Subscription>("subscription").filter((one) => (customer ?? one.customer) === one.customer);
      // Without a status Stripe leaves out those that have ended.
      const fits = (one: Subscription): boolean =>
        status === "all" ||
        (status === undefined ? one.status !== "canceled" : one.status === (status === "ended" ? "canceled" : status));
      return page(own.filter(fits), params, subscriptions);
    },
  },
  retrieve("/v1/invoices", "invoice", "invoice", "invoice"),
  list("/v1/invoices", "invoice", "invoice", {
    customer: "string",
    status: ["open", "paid", "uncollectible"],
    subscription: "string",
  }),
  post(
    "/v1/billing_portal/sessions",
    "billing_portal.session",
    "customer_portal",
    { fields: { customer: "string", return_url: "string" }, required: ["customer"] },
    createPortalSession,
  ),

  {
    ...retrieve("/v1/events", "event", "event", "id"),
    run(world, _params, id) {
      const event = world.store.get<Event>("events", id);
      if (event === undefined) throw missing("event", id, "id");
      return event;
    },
  },
  {
    ...list("/v1/events", "event", "event"),
    params: { fields: { ...listFields, type: "string", types: { list: "string" } } },
    run(world, params) {
      const { type, types } = params as { type?: string; types?: string[] };
      const wanted = (event: Event): boolean =>
        (types ?? (type === undefined ? ["*"] : [type])).some((pattern) => fits(event.type, pattern));
      return page(world.store.all<Event>("events").filter(wanted), params, "/v1/events");
    },
  },
];

/** `payment_intent.*` fits every event of intents, `*` every event. */
export const fits = (type: string, pattern: string): boolean =>
  pattern === "*" || type === pattern || (pattern.endsWith(".*") && type.startsWith(pattern.slice(0, -1)));
