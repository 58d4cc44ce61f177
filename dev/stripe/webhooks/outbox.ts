import { fits } from "../http/operations.ts";
import type { Event } from "../state/types.ts";
import type { World } from "../state/world.ts";
import { signature } from "./sign.ts";

/** Where the account's owner wants events to go. */
export interface Endpoint {
  id: string;
  url: string;
  /** Types, with `*` and `payment_intent.*` for many. */
  events: readonly string[];
  secrets: readonly string[];
}

/** What happens to the next deliveries of a kind of event. Without a rule each is sent once, at once. */
export interface Rule {
  id: string;
  /**
   * `drop`: never sent. `delay`: by `seconds` of the simulator's clock. `duplicate`: sent twice. `hold`: until it is
   * released, in any order. `bad_signature`, `old_timestamp` (10 minutes): a receiver must refuse it.
   */
  kind: "drop" | "delay" | "duplicate" | "hold" | "bad_signature" | "old_timestamp";
  type: string;
  seconds?: number;
  /** For how many events; null until it is removed. */
  times: number | null;
}

/** An event on its way to an endpoint. */
export interface Delivery {
  id: string;
  event: string;
  type: string;
  endpoint: string;
  attempt: number;
  /** Of the simulator's clock, in milliseconds. */
  due: number;
  held: boolean;
  spoiled: "bad_signature" | "old_timestamp" | null;
}

export interface Outbox {
  /** Puts an event on its way; it leaves after the next `pump`. */
  add(event: Event): void;
  /** Sends what is due, and sees to it that the rest is sent when it is. */
  pump(): void;
  /** Sends held deliveries, in this order of their ids; without ids all, as they were made. */
  release(ids?: readonly string[]): Promise<void>;
  /** Sends an event once more, as a person can in the dashboard. Whether it is known. */
  resend(event: string): boolean;
  pending(): Delivery[];
  close(): Promise<void>;
}

const patienceMs = 10_000;
const longestTimer = 1_000_000_000;
const tenMinutes = 600;

