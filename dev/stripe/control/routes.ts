import type * as z from "zod";
import type { ApiKey } from "../http/access.ts";
import type { Fault } from "../http/faults.ts";
import { closeDispute, openDispute, refundByHand } from "../objects/by-hand.ts";
import { declineCard, failThreeDSecure, payByCard, startThreeDSecure } from "../objects/checkout.ts";
import { captureIntent, endIntent } from "../objects/intents.ts";
import { cancelInPortal, keepInPortal } from "../objects/portal.ts";
import { givePrice } from "../objects/prices.ts";
import { cancelSubscription } from "../objects/subscriptions.ts";
import type { Entry } from "../state/history.ts";
import type { Customer, Intent } from "../state/types.ts";
import type { World } from "../state/world.ts";
import type { Endpoint, Outbox, Rule } from "../webhooks/outbox.ts";
import * as input from "./input.ts";

/** What the control endpoint acts on. */
export interface Controlled {
  world: World;
  outbox: Outbox;
  /** Moves the clock forward and does what falls due; returns its new time. */
  advance(seconds: number): number;
  down(): Promise<void>;
  up(): Promise<void>;
}

export interface Route {
  method: "GET" | "POST" | "DELETE";
  /** With `{id}` in the place of an id. */
  path: string;
  input: z.ZodType;
  run(controlled: Controlled, body: unknown, id: string, query: URLSearchParams): unknown;
}

const post = <S extends z.ZodType>(
  path: string,
  schema: S,
  run: (controlled: Controlled, body: z.output<S>, id: string) => unknown,
): Route => ({
  ...{ method: "POST", path, input: schema },
  run: (controlled, body, id) => run(controlled, body as z.output<S>, id),
});

const get = (path: string, run: Route["run"]): Route => ({ method: "GET", path, input: input.nothing, run });

const clear = (path: string, collection: string): Route => ({
  ...{ method: "DELETE", path, input: input.nothing },
  run({ world: { store } }) {
    const all = store.all<{ id: string }>(collection);
    for (const { id } of all) store.set(collection, id, undefined);
    return { removed: all.length };
  },
});

export const routes: readonly Route[] = [
  // A person at the Checkout page.
  post("/sessions/{id}/authorize", input.twist, ({ world }, twist, id) => payByCard(world, id, defined(twist))),
  post("/sessions/{id}/decline", input.nothing, ({ world }, _body, id) => declineCard(world, id)),
  post("/sessions/{id}/3ds", input.nothing, ({ world }, _body, id) => startThreeDSecure(world, id)),
  post("/sessions/{id}/3ds/complete", input.nothing, ({ world }, _body, id) => payByCard(world, id)),
  post("/sessions/{id}/3ds/fail", input.nothing, ({ world }, _body, id) => failThreeDSecure(world, id)),
  // A person in the customer portal, or with another card.
  post("/subscriptions/{id}/cancel", input.nothing, ({ world }, _body, id) => cancelInPortal(world, id)),
  post("/subscriptions/{id}/keep", input.nothing, ({ world }, _body, id) => keepInPortal(world, id)),
  post("/customers/{id}/card", input.card, ({ world }, { fails }, id) => {
    world.setNote(world.get<Customer>("customer", id, "customer").id, { cardFails: fails });
    return { fails };
  }),
  // The account's owner in the dashboard.
  post("/payment_intents/{id}/refund", input.amount, ({ world }, { amount }, id) => refundByHand(world, id, amount)),
  post("/payment_intents/{id}/dispute", input.amount, ({ world }, { amount }, id) => openDispute(world, id, amount)),
  post("/payment_intents/{id}/capture", input.amount, ({ world }, { amount }, id) =>
    captureIntent(world, id, amount === undefined ? {} : { amount_to_capture: amount }),
  ),
  post("/payment_intents/{id}/cancel", input.nothing, ({ world }, _body, id) =>
    endIntent(world, world.get<Intent>("payment_intent", id, "intent"), "requested_by_customer"),
  ),
  post("/disputes/{id}/close", input.verdict, ({ world }, { status }, id) => closeDispute(world, id, status)),
  post("/subscriptions/{id}/end", input.nothing, ({ world }, _body, id) => cancelSubscription(world, id)),
  post("/prices", input.price, ({ world }, { interval, ...price }) =>
    givePrice(world, interval === undefined ? price : { ...price, interval }),
  ),
  post("/settings", input.settings, ({ world }, settings) => {
    Object.assign(world.settings, defined(settings));
    world.store.set("settings", "settings", world.settings);
    return world.settings;
  }),
  post("/keys", input.apiKey, ({ world }, key) => {
    world.store.set("api_keys", key.key, key satisfies ApiKey);
    return { rights: key.rights };
  }),
  // The clock.
  get("/clock", ({ world }) => ({ now: world.now() })),
  post("/clock", input.clock, ({ world, advance }, body) => {
    const seconds = "to" in body ? body.to - world.now() : body.advance;
    return { now: advance(Math.max(0, seconds)) };
  }),
  // What goes wrong.
  get("/faults", ({ world }) => world.store.all<Fault>("faults")),
  post("/faults", input.fault, ({ world }, fault) => {
    const id = world.newId("fault");
    world.store.set("faults", id, { ...defined(fault), id });
    return { id };
  }),
  clear("/faults", "faults"),
  post("/down", input.nothing, async ({ down }) => {
    await down();
    return { up: false };
  }),
  post("/up", input.nothing, async ({ up }) => {
    await up();
    return { up: true };
  }),
  // Webhooks.
  get("/endpoints", ({ world }) =>
    world.store.all<Endpoint>("endpoints").map(({ secrets: _secrets, ...rest }) => rest),
  ),
  post("/endpoints", input.endpoint, ({ world }, endpoint) => {
    const id = world.newId("we");
    world.store.set("endpoints", id, { ...endpoint, id } satisfies Endpoint);
    return { id };
  }),
  clear("/endpoints", "endpoints"),
  post("/webhooks/rules", input.rule, ({ world }, rule) => {
    const id = world.newId("rule");
    world.store.set("rules", id, { ...(defined(rule) as Omit<Rule, "id">), id });
    return { id };
  }),
  clear("/webhooks/rules", "rules"),
  get("/webhooks", ({ outbox }) => outbox.pending()),
  post("/webhooks/release", input.release, async ({ outbox }, { ids }) => {
    await outbox.release(ids);
    return outbox.pending();
  }),
  post("/events/{id}/resend", input.nothing, ({ outbox }, _body, id) => ({ sent: outbox.resend(id) })),
  // A note of a test in the history, so that a checker knows the order.
  post("/marks", input.mark, ({ world }, { what }) => {
    world.record({ kind: "act", what, id: null });
    return {};
  }),
  // What happened, from entry `after` on.
  get("/history", ({ world }, _body, _id, query) => {
    const after = Number(query.get("after") ?? 0);
    return world.store.all<Entry>("history").filter(({ n }) => n > after);
  }),
];

/** Without the fields that are undefined, which `exactOptionalPropertyTypes` tells apart from absent ones. */
const defined = <T extends object>(value: T): { [K in keyof T]: Exclude<T[K], undefined> } =>
  Object.fromEntries(Object.entries(value).filter(([, inner]) => inner !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
