import type { Entry } from "../../../dev/stripe/state/history.ts";

/** A history of the simulator, read in order: its payment intents and sessions with the Migrations that they are for. */

/** Players write these into the history: before a run's result is stored, once a state is seen, around a DELETE. */
export const marks = ["completing", "completed", "failed", "deleting", "deleted"] as const;
export type Mark = (typeof marks)[number];
export const markOf = (mark: Mark, key: string): string => `${mark} ${key}`;

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
  /** Numbers of the entries with each mark. */
  marked: Map<string, number[]>;
  /** Amounts that were captured, by the Migration's key. */
  captures: Map<string, number[]>;
  /** Keys whose hold ended without Rowferry: lapsed, or cancelled by hand in the dashboard. */
  lost: Set<string>;
  /** Violations that only the order shows. */
  wrong: string[];
}

/** The status of a payment intent with a hold. */
export const held = "requires_capture";

export function replay(entries: readonly Entry[]): Replay {
  const all: Replay = {
    ...{ intents: new Map(), sessions: new Map(), marked: new Map(), captures: new Map(), lost: new Set(), wrong: [] },
  };
  // The simulator records what a person did after its changes.
  const byHand = new Set(
    entries.flatMap((entry) =>
      entry.kind === "act" && entry.what === "POST /payment_intents/{id}/cancel" ? [entry.id] : [],
    ),
  );
  for (const entry of entries) {
    if (entry.kind === "act") {
      const mark = /^mark (\w+ .+)$/.exec(entry.what)?.[1];
      if (mark !== undefined) push(all.marked, mark, entry.n);
    } else if (entry.kind === "change" && entry.object === "checkout.session") {
      follow(all.sessions, entry);
    } else if (entry.kind === "change" && entry.object === "payment_intent") {
      const before = all.intents.get(entry.id)?.status;
      const intent = follow(all.intents, entry);
      if (intent.status !== before && intent.key !== "") moved(all, intent, before, entry.n, byHand.has(intent.id));
    }
  }
  return all;
}

/** An intent has another status than before. */
function moved(
  { intents, marked, captures, lost, wrong }: Replay,
  { key, status, values }: Thing,
  before: string | undefined,
  n: number,
  byHand: boolean,
): void {
  if (status === held) {
    const alive = [...intents.values()].filter((one) => one.key === key && one.status === held);
    if (alive.length > 1) wrong.push(`${key} has ${alive.length} holds at a time`);
  }
  if (status === "canceled" && before === held) {
    const reason = values["cancellation_reason"];
    if (reason === "expired" || reason === "automatic" || byHand) lost.add(key);
  }
  if (status === "succeeded") {
    push(captures, key, Number(values["amount_received"]));
    const times = captures.get(key)?.length ?? 0;
    const ended = marked.get(markOf("completing", key))?.filter((one) => one < n).length ?? 0;
    if (times > ended) wrong.push(`${key} was captured ${times} times after ${ended} completed runs`);
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
