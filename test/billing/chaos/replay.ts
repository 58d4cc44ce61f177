import type { Entry } from "../../../dev/stripe/state/history.ts";
import type { Paid } from "./paid.ts";
import { readRefunds } from "./refunds.ts";

/** A history of the simulator, read in order: its payment intents and sessions with the Migrations that they are for. */

/**
 * Players write these into the history: around the storing of a run's verified result, before a DELETE, around a request for a run,
 * and after they made a capture older than a capture covers.
 */
const marks = ["completing", "verified", "deleting", "asking", "asked", "aged"] as const;
export type Mark = (typeof marks)[number];
export const markOf = (mark: Mark, key: string, ...words: (string | number)[]): string =>
  [mark, key, ...words].join(" ");

/** A mark in the history. `words`: those after the key. */
export interface Marked {
  n: number;
  mark: Mark;
  words: string[];
}

/** A payment intent or a session. `key`: `namespace/name` of its Migration; empty: of none. */
export interface Thing {
  id: string;
  key: string;
  status: string;
  values: Record<string, unknown>;
}

export interface Replay {
  intents: Map<string, Thing>;
  sessions: Map<string, Thing>;
  /** By the Migration's key. */
  marked: Map<string, Marked[]>;
  /** Payments of each Migration, by its key, in the order in which they began. */
  paid: Map<string, Paid[]>;
  /** Violations that only the order shows. */
  wrong: string[];
}

/** The status of a payment intent with a hold. */
export const held = "requires_capture";

export function replay(entries: readonly Entry[]): Replay {
  const all: Replay = { intents: new Map(), sessions: new Map(), marked: new Map(), paid: new Map(), wrong: [] };
  // The simulator records what a person did after its changes.
  const byHand = new Set(
    entries.flatMap((entry) =>
      entry.kind === "act" && entry.what === "POST /payment_intents/{id}/cancel" ? [entry.id] : [],
    ),
  );
  for (const entry of entries) {
    if (entry.kind === "act") {
      const [word, name, key, ...words] = entry.what.split(" ");
      const mark = marks.find((one) => one === name);
      if (word === "mark" && mark !== undefined && key !== undefined)
        push(all.marked, key, { n: entry.n, mark, words });
    } else if (entry.kind === "change" && entry.object === "checkout.session") {
      follow(all.sessions, entry);
    } else if (entry.kind === "change" && entry.object === "payment_intent") {
      const before = all.intents.get(entry.id)?.status;
      const intent = follow(all.intents, entry);
      if (intent.status !== before && intent.key !== "") moved(all, intent, before, entry.n, byHand.has(intent.id));
    }
  }
  readRefunds(entries, [...all.paid.values()].flat());
  return all;
}

/** An intent has another status than before. */
function moved(
  { intents, paid, wrong }: Replay,
  { id, key, status, values }: Thing,
  before: string | undefined,
  n: number,
  byHand: boolean,
): void {
  const own = paid.get(key) ?? [];
  const found = own.find((one) => one.id === id);
  const one: Paid = found ?? { id, amount: 0, refunded: 0 };
  if (found === undefined) push(paid, key, one);
  if (status === held) {
    one.held = n;
    const alive = [...intents.values()].filter((other) => other.key === key && other.status === held);
    if (alive.length > 1) wrong.push(`${key} has ${alive.length} holds at a time`);
  }
  if (status === "canceled" && before === held) {
    const reason = values["cancellation_reason"];
    if (reason === "expired" || reason === "automatic" || byHand) one.lost = n;
  }
  if (status === "succeeded") {
    one.captured = n;
    one.amount = Number(values["amount_received"]);
  }
}

const push = <T>(map: Map<string, T[]>, key: string, value: T): void => {
  map.set(key, [...(map.get(key) ?? []), value]);
};

function follow(things: Map<string, Thing>, { id, to }: Extract<Entry, { kind: "change" }>): Thing {
  const values = { ...things.get(id)?.values, ...to };
  const { namespace = "", migration = "" } = (values["metadata"] ?? {}) as Record<string, string>;
  const key = migration === "" ? "" : `${namespace}/${migration}`;
  const thing: Thing = { id, key, status: String(values["status"]), values };
  things.set(id, thing);
  return thing;
}