export const openOutbox = (world: World, nowMs: () => number): Outbox => {
  const { store } = world;
  const flying = new Map<string, Promise<void>>();
  const closed = new AbortController();
  let timer: NodeJS.Timeout | undefined;

  const put = (event: Event, endpoint: Endpoint, more: Partial<Delivery>): void => {
    const id = world.newId("dlv");
    const delivery: Delivery = {
      ...{ id, event: event.id, type: event.type, endpoint: endpoint.id, attempt: 1 },
      ...{ due: nowMs(), held: false, spoiled: null },
      ...more,
    };
    store.set("deliveries", id, delivery);
  };

  const takeRule = (type: string): Rule | undefined => {
    const rule = store.all<Rule>("rules").find((one) => fits(type, one.type));
    if (rule === undefined || rule.times === null) return rule;
    store.set("rules", rule.id, rule.times > 1 ? { ...rule, times: rule.times - 1 } : undefined);
    return rule;
  };

  const send = async (delivery: Delivery): Promise<void> => {
    const event = store.get<Event>("events", delivery.event);
    const endpoint = store.get<Endpoint>("endpoints", delivery.endpoint);
    store.set("deliveries", delivery.id, undefined);
    if (event === undefined || endpoint === undefined) return;
    const outcome = await post(endpoint, event, delivery.spoiled, closed.signal);
    if (closed.signal.aborted && typeof outcome === "string") {
      store.set("deliveries", delivery.id, delivery);
      store.commit();
      return;
    }
    const { type, attempt } = delivery;
    world.record({ kind: "delivery", event: event.id, type, endpoint: endpoint.id, attempt, outcome });
    const wait = world.settings.webhookRetrySeconds[attempt - 1];
    if (typeof outcome === "number" && outcome >= 200 && outcome < 300) {
      const known = store.get<Event>("events", event.id) ?? event;
      store.set("events", event.id, { ...known, pending_webhooks: Math.max(0, known.pending_webhooks - 1) });
    } else if (wait !== undefined && delivery.spoiled === null) {
      store.set("deliveries", delivery.id, { ...delivery, attempt: attempt + 1, due: nowMs() + wait * 1000 });
    }
    store.commit();
  };

  const start = (delivery: Delivery): Promise<void> => {
    const sent = send(delivery).finally(() => {
      flying.delete(delivery.id);
      outbox.pump();
    });
    flying.set(delivery.id, sent);
    return sent;
  };

  const outbox: Outbox = {
    add(event) {
      const endpoints = store
        .all<Endpoint>("endpoints")
        .filter(({ events }) => events.some((one) => fits(event.type, one)));
      const rule = endpoints.length === 0 ? undefined : takeRule(event.type);
      store.set("events", event.id, { ...event, pending_webhooks: endpoints.length });
      if (rule?.kind === "drop") return;
      for (const endpoint of endpoints) {
        const due = nowMs() + (rule?.kind === "delay" ? (rule.seconds ?? 0) * 1000 : 0);
        const spoiled = rule?.kind === "bad_signature" || rule?.kind === "old_timestamp" ? rule.kind : null;
        put(event, endpoint, { due, held: rule?.kind === "hold", spoiled });
        if (rule?.kind === "duplicate") put(event, endpoint, {});
      }
    },
    pump() {
      clearTimeout(timer);
      if (closed.signal.aborted) return;
      const waiting = outbox.pending().filter(({ id, held }) => !held && !flying.has(id));
      for (const delivery of waiting.filter(({ due }) => due <= nowMs())) void start(delivery);
      const next = Math.min(...waiting.map(({ due }) => due).filter((due) => due > nowMs()));
      if (next < Infinity) timer = setTimeout(outbox.pump, Math.min(next - nowMs(), longestTimer)).unref();
    },
    async release(ids) {
      const held = outbox.pending().filter((delivery) => delivery.held);
      const chosen = ids === undefined ? held : ids.flatMap((id) => held.filter((delivery) => delivery.id === id));
      // One after the other, so that the order is the receiver's too.
      for (const delivery of chosen) {
        store.set("deliveries", delivery.id, { ...delivery, held: false });
        await start({ ...delivery, held: false });
      }
    },
    resend(id) {
      const event = store.get<Event>("events", id);
      if (event === undefined) return false;
      for (const endpoint of store.all<Endpoint>("endpoints")) put(event, endpoint, {});
      outbox.pump();
      return true;
    },
    pending: () => store.all<Delivery>("deliveries"),
    async close() {
      clearTimeout(timer);
      closed.abort();
      await Promise.all(flying.values());
    },
  };
  return outbox;
};

/** The receiver's status, or why there was none. */
const post = async (
  { url, secrets }: Endpoint,
  event: Event,
  spoiled: Delivery["spoiled"],
  closed: AbortSignal,
): Promise<number | string> => {
  const body = JSON.stringify(event, null, 2);
  // By the real clock: the receiver compares it with its own, whatever the simulator's says.
  const at = Math.floor(Date.now() / 1000) - (spoiled === "old_timestamp" ? tenMinutes : 0);
  const used = spoiled === "bad_signature" ? ["whsec_of_somebody_else"] : secrets;
  try {
    const response = await fetch(url, {
      method: "POST",
      headers: {
        "Content-Type": "application/json; charset=utf-8",
        "Stripe-Signature": signature(body, used, at),
        "User-Agent": "Stripe/1.0 (+https://stripe.com/docs/webhooks)",
      },
      body,
      redirect: "manual",
      signal: AbortSignal.any([closed, AbortSignal.timeout(patienceMs)]),
    });
    await response.arrayBuffer();
    return response.status;
  } catch (error) {
    const cause = (error as { cause?: { code?: string } }).cause?.code;
    return cause ?? (error as Error).name;
  }
};
