import { isDeepStrictEqual } from "node:util";
import { apiVersion } from "./blank.ts";
import { missing } from "./errors.ts";
import type { Entry, NewEntry } from "./history.ts";
import type { Store } from "./store.ts";
import type { Event, Thing } from "./types.ts";

/** What the account's owner sets up, as in Stripe's dashboard. */
export interface Settings {
  /** Where the pages are, without a slash at the end. */
  url: string;
  /** How long a hold stands: Stripe's 7 days for most cards. */
  holdSeconds: number;
  /** When the portal's cancellation takes effect (the portal configuration's `subscription_cancel.mode`). */
  portalCancels: "at_period_end" | "immediately";
  /** Seconds after a failed payment of a subscription at which Stripe tries again; after the last it cancels. */
  paymentRetrySeconds: readonly number[];
  /** Seconds of the simulator's clock from a webhook's failure to its next attempt; after the last Stripe gives up. */
  webhookRetrySeconds: readonly number[];
}

/** The request that the world acts for; null for a person, the clock or the dashboard. */
export interface Cause {
  id: string;
  idempotency_key: string | null;
}

/** State, clock and events in one: what every operation works with. */
export interface World {
  settings: Settings;
  store: Store;
  /** Seconds of the simulator's clock. */
  now(): number;
  newId(prefix: string): string;
  /** An object by its id. `param` is the parameter that named it, for Stripe's error. */
  get<T extends Thing>(object: T["object"], id: string, param: string): T;
  find<T extends Thing>(id: string | null): T | undefined;
  /** All objects of a kind, oldest first. */
  all<T extends Thing>(object: string): T[];
  create<T extends Thing>(thing: T): T;
  /** Replaces fields; returns the new object. */
  change<T extends Thing>(thing: T, fields: Partial<T>): T;
  remove(thing: Thing): void;
  /** What Stripe knows of an object and does not show. */
  note(id: string): Record<string, unknown>;
  setNote(id: string, fields: Record<string, unknown>): void;
  /** Makes an event of an object as it is now. With `previous`, the fields before the change. */
  emit(type: string, thing: Thing, previous?: Record<string, unknown>): void;
  record(entry: NewEntry): void;
  /** Runs `work` with another clock or cause: a lapsed hold happens at its time, not when somebody looks. */
  within<T>(context: { at?: number; cause?: Cause | null }, work: () => T): T;
}

/** Objects of all kinds share this collection: an id names its kind. */
const things = "things";
const serialDigits = 6;

export const openWorld = (
  settings: Settings,
  store: Store,
  now: () => number,
  onEvent: (event: Event) => void,
  random: () => number,
): World => {
  let context: { at?: number; cause?: Cause | null } = {};
  const clock = (): number => Math.floor(context.at ?? now());

  const serial = (): number => {
    const next = (store.get<number>("counters", "serial") ?? 0) + 1;
    store.set("counters", "serial", next);
    return next;
  };
  const letters = (): string =>
    Math.floor(random() * 36 ** 8)
      .toString(36)
      .padStart(8, "0");

  const world: World = {
    settings,
    store,
    now: clock,
    newId: (prefix) => `${prefix}_${serial().toString(36).padStart(serialDigits, "0")}${letters()}`,
    get<T extends Thing>(object: T["object"], id: string, param: string) {
      const thing = store.get<T>(things, id);
      if (thing?.object !== object) throw missing(object, id, param);
      return thing;
    },
    find: <T extends Thing>(id: string | null) => (id === null ? undefined : store.get<T>(things, id)),
    all: <T extends Thing>(object: string) => store.all<T>(things).filter((thing) => thing.object === object),
    create(thing) {
      store.set(things, thing.id, thing);
      world.record({ kind: "change", object: thing.object, id: thing.id, from: null, to: thing });
      return thing;
    },
    change(thing, fields) {
      const before = store.get<typeof thing>(things, thing.id) ?? thing;
      const names = Object.keys(fields).filter((name) => !isDeepStrictEqual(before[name], fields[name]));
      const after = { ...before, ...fields };
      if (names.length === 0) return after;
      store.set(things, thing.id, after);
      const of = (from: Thing): Record<string, unknown> =>
        Object.fromEntries(names.map((name) => [name, from[name] ?? null]));
      world.record({ kind: "change", object: thing.object, id: thing.id, from: of(before), to: of(after) });
      return after;
    },
    remove(thing) {
      store.set(things, thing.id, undefined);
      const to = { deleted: true };
      world.record({ kind: "change", object: thing.object, id: thing.id, from: { deleted: false }, to });
    },
    note: (id) => store.get<Record<string, unknown>>("notes", id) ?? {},
    setNote: (id, fields) => store.set("notes", id, { ...world.note(id), ...fields }),
    emit(type, thing, previous) {
      const event: Event = {
        id: world.newId("evt"),
        object: "event",
        api_version: apiVersion,
        created: clock(),
        data: { object: thing, ...(previous === undefined ? {} : { previous_attributes: previous }) },
        livemode: false,
        pending_webhooks: 0,
        request: context.cause ?? { id: null, idempotency_key: null },
        type,
      };
      store.set("events", event.id, event);
      world.record({ kind: "event", id: event.id, type, object: thing.id });
      onEvent(event);
    },
    record(entry) {
      const n = (store.get<number>("counters", "history") ?? 0) + 1;
      store.set("counters", "history", n);
      store.set("history", String(n), { n, at: clock(), ...entry } as Entry);
    },
    within(inner, work) {
      const outer = context;
      context = { ...outer, ...inner };
      try {
        return work();
      } finally {
        context = outer;
      }
    },
  };
  return world;
};
