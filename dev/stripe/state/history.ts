/**
 * One thing that happened, in order. `at` is the simulator's clock in seconds. A checker of invariants reads them from
 * the control endpoint; no key and no card is in them.
 */
export type Entry = { n: number; at: number } & (
  | {
      kind: "request";
      request: string;
      method: string;
      path: string;
      params: unknown;
      idempotency_key: string | null;
      /** What was answered; null if the connection was cut instead. */
      status: number | null;
      /** Stripe's code or type of the error. */
      error: string | null;
      replayed: boolean;
      /** Whether the operation ran, also if its answer was lost. */
      ran: boolean;
      fault: string | null;
    }
  /** An object was created (`from` is null) or changed: the fields that differ. */
  | { kind: "change"; object: string; id: string; from: Record<string, unknown> | null; to: Record<string, unknown> }
  | { kind: "event"; id: string; type: string; object: string }
  | { kind: "delivery"; event: string; type: string; endpoint: string; attempt: number; outcome: number | string }
  | { kind: "clock"; seconds: number }
  /** What a person or a test did on a page or by the control endpoint. */
  | { kind: "act"; what: string; id: string | null }
);

type Without<T> = T extends unknown ? Omit<T, "n" | "at"> : never;

/** An entry before the world gives it its number and its time. */
export type NewEntry = Without<Entry>;
