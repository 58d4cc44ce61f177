import type { Entry, NewEntry } from "../../../dev/stripe/state/history.ts";
import { askedWords } from "./covers.ts";
import { type Mark, markOf } from "./replay.ts";

/** Entries of a history with one Migration, for the judge's tables. */

export const key = "rowferry-t/m";
const metadata = { namespace: "rowferry-t", migration: "m" };

export const entries = (list: readonly NewEntry[]): Entry[] =>
  list.map((entry, at) => ({ ...entry, n: at + 1, at: 0 }));

export const mark = (name: Mark, ...words: (string | number)[]): NewEntry => markFor(key, name, ...words);
export const markFor = (of: string, name: Mark, ...words: (string | number)[]): NewEntry => ({
  ...{ kind: "act", what: `mark ${markOf(name, of, ...words)}`, id: null },
});

export type By = "hold" | "plan" | "free";
/** A run is requested and accepted. */
export const asks = (run = 1, by: By = "hold", plan: "free" | "pro" = by === "plan" ? "pro" : "free"): NewEntry[] => [
  mark("asking"),
  mark("asked", ...askedWords({ run, plan, by })),
];
/** A run's verified result is stored. */
export const ends = (run = 1): NewEntry[] => [mark("completing", run), mark("verified", run)];

const change = (object: string, id: string, to: object): NewEntry => ({
  ...{ kind: "change", object, id, from: null },
  to: { metadata, ...to },
});
/** `checkout`: its number. */
export const session = (id: string, status: string, checkout = id): NewEntry =>
  change("checkout.session", id, { status, metadata: { ...metadata, checkout } });
export const hold = (id = "pi_1"): NewEntry => change("payment_intent", id, { status: "requires_capture" });
export const capture = (id = "pi_1", amount = 500): NewEntry =>
  change("payment_intent", id, { status: "succeeded", amount_received: amount });
export const release = (reason: string | null, id = "pi_1"): NewEntry =>
  change("payment_intent", id, { status: "canceled", cancellation_reason: reason });
/** In all so much is refunded of 500. */
export const refund = (amount: number, intent = "pi_1"): NewEntry =>
  change("charge", `ch_${intent}`, {
    ...{ payment_intent: intent, captured: true, amount: 500, amount_captured: 500, amount_refunded: amount },
  });
/** Stripe's event about it, which arrives where `outcome` is 204. */
export const told = (outcome: number | string, intent = "pi_1"): NewEntry[] => [
  { kind: "event", id: `evt_${intent}`, type: "charge.refunded", object: `ch_${intent}` },
  { ...{ kind: "delivery", event: `evt_${intent}`, type: "charge.refunded", endpoint: "we", attempt: 1 }, outcome },
];
