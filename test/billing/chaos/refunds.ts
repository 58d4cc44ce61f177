import type { Entry } from "../../../dev/stripe/state/history.ts";
import type { Paid } from "./paid.ts";

/** Notes on each payment what was refunded of it by hand, and whether Stripe's event about that has arrived. */
export function readRefunds(entries: readonly Entry[], paid: readonly Paid[]): void {
  const charges = new Map<string, Record<string, unknown>>();
  const events = new Map<string, Paid>();
  const paidBy = (charge: string): Paid | undefined =>
    paid.find(({ id }) => id === charges.get(charge)?.["payment_intent"]);
  for (const entry of entries) {
    if (entry.kind === "change" && entry.object === "charge") {
      const values = { ...charges.get(entry.id), ...entry.to };
      charges.set(entry.id, values);
      const one = paidBy(entry.id);
      if (one !== undefined && values["captured"] === true) refund(one, values, entry.n);
    } else if (entry.kind === "event" && entry.type === "charge.refunded") {
      const one = paidBy(entry.object);
      if (one === undefined) continue;
      one.isHeard = false;
      events.set(entry.id, one);
    } else if (entry.kind === "delivery" && entry.outcome === 204) {
      const one = events.get(entry.event);
      if (one !== undefined) one.isHeard = true;
    }
  }
}

/** Stripe also counts the part of a hold that was not captured as refunded. */
function refund(one: Paid, charge: Record<string, unknown>, n: number): void {
  const [all = 0, taken = 0, back = 0] = ["amount", "amount_captured", "amount_refunded"].map((name) =>
    Number(charge[name]),
  );
  one.refunded = back - (all - taken);
  if (one.refunded >= taken) one.refundedInFull ??= n;
}
